//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/secret"
	"chatrail/hooks/secret/secrettest"
)

// page holds every secret, one a line.
func page() string {
	var b strings.Builder
	for _, k := range secrettest.Kinds() {
		fmt.Fprintf(&b, "It wanted %s then.\n", k.Text())
	}
	return b.String()
}

// ways are all the ways in which a text can enter the chronicle.
func (l *leaky) ways() map[string]func() (string, bool) {
	text := page()
	say := func(stdin string, args ...string) func() (string, bool) {
		return func() (string, bool) {
			return l.say([]byte(stdin), "chatrail", append(args, "--session-id", "s1")...)
		}
	}
	file := func(args ...string) func() (string, bool) {
		return func() (string, bool) {
			return l.say(nil, "chatrail", append(args, "--session-id", "s1", "--file", l.file([]byte(text)))...)
		}
	}
	ways := map[string]func() (string, bool){
		"new, words":         say("", "new", "Words", text),
		"new, body":          say("", "new", "Body", "--body", text),
		"new, file":          file("new", "File"),
		"new, pipe":          say(text, "new", "Pipe"),
		"new, summary":       say("", "new", "Summary", "--summary", text[:1500]),
		"append, words":      say("", "append", text),
		"append, file":       file("append"),
		"append, pipe":       say(text, "append", "--file", "-"),
		"checkpoint, words":  say("", "checkpoint", text),
		"checkpoint, file":   file("checkpoint"),
		"checkpoint, pipe":   say(text, "checkpoint"),
		"work item, words":   say("", "task", "new", "Work", text),
		"work item, effort":  say("", "task", "new", "Effort", "--effort", text[:1500]),
		"work item, spec":    say("", "task", "spec", "third", text[:1500]),
		"work item, done by": say("", "task", "done", "given", "--by", text[:1500]),
		"work item, cut":     say("", "task", "cut", "other", text[:1500]),
	}
	lists := []string{"new", "Lists"}
	titles := map[int]string{} // several in one: a title is short
	for i, k := range secrettest.Kinds() {
		lists = append(lists, "--tag="+k.Text(), "--closes="+k.Text(), "--advances="+k.Text())
		titles[i/5] += k.Text() + " and "
	}
	ways["lists"] = say("", lists...)
	for i, title := range titles {
		ways[fmt.Sprint("title ", i)] = say("", "new", fmt.Sprint(i, " ", title))
	}
	return ways
}

func TestSecretsInTheChronicleAreStoredNowhere(t *testing.T) {
	t.Parallel()
	l := newLeaky(t, newWorld(t, true))
	l.review("s1")
	for _, title := range []string{"Given", "Other", "Third"} {
		l.run("chatrail", "task", "new", title)
	}
	l.run("chatrail", "new", "First", "--session-id", "s1")
	for way, give := range l.ways() {
		if out, ok := give(); !ok || !strings.Contains(out, "replaced before anything was stored: ") {
			t.Errorf("%s: %s", way, out)
		}
	}
	for _, args := range [][]string{{"list"}, {"task", "list"}, {"list", "--json"}, {"log"}, {"events"}, {"validate"}} {
		l.say(nil, "chatrail", args...)
	}
	out, _ := l.say(nil, "chatrail", "read", "words")
	for _, k := range secrettest.Kinds() {
		if !strings.Contains(out, secret.Mark(k.Rule)) {
			t.Errorf("no mark of the %s in %s", k.Name, out)
		}
	}
	l.none()
}

