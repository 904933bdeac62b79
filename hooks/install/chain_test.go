package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// report is a shell line by which a hook says how it was called.
const report = `{ echo "${0##*/} $# <${1-}> ${GIT_INDEX_FILE-}"; cat; } >>"$SEEN"` + "\n"

// existing are hooks that people have, each in what it may depend on. A hook is
// written by make into the slot of its name.
var existing = map[string]struct {
	needs string
	make  func(p *place, hook string)
}{
	"a shell script": {"", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/bin/sh\n"+report+`echo "$0" >>"$SEEN"`+"\n", 0o755)
	}},
	"one that stops at a fault": {"", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/bin/sh\nset -e\n"+report+"false\necho on >>\"$SEEN\"\n", 0o755)
	}},
	"one with a code and a trap": {"", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/usr/bin/env sh\ntrap 'echo bye >>\"$SEEN\"' EXIT\nset -- a b c\n"+report+"exit 3\n", 0o750)
	}},
	"one that ends in another": {"", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/bin/sh\nexec sh -c 'echo \"$0 $*\" >>\"$SEEN\"; cat >>\"$SEEN\"; exit 4' \"$0\" \"$@\"\n", 0o755)
	}},
	"one that needs its neighbours": {"", func(p *place, hook string) {
		p.file(p.hook("common"), "said='from the neighbour'\n", 0o644)
		p.file(p.hook(hook), "#!/bin/sh\n. \"$(dirname \"$0\")/common\"\n"+report+"echo \"$said\" >>\"$SEEN\"\n", 0o755)
	}},
	"a text without a first line": {"", func(p *place, hook string) {
		p.file(p.hook(hook), report, 0o755)
	}},
	"an empty file": {"", func(p *place, hook string) { p.file(p.hook(hook), "", 0o755) }},
	"a bash script": {"bash", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/usr/bin/env bash\nset -euo pipefail\nlist=(1 2)\nHERE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n"+report+
			"echo \"${#list[@]} $HERE $0\" >>\"$SEEN\"\n[[ $HERE == */chatrail-kept ]] && exit 9\nexit 5\n", 0o755)
	}},
	"a bash script that asks what it is": {"bash", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/bin/bash\nmain() {\n"+report+"}\nif [[ \"${BASH_SOURCE[0]}\" == \"$0\" ]]; then main \"$@\"; fi\n", 0o755)
	}},
	"a script of another language": {"perl", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/usr/bin/env perl\nopen(F, '>>', $ENV{SEEN});\n($n = $0) =~ s{.*/}{};\n"+
			"print F \"$n @ARGV \", <STDIN>;\nclose F;\nexit 6;\n", 0o755)
	}},
	"a program": {"cat", func(p *place, hook string) {
		cat, err := exec.LookPath("cat")
		must(p.t, err)
		data, err := os.ReadFile(cat)
		must(p.t, err)
		p.file(p.hook(hook), string(data), 0o755)
	}},
	"a link into the project": {"", func(p *place, hook string) {
		p.file(filepath.Join(p.dir, "scripts", "any hook"), "#!/bin/sh\n"+report, 0o755)
		must(p.t, os.MkdirAll(filepath.Dir(p.hook(hook)), 0o777))
		must(p.t, os.Symlink("../../scripts/any hook", p.hook(hook)))
	}},
	"a link to anywhere": {"", func(p *place, hook string) {
		to := filepath.Join(filepath.Dir(p.seen), "one for all")
		p.file(to, "#!/usr/bin/env -S sh -e\n"+report+"exit 7\n", 0o755)
		must(p.t, os.MkdirAll(filepath.Dir(p.hook(hook)), 0o777))
		must(p.t, os.Symlink(to, p.hook(hook)))
	}},
	"a link that leads nowhere": {"", func(p *place, hook string) {
		must(p.t, os.MkdirAll(filepath.Dir(p.hook(hook)), 0o777))
		must(p.t, os.Symlink("gone", p.hook(hook)))
	}},
	"a file that is not executable": {"", func(p *place, hook string) {
		p.file(p.hook(hook), "#!/bin/sh\n"+report+"exit 8\n", 0o644)
	}},
}

// work is an amend and a push, which call all four hooks; where one of them blocks
// the amend, once more without asking that one. It returns what git and the hooks
// said.
func (p *place) work() string {
	var b strings.Builder
	for _, args := range [][]string{
		{"commit", "-q", "--allow-empty", "--amend", "-m", "one"},
		{"commit", "-q", "--allow-empty", "--amend", "-m", "two", "--no-verify"},
	} {
		out, err := p.tryGit(args...)
		b.WriteString(out)
		if err == nil {
			break
		}
		b.WriteString(err.Error() + "\n")
	}
	_ = os.Remove(filepath.Join(p.remotePath(), "refs", "heads", "main")) // a push has something to do each time
	out, err := p.tryGit("push", "-q", "origin", "main")
	if b.WriteString(out); err != nil {
		b.WriteString(err.Error() + "\n")
	}
	return b.String() + p.taken(p.seen)
}

// hideIDs makes two runs comparable: their commits differ.
func hideIDs(text string) string { return ids.ReplaceAllString(text, "ID") }

var ids = regexp.MustCompile("[0-9a-f]{40}")

// Whatever hook was there, git and the hook see the same with ChatRail's in
// front of it as without, and after a removal every byte is as it was.
//
// The cases run one after the other: a hook that is being written while another
// goroutine starts a program cannot be started ("text file busy"), and a git that
// cannot start its pre-push hook waits for ever.
func TestAHookThatWasThereRunsAsBefore(t *testing.T) {
	for name, c := range existing {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
				t.Skip("needs ", c.needs)
			}
			p := newPlace(t)
			remote := p.remote()
			p.git("config", "chatrail.push", "true")
			for _, hook := range allHooks {
				c.make(p, hook)
			}
			before := tree(t, filepath.Join(p.dir, ".git", "hooks"))
			want := hideIDs(p.work())
			if got := outcomes(p.install(Options{Gate: true})); got != "post-commit chained, post-rewrite chained, pre-push chained, pre-commit chained" {
				t.Fatal(got)
			}
			got := strings.ReplaceAll(hideIDs(p.work()), keptFolder+"/", "") // in complaints of shells
			if got != want {
				t.Errorf("with ChatRail's hooks:\n%s\nwithout:\n%s", got, want)
			}
			called := p.taken(p.called)
			if !strings.Contains(called, "git post-commit\n") || !strings.Contains(called, "git post-rewrite amend\n") || !ids.MatchString(called) {
				t.Errorf("ours was called with %q", called)
			}
			pushed := strings.Contains(called, "git pre-push origin "+remote+"\nrefs/heads/main ")
			if goesThrough := !strings.Contains(want, "failed to push"); pushed != goesThrough {
				t.Errorf("the push goes through: %v; ours was called with %q", goesThrough, called)
			}
			if restored := outcomes(p.uninstall()); restored != "post-commit restored, post-rewrite restored, pre-push restored, pre-commit restored" {
				t.Error(restored)
			}
			if after := tree(t, filepath.Join(p.dir, ".git", "hooks")); after != before {
				t.Errorf("after the removal:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}
