//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the user that tests run programs as when they run as root, whom no
// file mode stops.
const nobody = 65534

// ordinary makes a world of a user whom file modes stop.
func ordinary(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, false)
	if os.Getuid() == 0 {
		w.as = func(cmd *exec.Cmd) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		err := filepath.WalkDir(w.root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, nobody, nobody)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.run("git", "init", "-q", "-b", "main", ".")
	w.run("chatrail", "init")
	return w
}

// seal takes every right to write below the folders, as a sandbox does, and
// returns the way back.
func (w *world) seal(dirs ...string) (open func()) {
	w.t.Helper()
	modes := map[string]fs.FileMode{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Type()&fs.ModeSymlink != 0 {
				return err
			}
			info, err := d.Info()
			if err == nil {
				modes[path] = info.Mode().Perm()
			}
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	set := func(mask fs.FileMode) {
		for path, mode := range modes {
			if err := os.Chmod(path, mode&^mask); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	set(0o222)
	return func() { set(0) }
}

func (w *world) revisions() string {
	w.t.Helper()
	return strings.TrimSpace(w.run("git", "rev-list", "--count", "refs/chatrail/project"))
}

const promptFile, stopFile = claudeDir + "UserPromptSubmit-plain.json", claudeDir + "Stop-plain.json"

func TestSandboxedAnswerWaitsInTheDropBoxAndIsRecordedOnce(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	command := w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p1"}).command()
	open := w.seal(w.state, filepath.Join(w.project, ".git"))
	out := w.run("sh", "-c", command+" --reason agreed --north 'Ship it'")
	if !strings.Contains(out, "Not recorded yet") {
		t.Errorf("said %q", out)
	}
	// A broken rule is told inside, where somebody can mend it.
	bad, err := w.command(w.project, "sh", "-c", command+" --reason x --answer nobody").CombinedOutput()
	if err == nil {
		t.Errorf("a broken rule was taken: %s", bad)
	}
	open()
	if n := w.revisions(); n != "1" {
		t.Fatalf("%s revisions before a hook ran", n)
	}
	if s := w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p1"}); s.text() != "" {
		t.Errorf("the stop said %q", s.text())
	}
	if n := w.revisions(); n != "2" {
		t.Errorf("%s revisions after the stop, not 2", n)
	}
	if log := w.run("git", "log", "-1", "--format=%s%n%b", "refs/chatrail/project"); !strings.Contains(log, "agreed") || !strings.Contains(log, "ChatRail-Agent: claude") {
		t.Errorf("recorded as %q", log)
	}
	if out := w.run("sh", "-c", command+" --reason agreed --north 'Ship it'"); !strings.Contains(out, "answered before") {
		t.Errorf("a repeat: %q", out)
	}
	if left := files(t, filepath.Join(w.root, "tmp")); len(left) > 0 {
		t.Errorf("the drop box still holds %q", left)
	}

	// No change is an answer too.
	command = w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p2"}).command()
	open = w.seal(w.state, filepath.Join(w.project, ".git"))
	w.run("sh", "-c", command)
	open()
	if s := w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p2"}); s.text() != "" {
		t.Errorf("the review was answered, and the stop said %q", s.text())
	}
	if n := w.revisions(); n != "2" {
		t.Errorf("no change made %s revisions of 2", n)
	}
}

func TestSandboxedStaleAnswerIsToldAndCanBeGivenAgain(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	mine := w.event("claude", promptFile, map[string]any{"session_id": "mine", "prompt_id": "p1"}).command()
	theirs := w.event("claude", promptFile, map[string]any{"session_id": "theirs", "prompt_id": "p1"}).command()
	w.run("sh", "-c", theirs+" --reason first --north 'Theirs'")
	open := w.seal(w.state, filepath.Join(w.project, ".git"))
	out, err := w.command(w.project, "sh", "-c", mine+" --reason second --north 'Mine'").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "stale") || !strings.Contains(string(out), "North: Theirs") {
		t.Errorf("%v: %s", err, out)
	}
	if out := w.run("sh", "-c", mine+" --reason second --north 'Mine'"); !strings.Contains(out, "Not recorded yet") {
		t.Errorf("after it was shown: %s", out)
	}
	open()
	w.event("claude", stopFile, map[string]any{"session_id": "mine", "prompt_id": "p1"})
	if out := w.run("chatrail", "reorient"); !strings.HasPrefix(out, "North: Mine\n") {
		t.Errorf("%s", out)
	}
	if left := files(t, filepath.Join(w.root, "tmp")); len(left) > 0 {
		t.Errorf("the drop box still holds %q", left)
	}
}