func TestSecretsInTheWorkTreeAreNotTakenAlong(t *testing.T) {
	t.Parallel()
	l := newLeaky(t, newWorld(t, true))
	l.run("git", "config", "user.name", "a")
	l.run("git", "config", "user.email", "a@b")
	kinds := []secrettest.Kind{}
	for _, k := range secrettest.Kinds() {
		if !strings.ContainsAny(k.Secret, "/\n") && len(k.Secret) < 200 && !strings.Contains(k.Before, "://") { // a name of a file has no slash
			kinds = append(kinds, k)
		}
	}
	// Half of them before the task began, half after; then in subjects.
	touch := func(kinds []secrettest.Kind) {
		for i, k := range kinds {
			name := fmt.Sprintf("%d %s.txt", i, strings.ReplaceAll(k.Text(), "/", "-"))
			if err := os.WriteFile(filepath.Join(l.project, name), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	touch(kinds[:len(kinds)/2])
	id := l.review("s1")
	l.say(nil, "chatrail", "reconcile", id, "--reason", "agreed", "--north", "Ship it")
	touch(kinds[len(kinds)/2:])
	compact := func() {
		said := l.event("claude", claudeDir+"PreCompact-manual.json", map[string]any{"session_id": "s1"}).text()
		if said == "" {
			t.Error("the hook says nothing before the compaction")
		}
		l.out.WriteString(said)
		start := l.event("claude", claudeDir+"SessionStart-compact.json", map[string]any{"session_id": "s1"})
		l.out.WriteString(start.text())
	}
	compact()
	for _, args := range [][]string{{"checkpoint"}, {"checkpoint", "--dry-run"}, {"checkpoint", "--dry-run", "--json"}, {"checkpoint", "--json"}, {"read"}} {
		if out, ok := l.say(nil, "chatrail", append(args, "--session-id", "s1")...); !ok {
			t.Errorf("%q: %s", args, out)
		}
	}
	l.run("git", "add", ".")
	out, _ := l.say(nil, "chatrail", "check", "--session-id", "s1")
	if !strings.Contains(out, "reconcile") {
		t.Errorf("the gate said %s", out)
	}
	l.run("git", "rm", "-q", "-f", "-r", ".")
	l.none()
	for _, k := range kinds {
		l.run("git", "commit", "-q", "--allow-empty", "-m", "Use "+k.Text())
	}
	compact()
	l.say(nil, "chatrail", "checkpoint", "--session-id", "s1", "done")
	// The subjects are git's own: its objects and logs of them are not looked at.
	search := secrettest.Search{Kinds: secrettest.Kinds(), Found: func(kind, where string) { t.Errorf("the %s is in %s", kind, where) }}
	search.Bytes("the output", l.out.Bytes())
	for _, dir := range []string{l.state, filepath.Join(l.root, "tmp")} {
		if _, err := search.Folder(dir); err != nil {
			t.Error(err)
		}
	}
	log := l.run("git", "log", "-p", "refs/chatrail/project")
	search.Bytes("the bundle", []byte(log))
	if !strings.Contains(log, "[redacted:") {
		t.Error("there was nothing to look at")
	}
}

func TestSecretsOfTheChronicleWaitNowhere(t *testing.T) {
	t.Parallel()
	t.Run("drop box", func(t *testing.T) {
		t.Parallel()
		l := newLeaky(t, ordinary(t))
		l.review("s1")
		open := l.seal(l.state, filepath.Join(l.project, ".git"))
		for _, args := range [][]string{{"new", "Words", page()}, {"append", page()}, {"checkpoint", page()}, {"task", "new", "Work", page()}} {
			if out, ok := l.say(nil, "chatrail", append(args, "--session-id", "s1")...); !ok || !strings.Contains(out, "Not recorded yet") || !strings.Contains(out, "replaced") {
				t.Errorf("%s said %s", args[0], out)
			}
		}
		open()
		l.none()
		l.stop("s1")
		l.none()
	})
	t.Run("spool", func(t *testing.T) {
		t.Parallel()
		l := newLeaky(t, newWorld(t, true))
		l.review("s1")
		for _, broken := range []string{page() + "\xff", page() + "\x00"} {
			out, ok := l.say([]byte(broken), "chatrail", "new", "Broken", "--session-id", "s1")
			if ok || !strings.Contains(out, "kept in") || !strings.Contains(out, "replaced") {
				t.Errorf("said %s", out)
			}
		}
		l.run("git", "update-ref", "-d", "refs/chatrail/project")
		for _, args := range [][]string{{"new", "Words", page()}, {"append", page(), "--entry", "x"}, {"checkpoint", page()}} {
			if out, ok := l.say(nil, "chatrail", append(args, "--session-id", "s1")...); ok || !strings.Contains(out, "kept in") || !strings.Contains(out, "replaced") {
				t.Errorf("%s said %s", args[0], out)
			}
		}
		if left := files(t, filepath.Join(l.state, "spool")); len(left) != 5 {
			t.Errorf("the spool holds %q", left)
		}
		l.none()
	})
}
