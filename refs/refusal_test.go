package refs

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatrail/refs/remotetest"
)

// What a server refuses is told apart, in one line, and nothing is lost.
func TestARefusalSaysWhichItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		set  func(t *testing.T, p pair)
		kind Kind
		says string
	}{
		{"an update hook", func(t *testing.T, p pair) {
			must(t, remotetest.Hook(p.hub, "update", remotetest.Declining("no \x1b[31mnotes\u202e here", "go away")))
		}, HookDeclined, "no [31mnotes here"},
		{"a pre-receive hook", func(t *testing.T, p pair) {
			must(t, remotetest.Hook(p.hub, "pre-receive", remotetest.Declining("", "use your real e-mail: see https://ann:hunter2@example.com/rules")))
		}, HookDeclined, "use your real e-mail: see https://example.com/rules"},
		{"hidden references", func(t *testing.T, p pair) {
			git(t, p.hub, "config", "receive.hideRefs", "refs/chatrail")
		}, RefsRefused, "deny updating a hidden ref"},
		{"a namespace hidden both ways", func(t *testing.T, p pair) {
			git(t, p.hub, "config", "transfer.hideRefs", "refs/chatrail")
		}, RefsRefused, "deny updating a hidden ref"},
		{"a bound on what it takes", func(t *testing.T, p pair) {
			git(t, p.hub, "config", "receive.maxInputSize", "50")
		}, HookDeclined, "pack exceeds maximum allowed size"},
		{"a bound on what it takes, kept as a pack", func(t *testing.T, p pair) {
			git(t, p.hub, "config", "receive.maxInputSize", "50")
			git(t, p.hub, "config", "receive.unpackLimit", "1")
		}, HookDeclined, "pack exceeds maximum allowed size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			c.set(t, p)
			done, err := p.push(t, "origin")
			must(t, err)
			if states(done) != "project refused" || done[0].Kind != c.kind || !strings.Contains(done[0].Why, c.says) {
				t.Errorf("%s, %s: %q", states(done), done[0].Kind, done[0].Why)
			}
			if strings.ContainsAny(done[0].Why, "\n\x1b\u202e") || strings.Contains(done[0].Why, "hunter2") {
				t.Errorf("not harmless: %q", done[0].Why)
			}
			if got := p.mine(t); len(got) != 1 || got[0].ID != p.tip {
				t.Errorf("here stands %v", got)
			}
		})
	}
}

func TestTheCauseIsSaidAndNotWhatFollowsFromIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lines string
		kind  Kind
		says  string
	}{
		{"remote: fatal: write error: No space left on device\nerror: remote unpack failed: unpack-objects abnormal exit", OtherFailure, "write error"},
		{"remote: fatal: fsck error in packed object\nerror: remote unpack failed: index-pack abnormal exit", BadObjects, "fsck error"},
		{"error: remote unpack failed: unpack-objects abnormal exit", BadObjects, "unpack-objects abnormal exit"},
		{"error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413", HookDeclined, "413"},
		{"fatal: unable to access 'x': The requested URL returned error: 429", Unreachable, "429"},
	} {
		if kind, text := judge(strings.Split(c.lines, "\n")); kind != c.kind || !strings.Contains(text, c.says) {
			t.Errorf("%q: %s, %q", c.lines, kind, text)
		}
	}
}