func TestDroppedAnswerThatCannotBeRecordedGoesToTheSpoolAndIsTold(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	mine := w.event("claude", promptFile, map[string]any{"session_id": "mine", "prompt_id": "p1"}).command()
	theirs := w.event("claude", promptFile, map[string]any{"session_id": "theirs", "prompt_id": "p1"}).command()
	open := w.seal(w.state, filepath.Join(w.project, ".git"))
	w.run("sh", "-c", mine+" --reason mine --north 'Mine'")
	open()
	w.run("sh", "-c", theirs+" --reason first --north 'Theirs'")
	s := w.event("claude", promptFile, map[string]any{"session_id": "mine", "prompt_id": "p2"})
	if !strings.Contains(s.text(), "could not record") || !strings.Contains(s.text(), filepath.Join(w.state, "spool")) {
		t.Errorf("said %q", s.text())
	}
	if spool := files(t, filepath.Join(w.state, "spool")); len(spool) != 1 {
		t.Errorf("spool: %q", spool)
	}
	if out := w.run("chatrail", "reorient"); !strings.HasPrefix(out, "North: Theirs\n") {
		t.Errorf("%s", out)
	}
}

func TestPlantedThingsInADropBoxAreRefusedAndReported(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	command := w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p1"}).command()
	open := w.seal(w.state, filepath.Join(w.project, ".git"))
	w.run("sh", "-c", command+" --reason agreed --north 'Ship it'")
	open()
	boxes, err := filepath.Glob(filepath.Join(w.root, "tmp", "chatrail-*"))
	if err != nil || len(boxes) != 1 {
		t.Fatalf("%q, %v", boxes, err)
	}
	items := files(t, boxes[0])
	if len(items) != 1 {
		t.Fatalf("%q", items)
	}
	secret := filepath.Join(w.home, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	prefix := strings.Join(strings.Split(filepath.Base(items[0]), ".")[:2], ".")
	planted := []string{
		filepath.Join(boxes[0], prefix+".00000000-0000-4000-8000-000000000001.json"),
		filepath.Join(boxes[0], prefix+".00000000-0000-4000-8000-000000000002.json"),
		filepath.Join(boxes[0], prefix+".00000000-0000-4000-8000-000000000003.json"),
	}
	if err := os.Symlink(secret, planted[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(planted[1], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(planted[2], []byte(`{"kind":"reconcile"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
	if n := w.revisions(); n != "2" {
		t.Errorf("%s revisions: ours was to be recorded, and nothing else", n)
	}
	if s.Reason != "" {
		t.Errorf("the stop was held up: %q", s.Reason)
	}
	said := w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p2"}).text()
	status := w.run("chatrail", "status", "--session-id", "s")
	for _, path := range planted {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s was removed", path)
		}
		if !strings.Contains(status, filepath.Base(path)) {
			t.Errorf("status does not report %s:\n%s\nsaid: %s", path, status, said)
		}
	}
	if strings.Contains(said+status, "secret\n") {
		t.Error("a link was followed")
	}

	// A box that others can write into, or that is somebody else's, takes
	// nothing, and the command says so.
	for name, spoil := range map[string]func(box string) error{
		"open to others": func(box string) error { return os.Chmod(box, 0o777) },
		"a link": func(box string) error {
			if err := os.Rename(box, box+".real"); err != nil {
				return err
			}
			return os.Symlink(box+".real", box)
		},
	} {
		w := ordinary(t)
		tmp := filepath.Join(w.root, "tmp")
		command := w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p1"}).command()
		open := w.seal(w.state, filepath.Join(w.project, ".git"))
		w.run("sh", "-c", command+" --reason first --north 'Ship it'")
		boxes, _ := filepath.Glob(filepath.Join(tmp, "chatrail-*"))
		if err := spoil(boxes[0]); err != nil {
			t.Fatal(err)
		}
		open()
		w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
		if n := w.revisions(); n != "1" {
			t.Errorf("%s: %s revisions came out of it", name, n)
		}
	}
}

func TestReadOnlyHomeAndRepositoryNeverStopAMessage(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
	open := w.seal(w.state, filepath.Join(w.project, ".git"))
	warned := 0
	for _, file := range []string{"SessionStart-startup.json", "UserPromptSubmit-plain.json", "Stop-plain.json", "Stop-plain.json",
		"PreCompact-auto.json", "SessionStart-compact.json", "SessionEnd-other.json", "UserPromptSubmit-plain.json"} {
		s := w.event("claude", claudeDir+file, map[string]any{"session_id": "s", "prompt_id": "p2"})
		if s.SystemMessage != "" {
			warned++
		}
	}
	open()
	if warned > 1 {
		t.Errorf("warned %d times", warned)
	}
	// A read-only repository alone: the answer waits, the turn goes on.
	command := w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p3"}).command()
	open = w.seal(filepath.Join(w.project, ".git"))
	out := w.run("sh", "-c", command+" --reason agreed --north 'Ship it'")
	s := w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p3"})
	open()
	if !strings.Contains(out, "Not recorded yet") {
		t.Errorf("said %q", out)
	}
	if s.Reason != "" {
		t.Errorf("the stop was held up: %q", s.Reason)
	}
	w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p4"})
	if n := w.revisions(); n != "2" {
		t.Errorf("%s revisions, not 2", n)
	}
}

func TestSandboxedChronicleWaitsInTheDropBoxAndIsRecordedOnce(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
	open := w.seal(w.state, filepath.Join(w.project, ".git"))
	inside := func(args ...string) string {
		return w.run("env", append([]string{"CLAUDE_CODE_SESSION_ID=s", "chatrail"}, args...)...)
	}
	for _, args := range [][]string{
		{"new", "The reader", "It streams."},
		{"append", "Memory is flat."}, // into the draft that waits as well
		{"task", "new", "Ship it"}, {"task", "start", "ship-it"},
		{"checkpoint", "Nothing failed."},
	} {
		if out := inside(args...); !strings.Contains(out, "Not recorded yet") {
			t.Errorf("%q said %q", args, out)
		}
	}
	bad, err := w.command(w.project, "env", "CLAUDE_CODE_SESSION_ID=s", "chatrail", "task", "start", "nobody").CombinedOutput()
	if err == nil {
		t.Errorf("a work item that is not there was taken: %s", bad)
	}
	outside, err := w.command(w.project, "env", "CLAUDE_CODE_SESSION_ID=", "chatrail", "new", "of nobody").CombinedOutput()
	if err == nil {
		t.Errorf("a change that no hook would come for was taken: %s", outside)
	}
	open()
	if n := w.revisions(); n != "1" {
		t.Fatalf("%s revisions before a hook ran", n)
	}
	w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
	w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
	if n := w.revisions(); n != "6" {
		t.Errorf("%s revisions after the stop, not 6", n)
	}
	note := inside("read")
	for _, want := range []string{"title: The reader", "It streams.", "Memory is flat.", "- In flight: 1", "Nothing failed."} {
		if strings.Count(note, want) != 1 {
			t.Errorf("%q is not once in:\n%s", want, note)
		}
	}
	if left := files(t, filepath.Join(w.root, "tmp")); len(left) > 0 {
		t.Errorf("the drop box still holds %q", left)
	}
}

// TestSandboxedDeclarationOpensTheGateAndIsRecordedLater is a sandbox that lets an
// agent write the project, its .git included, and nothing else.
func TestSandboxedDeclarationOpensTheGateAndIsRecordedLater(t *testing.T) {
	t.Parallel()
	w := ordinary(t)
	w.run("git", "config", "user.name", "Ada")
	w.run("git", "config", "user.email", "ada@example.org")
	inTask := w.with("CLAUDE_CODE_SESSION_ID=s")
	w.event("claude", promptFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
	stage := func(text string) {
		t.Helper()
		w.run("sh", "-c", "echo "+text+" >>a && git add a")
	}
	// gated runs the line that the gate prints, after which it is open.
	gated := func(want string) {
		t.Helper()
		out, err := inTask.command(w.project, "chatrail", "check").CombinedOutput()
		lines := strings.Split(string(out), "\n")
		if err == nil || len(lines) < 2 {
			t.Fatalf("the gate is open: %v, %s", err, out)
		}
		if said := inTask.run("sh", "-c", lines[1]); !strings.Contains(said, want) {
			t.Errorf("said %q, not %q", said, want)
		}
		if out := inTask.run("chatrail", "check"); out != "" {
			t.Errorf("after the line: %s", out)
		}
	}
	stage("1")
	open := w.seal(w.state)
	gated("1 changed path will be declared with it")
	w.run("git", "commit", "-q", "-m", "one")
	stage("2")
	gated("Not recorded yet")
	w.run("git", "commit", "-q", "-m", "two")
	stage("3")
	gated("will be declared with it")
	open()
	// The hook records it, and the gate goes by the ledger.
	w.event("claude", stopFile, map[string]any{"session_id": "s", "prompt_id": "p1"})
	if left := files(t, filepath.Join(w.root, "tmp")); len(left) > 0 {
		t.Errorf("the drop box still holds %q", left)
	}
	if out := inTask.run("chatrail", "check"); out != "" {
		t.Errorf("after it was recorded: %s", out)
	}
	stage("4")
	if out, err := inTask.command(w.project, "chatrail", "check").CombinedOutput(); err == nil {
		t.Errorf("what nobody declared goes through: %s", out)
	}

	// The review is answered by now: a second commit of the turn declares all the same.
	open = w.seal(w.state)
	gated("This review was answered before; 1 changed path will be declared by the next ChatRail hook of this task, from ")
	open()
	// In a task without a review a note opens it, which waits as well.
	open = w.seal(w.state, filepath.Join(w.project, ".git"))
	inTask = w.with("CLAUDE_CODE_SESSION_ID=other")
	gated("Not recorded yet")
	open()
}
