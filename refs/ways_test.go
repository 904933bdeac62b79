package refs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/refs/remotetest"
)

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

func TestItGoesThroughEveryWayOfGit(t *testing.T) {
	const user, password = "ann", "s3cret-word"
	helper := "!f() { test \"$1\" = get && printf 'username=" + user + "\\npassword=" + password + "\\n'; }; f"
	for _, c := range []struct {
		name  string
		rules remotetest.Rules
		way   func(t *testing.T, p pair, s *remotetest.Server) string
	}{
		{"a path", remotetest.Rules{}, func(_ *testing.T, p pair, _ *remotetest.Server) string { return p.hub }},
		{"a file URL", remotetest.Rules{}, func(_ *testing.T, p pair, _ *remotetest.Server) string { return "file://" + p.hub }},
		{"HTTP, a credential helper", remotetest.Rules{User: user, Password: password}, func(t *testing.T, p pair, s *remotetest.Server) string {
			git(t, p.dir, "config", "credential.helper", helper)
			return s.URL + "/hub.git"
		}},
		{"HTTP, credentials in the URL", remotetest.Rules{User: user, Password: password}, func(_ *testing.T, _ pair, s *remotetest.Server) string {
			return s.With(user, password) + "/hub.git"
		}},
		{"HTTP, a header", remotetest.Rules{Header: "Authorization: Bearer abc"}, func(t *testing.T, p pair, s *remotetest.Server) string {
			git(t, p.dir, "config", "http.extraHeader", "Authorization: Bearer abc")
			return s.URL + "/hub.git"
		}},
		{"HTTP, a header from the environment", remotetest.Rules{Header: "Authorization: Bearer abc"}, func(t *testing.T, _ pair, s *remotetest.Server) string {
			t.Setenv("GIT_CONFIG_PARAMETERS", "'http.extraHeader'='Authorization: Bearer abc'")
			return s.URL + "/hub.git"
		}},
		{"ssh by the environment", remotetest.Rules{}, func(t *testing.T, p pair, _ *remotetest.Server) string {
			must(t, remotetest.SSH(p.dir+"/../ssh"))
			t.Setenv("GIT_SSH_COMMAND", p.dir+"/../ssh")
			return "somewhere:" + p.hub
		}},
		{"insteadOf in the repository", remotetest.Rules{}, func(t *testing.T, p pair, _ *remotetest.Server) string {
			git(t, p.dir, "config", "url."+filepath.Dir(p.hub)+"/.insteadOf", "work:")
			return "work:hub.git"
		}},
		{"insteadOf of the user", remotetest.Rules{}, func(t *testing.T, p pair, _ *remotetest.Server) string {
			global := filepath.Dir(p.hub) + "/gitconfig"
			write(t, global, "[url \""+filepath.Dir(p.hub)+"/\"]\n\tinsteadOf = https://example.com/\n")
			t.Setenv("GIT_CONFIG_GLOBAL", global)
			return "https://example.com/hub.git"
		}},
		{"insteadOf of the environment", remotetest.Rules{}, func(t *testing.T, p pair, _ *remotetest.Server) string {
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "url."+filepath.Dir(p.hub)+"/.insteadOf")
			t.Setenv("GIT_CONFIG_VALUE_0", "https://example.com/")
			return "https://example.com/hub.git"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPair(t)
			var s *remotetest.Server
			if strings.HasPrefix(c.name, "HTTP") {
				s = serve(t, filepath.Dir(p.hub), c.rules)
			}
			p.goesThrough(t, c.way(t, p, s))
		})
	}
}

func TestPushURLsAreWhereAPushGoes(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	top := filepath.Dir(p.hub)
	git(t, top, "init", "-q", "--bare", "second.git")
	git(t, p.dir, "config", "url."+top+"/.pushInsteadOf", "https://example.com/")
	git(t, p.dir, "config", "--add", "remote.origin.pushurl", p.hub)
	git(t, p.dir, "config", "--add", "remote.origin.pushurl", top+"/second.git")
	done, err := p.push(t, "origin")
	must(t, err)
	for _, dir := range []string{p.hub, top + "/second.git"} {
		if got := git(t, dir, "rev-parse", Project()); got != p.tip || states(done) != "project pushed" {
			t.Errorf("%s is at %s: %s", dir, got, states(done))
		}
	}
	// The worst of both counts.
	must(t, remotetest.Hook(top+"/second.git", "update", remotetest.Declining("second says no")))
	p.grow(t, Project(), "two")
	done, err = p.push(t, "origin")
	must(t, err)
	if states(done) != "project refused" || !strings.Contains(done[0].Why, "second says no") || !strings.Contains(done[0].Why, "second.git") {
		t.Errorf("%s: %s", states(done), done[0].Why)
	}
	third := p.another(t, "third")
	git(t, third.dir, "remote", "set-url", "origin", "https://example.com/hub.git")
	git(t, third.dir, "config", "url."+top+"/.pushInsteadOf", "https://example.com/")
	third.grow(t, Task("x"), "x")
	done, err = third.push(t, "origin")
	must(t, err)
	if states(done) != "task/x pushed" {
		t.Errorf("by pushInsteadOf: %s", states(done))
	}
}

func TestSSHIsAskedAsGitAsksIt(t *testing.T) {
	p := newPair(t)
	top := filepath.Dir(p.hub)
	must(t, os.Mkdir(top+"/bin", 0o777))
	must(t, remotetest.SSH(top+"/bin/ssh"))
	t.Setenv("PATH", top+"/bin:"+os.Getenv("PATH"))
	log := func() string {
		data, err := os.ReadFile(top + "/bin/ssh.log")
		must(t, err)
		must(t, os.Remove(top+"/bin/ssh.log"))
		return string(data)
	}
	fetch := func(tr Transfer) {
		t.Helper()
		_, err := p.repo.Fetch(t.Context(), p.remote(t, "host:"+p.hub), nil, tr)
		must(t, err)
	}
	fetch(Transfer{})
	if got := log(); !strings.Contains(got, "BatchMode=yes") {
		t.Errorf("plain ssh was called with %q", got)
	}
	fetch(Transfer{Ask: true})
	if got := log(); strings.Contains(got, "BatchMode") {
		t.Errorf("a person cannot be asked: %q", got)
	}
	git(t, p.dir, "config", "core.sshCommand", "ssh -F mine")
	fetch(Transfer{})
	if got := log(); strings.Contains(got, "BatchMode") || !strings.Contains(got, "-F mine") {
		t.Errorf("the user's command became %q", got)
	}
	git(t, p.dir, "config", "--unset", "core.sshCommand")
	git(t, p.dir, "config", "ssh.variant", "simple")
	fetch(Transfer{})
	if got := log(); strings.Contains(got, "-o") {
		t.Errorf("a simple ssh was called with %q", got)
	}
}
