package install

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func (p *place) slot(hook string) slot { return slot{filepath.Join(p.dir, ".git", "hooks"), hook} }

func (p *place) hooksTree() string { return tree(p.t, filepath.Join(p.dir, ".git", "hooks")) }

func TestInstallingTwiceChangesNothing(t *testing.T) {
	p := newPlace(t)
	p.file(p.hook(PostCommit), "#!/bin/sh\nexit 0\n", 0o755)
	if got := outcomes(p.install(Options{})); got != "post-commit chained, post-rewrite installed, pre-push installed" {
		t.Fatal(got)
	}
	before := p.hooksTree()
	if got := outcomes(p.install(Options{})); got != "post-commit present, post-rewrite present, pre-push present" {
		t.Error(got)
	}
	if after := p.hooksTree(); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	// The gate comes when it is asked for, and stays.
	if got := outcomes(p.install(Options{Gate: true})); got != "post-commit present, post-rewrite present, pre-push present, pre-commit installed" {
		t.Error(got)
	}
	p.install(Options{})
	if _, err := os.Stat(p.hook(PreCommit)); err != nil {
		t.Error(err)
	}
}

func TestAMissingHooksFolderIsMissingAgainAfterwards(t *testing.T) {
	p := newPlace(t)
	must(t, os.RemoveAll(filepath.Join(p.dir, ".git", "hooks")))
	before := tree(t, filepath.Join(p.dir, ".git"))
	if got := outcomes(p.install(Options{})); got != "post-commit installed, post-rewrite installed, pre-push installed" {
		t.Fatal(got)
	}
	if got := outcomes(p.uninstall()); got != "post-commit removed, post-rewrite removed, pre-push removed" {
		t.Error(got)
	}
	if after := tree(t, filepath.Join(p.dir, ".git")); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	if got := outcomes(p.uninstall()); got != "" {
		t.Error(got)
	}
}

// An older text of ours is brought up to date, one that calls the program from
// elsewhere too; neither is taken for a hook that was there before.
func TestOnlyATextThatWasShippedIsReplaced(t *testing.T) {
	p := newPlace(t)
	p.install(Options{})
	text, err := os.ReadFile(p.hook(PostCommit))
	must(t, err)
	p.program = filepath.Join(filepath.Dir(p.program), "moved", "chatrail-hook")
	if got := outcomes(p.install(Options{})); got != "post-commit renewed, post-rewrite renewed, pre-push renewed" {
		t.Error(got)
	}
	if _, err := os.Lstat(p.slot(PostCommit).kept()); err == nil {
		t.Error("our own hook was kept as somebody's")
	}
	for name, edit := range map[string]func([]byte) []byte{
		"a line at the end":   func(b []byte) []byte { return append(b, "echo mine\n"...) },
		"a line at the start": func(b []byte) []byte { return bytes.Replace(b, []byte("\n"), []byte("\necho mine\n"), 1) },
		"another program":     func(b []byte) []byte { return bytes.Replace(b, []byte("hook='"), []byte("hook='/x';echo '"), 1) },
		"a program with space": func(b []byte) []byte {
			return bytes.Replace(b, []byte("chatrail_hook='"), []byte("chatrail_hook= '"), 1)
		},
		"half of it": func(b []byte) []byte { return b[:len(b)/2] },
	} {
		edited := edit(bytes.Clone(text))
		p.file(p.hook(PostCommit), string(edited), 0o755)
		for step, r := range []*Report{p.install(Options{}), p.uninstall()} {
			if r.Hooks[0].Outcome != Edited || !r.LeftAlone() || !strings.Contains(r.Hooks[0].Words(), p.hook(PostCommit)) {
				t.Errorf("%s, step %d: %s", name, step, outcomes(r))
			}
		}
		if now, err := os.ReadFile(p.hook(PostCommit)); err != nil || !bytes.Equal(now, edited) {
			t.Errorf("%s: it was changed", name)
		}
	}
}

// What stands in the list of texts that were shipped must not change any more:
// an installed hook could not be told from an edited one.
func TestOlderTextsAreKnown(t *testing.T) {
	for _, v := range versions {
		for _, hook := range allHooks {
			text := bytes.Replace(template(v, hook), []byte(program), []byte(quote("/any where/it's")), 1)
			if len(text) == 0 || author(hook, text) != ours {
				t.Errorf("version %s of %s is not known", v, hook)
			}
			if !bytes.Contains(text, []byte(mark)) || bytes.Count(template(v, hook), []byte(program)) != 1 {
				t.Errorf("version %s of %s lacks its marks", v, hook)
			}
		}
	}
}

// A hook of somebody else in the place of ours is not replaced while there is
// another one to put back, nor is either lost.
func TestAHookThatTookOurPlaceIsLeftAlone(t *testing.T) {
	p := newPlace(t)
	p.file(p.hook(PostCommit), "#!/bin/sh\necho first\n", 0o755)
	p.install(Options{})
	p.file(p.hook(PostCommit), "#!/bin/sh\necho second\n", 0o755)
	before := p.hooksTree()
	for _, r := range []*Report{p.install(Options{}), p.install(Options{})} {
		if r.Hooks[0].Outcome != Replaced || !strings.Contains(r.Hooks[0].Words(), keptFolder) {
			t.Errorf("%+v", r.Hooks[0])
		}
	}
	if after := p.hooksTree(); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	if got := outcomes(p.uninstall()); got != "post-commit replaced, post-rewrite removed, pre-push removed" {
		t.Error(got)
	}
	// Ours away by hand: the one from before comes back.
	must(t, os.Remove(p.hook(PostCommit)))
	if got := outcomes(p.uninstall()); got != "post-commit restored" {
		t.Error(got)
	}
	if data, err := os.ReadFile(p.hook(PostCommit)); err != nil || !strings.Contains(string(data), "first") {
		t.Errorf("%q, %v", data, err)
	}
}

