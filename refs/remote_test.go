package refs

import (
	"errors"
	"strings"
	"testing"
)

func TestTheRemoteIsTheOneThatGitWouldChoose(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := found(t, dir)
	set := func(args ...string) { t.Helper(); git(t, dir, append([]string{"config"}, args...)...) }
	want := func(fetch, push string) {
		t.Helper()
		for i, choose := range []func() (Remote, error){
			func() (Remote, error) { return r.Remote(t.Context(), "") }, func() (Remote, error) { return r.PushRemote(t.Context(), "") },
		} {
			if m, err := choose(); err != nil || m.Name != []string{fetch, push}[i] {
				t.Errorf("%d: got %q, %v", i, m.Name, err)
			}
		}
	}
	none := func(says string) {
		t.Helper()
		_, err := r.Remote(t.Context(), "")
		if !errors.Is(err, ErrNoRemote) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
	none("git remote add")
	set("remote.pruned.prune", "true") // no URL: nothing that one could talk to
	none("git remote add")
	set("remote.fork.url", "/fork")
	want("fork", "fork")
	set("remote.up.url", "/up")
	none("fork, up")
	set("remote.origin.url", "/origin")
	want("origin", "origin")
	set("branch.main.remote", "up")
	want("up", "up")
	set("remote.pushDefault", "fork")
	want("up", "fork")
	set("branch.main.pushRemote", "origin")
	want("up", "origin")
	set("branch.main.remote", ".") // a branch that follows a local one
	want("origin", "origin")
	git(t, dir, "checkout", "-q", "--detach")
	set("branch.main.remote", "up")
	want("origin", "fork")
	list, err := r.Remotes(t.Context())
	must(t, err)
	if len(list) != 3 || list[0].Name != "fork" || list[1].Name != "origin" || list[2].Name != "up" {
		t.Errorf("%v", list)
	}
	for _, bad := range []string{"orign", "--upload-pack=touch x", "no/such/path"} {
		if _, err := r.Remote(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "fork, origin, up") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestNoCredentialIsShownOrKept(t *testing.T) {
	for text, want := range map[string]string{
		"https://ann:hunter2@host/x.git":                  "https://host/x.git",
		"https://ghp_token@host:8080/x":                   "https://host:8080/x",
		"https://host/x?private_token=hunter2":            "https://host/x?…",
		"https://ann:hun/ter2@host/x":                     "https://host/x",
		"https://ann:hunt@er2@host/x":                     "https://host/x",
		"https://host/@scope/x":                           "https://host/@scope/x",
		"https://[::1]:80/@x":                             "https://[::1]:80/@x",
		"ssh://git:hunter2@host:22/x":                     "ssh://git@host:22/x",
		"git@host:x.git":                                  "git@host:x.git",
		"unable to access 'https://a:b@host/x/': refused": "unable to access 'https://host/x/': refused",
		"see http://a:b@c, and ftp://d@e":                 "see http://c, and ftp://e",
		"http::https://a:b@c/d":                           "http::https://c/d",
		"https://a:b'c@host/x":                            "https://host/x",
		"a@b and c@d":                                     "a@b and c@d",
		"://@":                                            "://",
	} {
		if got := withoutCredentials(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	dir := newRepo(t)
	r := found(t, dir)
	git(t, dir, "remote", "add", "origin", "https://ann:hunter2@host/x.git")
	spaces := map[string]bool{}
	for _, given := range []string{"origin", "https://ann:hunter2@host/x.git", "https://host/x.git", "https://bob:other@host/x.git/"} {
		m, err := r.Remote(t.Context(), given)
		must(t, err)
		if strings.Contains(m.URL+m.Space+m.String(), "hunter2") || m.Space == "" || !validName(m.Tracking(Project())) {
			t.Errorf("%+v", m)
		}
		spaces[m.Space] = true
	}
	if len(spaces) != 2 {
		t.Errorf("one place under several names: %v", spaces)
	}
}

func TestAURLSpaceIsNoEncodedName(t *testing.T) {
	for _, url := range []string{"https://host/x", "x", "host:x.git", `C:\x\y`, "", strings.Repeat("/long", 100)} {
		space := urlSpace(url)
		if _, encoded := Decode(space); encoded || len(space) > 100 || !validName(RemoteNamespace+space+"/x") {
			t.Errorf("%s", space)
		}
	}
}

// What is typed in a folder is meant from there.
func TestARelativePathIsMeantFromHere(t *testing.T) {
	p := newPair(t)
	write(t, p.dir+"/sub/x", "")
	t.Chdir(p.dir + "/sub")
	m := p.remote(t, "../../hub.git")
	if m.Spec != p.hub || m.URL != p.hub {
		t.Errorf("%+v", m)
	}
}

func FuzzWithoutCredentials(f *testing.F) {
	f.Add("https://", "ann", "hunter2", "host/x")
	f.Fuzz(func(t *testing.T, before, user, password, after string) {
		withoutCredentials(before + user + password + after)
		if strings.ContainsAny(user+password, ":/?#@ \t\r\n") || password == "" || strings.ContainsAny(after, " \t\r\n@:") {
			return
		}
		secret := "!" + password + "!"
		if strings.Contains(before+user+after, secret) {
			return
		}
		if got := withoutCredentials(before + "https://" + user + ":" + secret + "@" + after); strings.Contains(got, secret) {
			t.Errorf("%q", got)
		}
	})
}

func FuzzWhatARemoteSays(f *testing.F) {
	f.Add("remote: no\n", "To x\n!\ta:refs/chatrail/a\t[remote rejected] (hook declined)\n")
	f.Add("a\rb\r\nc", id(1)+"\trefs/chatrail/x\n")
	r := &Repo{ObjectFormat: "sha1"}
	f.Fuzz(func(t *testing.T, stderr, stdout string) {
		s := &said{}
		s.Write([]byte(stderr))
		s.finish()
		x := exchange{op: "push", remote: Remote{Name: "origin", URL: "u"}}
		for _, p := range x.verdicts(parsePush(stdout), s) {
			if strings.ContainsAny(p.Why, "\n\r\x1b\u202e") || len(p.Why) > 1000 && len(p.Name) < 100 {
				t.Errorf("%q", p.Why)
			}
		}
		if text := x.failure(errors.New("exit"), s.lines).Error(); strings.ContainsAny(text, "\n\r\x1b\u202e") {
			t.Errorf("%q", text)
		}
		list, _ := r.parseAdvertised(stdout)
		for _, ref := range list {
			if !isOurs(ref.Name) || len(ref.ID) != 40 {
				t.Errorf("%v", ref)
			}
		}
		parseRemotes(stdout)
	})
}
