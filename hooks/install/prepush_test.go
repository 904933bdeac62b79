package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// push calls the hook as git does, which is cheaper than a push, and returns what
// it said. git is started by the tests that ask whether git does it.
func (p *place) push() (string, error) {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(".git", "hooks", PrePush), "origin", "somewhere")
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "SEEN="+p.seen)
	cmd.Stdin = strings.NewReader(pushLine)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

const pushLine = "refs/heads/main 1111 refs/heads/main 0000\n"

// Whoever does not have the setting gets none of ours, and theirs runs as ever.
func TestWithoutTheSettingAPushStartsNothingOfOurs(t *testing.T) {
	p := newPlace(t)
	p.remote()
	p.file(p.hook(PrePush), "#!/bin/sh\n"+report+`[ -z "$BLOCK" ]`+"\n", 0o755)
	p.install(Options{})
	for _, value := range []string{"", "false", "0", "no", "perhaps"} {
		if value != "" {
			p.git("config", "chatrail.push", value)
		}
		if out, err := p.push(); err != nil || out != "" {
			t.Errorf("%q: %v, %s", value, err, out)
		}
		if got := p.taken(p.called); got != "" {
			t.Errorf("%q: ours was called with %q", value, got)
		}
		if got := p.taken(p.seen); got != "pre-push 2 <origin> \n"+pushLine {
			t.Errorf("%q: theirs saw %q", value, got)
		}
	}
	t.Setenv("BLOCK", "1")
	if _, err := p.tryGit("push", "-q", "origin", "main"); err == nil {
		t.Error("theirs blocks no longer")
	}
}

// The setting counts wherever git finds it, and its words are git's.
func TestTheSettingIsReadAsGitReadsIt(t *testing.T) {
	p := newPlace(t)
	remote := p.remote()
	p.install(Options{})
	for _, words := range []string{"chatrail.push=yes", "CHATRAIL.PUSH"} {
		p.git("-c", words, "push", "-q", "origin", "main")
		if got := p.taken(p.called); !strings.HasPrefix(got, "git pre-push origin "+remote+"\n") {
			t.Errorf("%q: ours was called with %q", words, got)
		}
	}
}

// Nothing that becomes of ours is anything to the push, and a push that theirs
// refuses is none of ours.
func TestOursNeverBlocksAPush(t *testing.T) {
	p := newPlace(t)
	p.remote()
	p.git("config", "chatrail.push", "true")
	p.install(Options{})
	for _, code := range []string{"0", "1", "2", "41", "127", "255"} {
		p.file(filepath.Join(filepath.Dir(p.program), "exit"), code, 0o644)
		if out, err := p.push(); err != nil || out != "" {
			t.Errorf("exit %s: %v, %s", code, err, out)
		}
		if got := p.taken(p.called); !strings.Contains(got, "git pre-push") {
			t.Errorf("exit %s: ours was called with %q", code, got)
		}
	}
	for name, change := range map[string]func(){
		"killed":        func() { p.file(p.program, "#!/bin/sh\nkill -9 $$\n", 0o755) },
		"no program":    func() { p.file(p.program, "#!/no/such/interpreter\n", 0o755) },
		"not to be run": func() { must(t, os.Chmod(p.program, 0o644)) },
		"gone":          func() { must(t, os.Remove(p.program)) },
	} {
		change()
		if out, err := p.push(); err != nil {
			t.Errorf("%s: %v, %s", name, err, out)
		}
		p.file(p.program, "#!/bin/sh\n", 0o755)
	}
	p.file(p.program, "#!/bin/sh\necho \"$*\" >>\"${0%/*}/../called\"\n", 0o755)
	p.file(p.slot(PrePush).kept(), "#!/bin/sh\nexit 3\n", 0o755)
	if _, err := p.tryGit("push", "-q", "origin", "main"); err == nil {
		t.Error("theirs blocks no longer")
	}
	if got := p.taken(p.called); got != "" {
		t.Errorf("ours was called for a push that is not made: %q", got)
	}
}

// A push of a great many references is told to both, whole.
func TestAPushOfManyReferencesIsToldToBothWhole(t *testing.T) {
	p := newPlace(t)
	p.remote()
	p.git("config", "chatrail.push", "true")
	p.file(p.hook(PrePush), "#!/bin/sh\ncat >\"$SEEN\"\n", 0o755)
	p.install(Options{})
	const many = 3000
	head := strings.TrimSpace(p.git("rev-parse", "HEAD"))
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for i := range many {
		packed.WriteString(head + " refs/tags/" + strings.Repeat("t", 40) + string(rune('a'+i/676%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i%26)) + "\n")
	}
	p.file(filepath.Join(p.dir, ".git", "packed-refs"), packed.String(), 0o644)
	p.git("push", "-q", "origin", "--tags")
	theirs := p.taken(p.seen)
	_, ours, _ := strings.Cut(p.taken(p.called), "\n")
	if theirs != ours || strings.Count(ours, "\n") != many {
		t.Errorf("%.3000q; %d lines and %d lines", ours, strings.Count(theirs, "\n"), strings.Count(ours, "\n"))
	}
}

// Whoever installed the hooks of an earlier version gets the new one by installing
// again.
func TestAnEarlierInstallationGetsThePushHook(t *testing.T) {
	p := newPlace(t)
	p.install(Options{Gate: true})
	must(t, os.Remove(p.hook(PrePush)))
	theirs := "#!/bin/sh\nexit 0\n"
	p.file(p.hook(PrePush), theirs, 0o755)
	if got := outcomes(p.install(Options{})); got != "post-commit present, post-rewrite present, pre-push chained" {
		t.Error(got)
	}
	p.uninstall()
	if data, err := os.ReadFile(p.hook(PrePush)); err != nil || string(data) != theirs {
		t.Errorf("%q, %v", data, err)
	}
}