func TestAnUnwillingServerIsToldApart(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	s := serve(t, filepath.Dir(p.hub), remotetest.Rules{})
	url := s.With("ann", "hunter2") + "/hub.git"
	try := func(name, url string, pushKind, fetchKind Kind) {
		t.Helper()
		check := func(op string, want Kind, err error) {
			t.Helper()
			switch {
			case want == "" && err != nil:
				t.Errorf("%s, %s: %v", name, op, err)
			case want != "" && kind(t, err) != want:
				t.Errorf("%s, %s: %s: %v", name, op, kind(t, err), err)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("%s, %s: a password in %v", name, op, err)
			}
		}
		_, err := p.push(t, url)
		check("push", pushKind, err)
		_, err = p.fetch(t, url)
		check("fetch", fetchKind, err)
		_, err = p.repo.Advertised(t.Context(), p.remote(t, url), Transfer{})
		check("list", fetchKind, err)
	}
	s.Set(remotetest.Rules{ReadOnly: true})
	try("read-only", url, NotAllowed, "")
	s.Set(remotetest.Rules{Forbidden: true})
	try("forbidden", url, NotAllowed, NotAllowed)
	s.Set(remotetest.Rules{User: "ann", Password: "other"})
	try("a wrong password", url, NeedsLogin, NeedsLogin)
	try("no password", s.URL+"/hub.git", NeedsLogin, NeedsLogin)
	s.Set(remotetest.Rules{Broken: true})
	try("a broken server", url, Unreachable, Unreachable)
	s.Set(remotetest.Rules{})
	git(t, p.hub, "config", "http.receivepack", "false")
	try("a server that takes nothing", url, NotAllowed, "")
	try("no such repository there", s.URL+"/nothing.git", NoRepository, NoRepository)
	try("no such host", "http://ann:hunter2@nowhere.invalid/x.git", Unreachable, Unreachable)
	port := closedPort(t)
	try("nobody listens", "http://ann:hunter2@"+port+"/x.git", Unreachable, Unreachable)
	try("nobody listens to git", "git://"+port+"/x.git", Unreachable, Unreachable)
	empty := tempDir(t)
	try("a folder that is none", empty, NoRepository, NoRepository)
	try("a transport that is off", "ext::true", OtherFailure, OtherFailure)
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

func TestNobodyIsAskedWithoutAPerson(t *testing.T) {
	p := newPair(t)
	top := filepath.Dir(p.hub)
	s := serve(t, top, remotetest.Rules{User: "ann", Password: "x"})
	asked := top + "/asked"
	write(t, top+"/askpass", "#!/bin/sh\necho \"$1\" >>"+asked+"\necho no\n")
	must(t, os.Chmod(top+"/askpass", 0o755))
	for _, name := range []string{"GIT_ASKPASS", "SSH_ASKPASS"} {
		t.Setenv(name, top+"/askpass")
	}
	git(t, p.dir, "config", "core.askPass", top+"/askpass")
	_, err := p.fetch(t, s.URL+"/hub.git")
	if got := kind(t, err); got != NeedsLogin {
		t.Errorf("%s: %v", got, err)
	}
	must(t, remotetest.Asking(top+"/ssh"))
	t.Setenv("GIT_SSH_COMMAND", top+"/ssh")
	_, err = p.fetch(t, "host:"+p.hub)
	if got := kind(t, err); got != NeedsLogin || exists(top+"/ssh.log") {
		t.Errorf("%s: %v", got, err)
	}
	if exists(asked) {
		t.Error("somebody was asked")
	}
	// A person is, by the program that the person chose.
	_, err = p.repo.Fetch(t.Context(), p.remote(t, s.URL+"/hub.git"), nil, Transfer{Ask: true})
	if got := kind(t, err); got != NeedsLogin || !exists(asked) {
		t.Errorf("%s: %v", got, err)
	}
}

// A server that hangs costs the deadline and no more, and everything that git
// started is gone with it.
func TestADeadlineEndsEverythingThatGitStarted(t *testing.T) {
	p := newPair(t)
	top := filepath.Dir(p.hub)
	s := serve(t, top, remotetest.Rules{Hang: true})
	soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := p.repo.Fetch(soon, p.remote(t, s.URL+"/hub.git"), nil, Transfer{})
	if got := kind(t, err); got != OutOfTime || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s: %v", got, err)
	}
	// A transport that does not hear the signal, and holds the output open.
	write(t, top+"/deaf", "#!/bin/sh\n[ \"$1\" = -G ] && exit 1\ntrap '' TERM\necho $$ >"+top+"/pid.new && mv "+top+"/pid.new "+top+"/pid\nwhile :; do sleep 1; done\n")
	must(t, os.Chmod(top+"/deaf", 0o755))
	t.Setenv("GIT_SSH_COMMAND", top+"/deaf")
	stopped, stop := context.WithCancel(t.Context())
	m := p.remote(t, "host:"+p.hub)
	result := make(chan error)
	go func() {
		_, err := p.repo.Fetch(stopped, m, nil, Transfer{})
		result <- err
	}()
	for !exists(top + "/pid") {
		time.Sleep(2 * time.Millisecond)
	}
	stop()
	err = <-result
	if got := kind(t, err); got != OutOfTime || !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v", got, err)
	}
	pid, err := os.ReadFile(top + "/pid")
	must(t, err)
	for range 500 {
		if state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("what git started lives on")
}

// What a sandbox forbids is told apart from what a server does.
func TestWhatCannotBeWrittenHereIsUnwritable(t *testing.T) {
	t.Parallel()
	x := exchange{op: "fetch", remote: Remote{Name: "origin"}}
	for line, want := range map[string]error{
		"error: insufficient permission for adding an object to repository database .git/objects": nil,
		"fatal: unable to create temporary file: Read-only file system":                           syscall.EROFS,
		"fatal: unable to create temporary file: Permission denied":                               fs.ErrPermission,
	} {
		err := x.failure(errors.New("exit status 128"), []string{line})
		if got := kind(t, err); got != OtherFailure {
			t.Errorf("%s: %s", line, got)
		}
		if want != nil && (!errors.Is(err, want) || !Unwritable(err)) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