// Wherever an installation or a removal is killed, a hook is there or not, never
// in between, and the next one finishes the work.
func TestKilledHalfWayIsFinishedByTheNext(t *testing.T) {
	for name, kind := range map[string]func(p *place){
		"a file": func(p *place) { p.file(p.hook(PostCommit), "#!/bin/sh\nexit 0\n", 0o754) },
		"a link": func(p *place) { must(p.t, os.Symlink("elsewhere", p.hook(PostCommit))) },
	} {
		p := newPlace(t)
		must(t, os.MkdirAll(filepath.Dir(p.hook(PostCommit)), 0o777))
		kind(p)
		before := p.hooksTree()
		s := p.slot(PostCommit)
		share := func(string) error { return nil }

		// Kept, and not written yet.
		must(t, s.keep(share))
		if got := outcomes(p.uninstall()); got != "post-commit restored" {
			t.Errorf("%s: %s", name, got)
		}
		if after := p.hooksTree(); after != before {
			t.Errorf("%s:\n%s\nbecame\n%s", name, before, after)
		}
		must(t, s.keep(share))
		p.file(filepath.Join(s.dir, HalfDone+"x"), "half", 0o755)
		old := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(filepath.Join(s.dir, HalfDone+"x"), old, old))
		if got := outcomes(p.install(Options{})); got != "post-commit chained, post-rewrite installed, pre-push installed" {
			t.Errorf("%s: %s", name, got)
		}
		// Put back, and what was kept is still there.
		kept, err := os.Readlink(s.kept())
		isLink := err == nil
		p.uninstall()
		if isLink {
			must(t, os.MkdirAll(filepath.Dir(s.kept()), 0o777))
			must(t, os.Symlink(kept, s.kept()))
		}
		p.uninstall()
		if after := p.hooksTree(); after != before {
			t.Errorf("%s:\n%s\nbecame\n%s", name, before, after)
		}
	}
}

func TestWithoutTheProgramNothingHappens(t *testing.T) {
	p := newPlace(t)
	p.file(p.hook(PreCommit), "#!/bin/sh\nexit 0\n", 0o755)
	p.install(Options{Gate: true})
	must(t, os.Rename(p.program, p.program+".away"))
	for _, args := range [][]string{{"commit", "-q", "--allow-empty", "-m", "x"}, {"commit", "-q", "--allow-empty", "--amend", "-m", "y"}} {
		if out := p.git(args...); out != "" {
			t.Errorf("git said %q", out)
		}
	}
	// On the search path it is found again.
	bin := filepath.Join(filepath.Dir(p.program), "else where")
	must(t, os.MkdirAll(bin, 0o777))
	must(t, os.Rename(p.program+".away", filepath.Join(bin, "chatrail-hook")))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	p.git("commit", "-q", "--allow-empty", "-m", "z")
	if got := p.taken(filepath.Join(filepath.Dir(p.program), "called")); got != "git pre-commit\ngit post-commit\n" {
		t.Errorf("called with %q", got)
	}
}

// The gate blocks with 41 and with nothing else, and a hook that was there blocks
// as it did.
func TestOnlyTheGateBlocks(t *testing.T) {
	p := newPlace(t)
	p.install(Options{Gate: true})
	for code, blocks := range map[string]bool{"0": false, "1": false, "2": false, "41": true, "127": false} {
		p.file(filepath.Join(filepath.Dir(p.program), "exit"), code, 0o644)
		if out, err := p.tryGit("commit", "-q", "--allow-empty", "-m", "x"); (err != nil) != blocks || out != "" {
			t.Errorf("exit %s: %v, %s", code, err, out)
		}
	}
	p.taken(p.called)
	p.file(p.slot(PreCommit).kept(), "#!/bin/sh\nexit 2\n", 0o755)
	if _, err := p.tryGit("commit", "-q", "--allow-empty", "-m", "x"); err == nil {
		t.Error("theirs blocks no longer")
	}
	if got := p.taken(p.called); got != "" {
		t.Errorf("the gate was asked about a commit that is not made: %q", got)
	}
}

func FuzzAuthor(f *testing.F) {
	for _, hook := range allHooks {
		text, err := render(hook, "/a b/it's")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "/a b/it's")
		f.Add(string(text)+"#", "'")
		f.Add(string(template(versions[0], hook)), `\''`)
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if author(PostCommit, []byte(text)) == ours {
			before, after, _ := strings.Cut(string(template(versions[0], PostCommit)), program)
			if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) || strings.Count(text, "\n") != strings.Count(before+after, "\n") {
				t.Errorf("%q passes for ours", text)
			}
		}
		if made, err := render(PostCommit, path); err == nil && author(PostCommit, made) != ours {
			t.Errorf("ours with %q is not known again", path)
		}
	})
}
