package gitstore

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
)

// untouched fails the test when anything in a repository changed that is not
// ours. Call it before, and what it returns after.
func untouched(t *testing.T, dir string) (check func()) {
	t.Helper()
	before := snapshot(t, dir)
	return func() {
		t.Helper()
		after := snapshot(t, dir)
		for path := range before {
			if after[path] != before[path] {
				t.Errorf("%s changed", path)
			}
		}
		for path := range after {
			if _, ok := before[path]; !ok {
				t.Errorf("%s is new", path)
			}
		}
	}
}

func snapshot(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	files := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		for _, ours := range []string{".git/objects", ".git/chatrail", ".git/refs/chatrail", ".git/logs/refs/chatrail"} {
			if rel == filepath.FromSlash(ours) {
				return fs.SkipDir
			}
		}
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		files[rel] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGitReadsTheHistoryAndNothingElseChanges(t *testing.T) {
	dir := newRepo(t)
	if err := os.WriteFile(filepath.Join(dir, "staged"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", "staged")
	check := untouched(t, dir)

	s := asking(t, dir)
	create(t, s, genesisDraft())
	when := time.Date(2026, 11, 30, 12, 30, 15, 123456000, time.UTC)
	apply(t, s, func(present *bundle.Revision) (bundle.Draft, error) {
		state := present.State
		state.Compass.Heading.X, state.Compass.Heading.Y = 30, 70
		state.Rail.North = "Readers get answers below a second"
		return bundle.Draft{State: state, Meta: bundle.EventMeta{
			EventID: "7d2a3c1e-0000-4000-8000-00000000000a", ReviewID: "3f9a1c0b7d2e.k7q2m9x4", Time: when,
			Reason: "Measured: memory is the limit", Task: "3f9a1c0b7d2e55667788", Agent: "claude",
			Branch: "feature/reader", Head: "0123456789abcdef0123456789abcdef01234567",
		}}, nil
	})
	note := bundle.Note{Path: "entries/2026/11/30-memory.md", Data: []byte("# Memory\n")}
	apply(t, s, drift("wrote it down", note))
	apply(t, s, question("which allocator?"))
	check()

	if got, want := git(t, dir, "log", "--format=%s", testRef),
		"which allocator?\nwrote it down\nMeasured: memory is the limit\nCreate ChatRail"; got != want {
		t.Errorf("subjects:\n%s\nwant:\n%s", got, want)
	}
	body := git(t, dir, "log", "-1", "--format=%b", testRef+"~2")
	for _, want := range []string{
		"heading: ", "70% north, 30% east", "Readers get answers below a second",
		"\n\nChatRail-Event: 7d2a3c1e-0000-4000-8000-00000000000a\nChatRail-Review: 3f9a1c0b7d2e.k7q2m9x4\n" +
			"ChatRail-Task: 3f9a1c0b7d2e\nChatRail-Agent: claude\nChatRail-Branch: feature/reader\n" +
			"ChatRail-Head: 0123456789abcdef0123456789abcdef01234567",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the body lacks %q:\n%s", want, body)
		}
	}
	if got, want := git(t, dir, "log", "-1", "--format=%an <%ae> %aI %cn <%ce> %cI", testRef+"~2"),
		"A U Thor <author@example.com> 2026-11-30T12:30:15+00:00 A U Thor <author@example.com> 2026-11-30T12:30:15+00:00"; got != want {
		t.Errorf("author and committer: %s, want %s", got, want)
	}
	if got, want := git(t, dir, "ls-tree", "-r", "--format=%(objectmode) %(path)", testRef), strings.Join([]string{
		"100644 conversation.rail.yaml", "100644 entries/2026/11/30-memory.md",
		"100644 orientation.events.jsonl", "100644 working.compass.yaml"}, "\n"); got != want {
		t.Errorf("tree:\n%s\nwant:\n%s", got, want)
	}
	wantValid(t, s, dir, 4)
	wantEachEventOnce(t, s, dir)
}

// loggedEvents reads the events as the documentation says to, oldest first.
func loggedEvents(t *testing.T, dir string) []string {
	t.Helper()
	var events []string
	out := git(t, dir, "log", "-p", "--cc", "--topo-order", "--reverse", testRef, "--", bundle.EventsFile)
	for line := range strings.SplitSeq(out, "\n") {
		// Of a merge the line is new beside both parents: two signs.
		if event := strings.TrimLeft(line, "+"); event != line && strings.HasPrefix(event, "{") {
			events = append(events, event)
		}
	}
	return events
}

func wantEachEventOnce(t *testing.T, s *Store, dir string) {
	t.Helper()
	var want []string
	for _, r := range walked(t, s, "") {
		want = append(want, string(r.Event.Line))
	}
	slices.Reverse(want)
	if logged := loggedEvents(t, dir); !slices.Equal(logged, want) {
		t.Errorf("git log shows %d events, the store %d, or other ones", len(logged), len(want))
	}
}

func TestUnchangedFilesAreReusedByID(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	note := bundle.Note{Path: "tasks/a.md", Data: []byte("a\n")}
	apply(t, s, drift("one", note))
	before := tree(t, dir, testRef)
	apply(t, s, question("two"))
	after := tree(t, dir, testRef)
	for _, name := range []string{bundle.CompassFile, "tasks"} {
		if before[name] == "" || before[name] != after[name] {
			t.Errorf("%s was %q and is %q", name, before[name], after[name])
		}
	}
	if before[bundle.RailFile] == after[bundle.RailFile] {
		t.Error("the Rail did not change")
	}
}

// tree lists the top level of a commit: ids by name.
func tree(t *testing.T, dir, commit string) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for line := range strings.SplitSeq(git(t, dir, "ls-tree", commit), "\n") {
		head, name, _ := strings.Cut(line, "\t")
		ids[name] = strings.Fields(head)[2]
	}
	return ids
}

func TestAuthorIsFixedWhereGitNamesNobody(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "config", "--unset", "user.email")
	create(t, asking(t, dir), genesisDraft())
	if got := git(t, dir, "log", "--format=%an <%ae>", testRef); got != "ChatRail <chatrail@localhost>" {
		t.Errorf("author %s", got)
	}
}

func TestUnsignedWhateverTheConfigurationSays(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "config", "commit.gpgSign", "true")
	git(t, dir, "config", "gpg.program", "false")
	started(t, dir)
	if raw := git(t, dir, "cat-file", "commit", testRef); strings.Contains(raw, "gpgsig") {
		t.Errorf("signed:\n%s", raw)
	}
}
