package chronicle_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle/chronicle"
)

func full() chronicle.Checkpoint {
	return chronicle.Checkpoint{
		North: "Import 10 GB without swapping", Next: "Measure the parser",
		InFlight: []chronicle.Ref{{Title: "Stream the import", Path: "tasks/stream.md", By: "claude 3f9a1c0b7d2e"}},
		Owed:     []chronicle.Ref{{Title: "Resume an import", Path: "tasks/resume.md", By: "a person"}},
		Draft:    &chronicle.Ref{Title: "Notes", Path: "entries/2026/11/30-notes.md"},
		Changed: []chronicle.Path{
			{Path: "a.go", State: ".M", Declared: true, Content: "1"}, {Path: "odd `name`\n.go", State: "??"}, {Path: "old.txt", State: " D", Earlier: true},
		},
		Commits: []chronicle.Uncovered{{ID: first, Subject: "Read in chunks"}},
		Memory:  []chronicle.Obligation{{Name: "importer-limits.md", Description: "limits we found"}},
		Branch:  "main", Head: second, Operation: "rebase, step 2 of 5",
	}
}

func TestACheckpointReadsAsAList(t *testing.T) {
	const want = "## Checkpoint\n\n" +
		"- North: Import 10 GB without swapping\n" +
		"- Next: Measure the parser\n" +
		"- Branch: main at 2222222222\n" +
		"- In progress: rebase, step 2 of 5\n" +
		"- Draft: Notes `entries/2026/11/30-notes.md`\n" +
		"- In flight: 1\n" +
		"  - Stream the import `tasks/stream.md`, by claude 3f9a1c0b7d2e\n" +
		"- Owed: 1\n" +
		"  - Resume an import `tasks/resume.md`, by a person\n" +
		"- Changed paths: 3\n" +
		"  - `.M` `a.go` declared\n" +
		"  - `??` ``\"odd `name`\\n.go\"``\n" +
		"  - `.D` `old.txt` (since before this task)\n" +
		"- Commits that nothing covers yet: 1\n" +
		"  - `1111111111` Read in chunks\n" +
		"- Memory to settle: 1\n" +
		"  - `importer-limits.md` limits we found\n"
	if got := full().Block(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := full().Text("prose\r\n$x `"); got != want+"\nprose\r\n$x `" {
		t.Errorf("got\n%s", got)
	}
}

func TestEmptyPartsOfACheckpointAreLeftOut(t *testing.T) {
	if got, want := (chronicle.Checkpoint{}).Block(), "## Checkpoint\n\n- Draft: none\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestACheckpointSaysWhereItStands(t *testing.T) {
	for want, c := range map[string]chronicle.Checkpoint{
		"- Branch: main, HEAD none yet\n":       {Branch: "main"},
		"- Branch: detached at 1111111111\n":    {Head: first},
		"- Changed paths: 0 (partial: ":         {Partial: true, Approximate: true},
		"- Changed paths: 1 (approximate: foun": {Approximate: true, Changed: []chronicle.Path{{Path: "a", State: "??"}}},
	} {
		if got := c.Block(); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestACheckpointIsBounded(t *testing.T) {
	var c chronicle.Checkpoint
	long := strings.Repeat("é\n", 3000)
	for range 100_000 {
		c.Changed = append(c.Changed, chronicle.Path{Path: long, State: "??"})
		c.InFlight = append(c.InFlight, chronicle.Ref{Title: long, Path: "tasks/a.md"})
	}
	got := c.Block()
	if len(got) > 1<<19 || !strings.Contains(got, "- Changed paths: 100000\n") || !strings.Contains(got, "  - and 99800 more\n") {
		t.Errorf("%d bytes, ends %q", len(got), got[len(got)-60:])
	}
}

// Whatever a path, a title or a subject holds, it stays on its line.
func TestNoTextOfACheckpointLeavesItsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(anyText(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		c := chronicle.Checkpoint{
			North: text.Draw(t, "north"), Branch: text.Draw(t, "branch"), Head: text.Draw(t, "head"), Draft: &chronicle.Ref{Title: text.Draw(t, "draft"), Path: text.Draw(t, "draft path")},
			InFlight: []chronicle.Ref{{Title: text.Draw(t, "title"), Path: text.Draw(t, "task"), By: text.Draw(t, "by")}},
			Changed:  []chronicle.Path{{Path: text.Draw(t, "path"), State: text.Draw(t, "state")}},
			Commits:  []chronicle.Uncovered{{ID: text.Draw(t, "id"), Subject: text.Draw(t, "subject")}},
			Memory:   []chronicle.Obligation{{Name: text.Draw(t, "name"), Description: text.Draw(t, "description")}},
		}
		block := c.Block()
		if err := chronicle.CheckText(block); err != nil {
			t.Fatalf("%v in %q", err, block)
		}
		for line := range strings.Lines(block) {
			if !slices.ContainsFunc([]string{"## Checkpoint\n", "\n", "- North: ", "- Branch: ", "- Draft: ", "- In flight: ", "- Changed paths: ", "- Commits that", "- Memory to settle: ", "  - "},
				func(start string) bool { return strings.HasPrefix(line, start) }) || strings.ContainsAny(line, "\r\x1b\u2028\u202e") {
				t.Fatalf("the line %q of %q", line, block)
			}
		}
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
		c.Fingerprint()
	})
}

func TestDifferentPathsNeverLookTheSame(t *testing.T) {
	seen := map[string]string{}
	for _, path := range []string{"a", " a", "a ", `"a"`, "a\n", `a\n`, "a\\", "`", "``", "a`b", "\xff", "\ufffd", "", "a\u202e", "é", "e\u0301"} {
		block := chronicle.Checkpoint{Changed: []chronicle.Path{{Path: path, State: "??"}}}.Block()
		if other, ok := seen[block]; ok {
			t.Errorf("%q and %q look the same:\n%s", path, other, block)
		}
		seen[block] = path
	}
}

func TestTheFingerprintFollowsTheStateAndNothingElse(t *testing.T) {
	base := full().Fingerprint()
	same := full()
	same.Draft, same.Approximate = nil, true
	slices.Reverse(same.Changed)
	if got := same.Fingerprint(); got != base || len(base) != 32 {
		t.Errorf("got %s, want %s", got, base)
	}
	partial, further := full(), full()
	partial.Unlisted, further.Unlisted = true, true
	partial.Changed = partial.Changed[:1]
	if partial.Fingerprint() != further.Fingerprint() {
		t.Error("how far a look came makes another state")
	}
	seen := map[string]int{base: -1}
	for i, change := range []func(c *chronicle.Checkpoint){
		func(c *chronicle.Checkpoint) { c.North = "x" },
		func(c *chronicle.Checkpoint) { c.North, c.Next = c.North+c.Next, "" },
		func(c *chronicle.Checkpoint) { c.InFlight = nil },
		func(c *chronicle.Checkpoint) { c.Owed, c.InFlight = c.InFlight, c.Owed },
		func(c *chronicle.Checkpoint) { c.Changed[0].Content = "2" },
		func(c *chronicle.Checkpoint) { c.Changed[0].Declared = false },
		func(c *chronicle.Checkpoint) { c.Changed[0].State = "M." },
		func(c *chronicle.Checkpoint) { c.Changed[2].Earlier = false },
		func(c *chronicle.Checkpoint) { c.Changed = c.Changed[1:] },
		func(c *chronicle.Checkpoint) { c.Changed[1].Path = "\xff" },
		func(c *chronicle.Checkpoint) { c.Changed[1].Path = "\xfe" },
		func(c *chronicle.Checkpoint) { c.Commits = append(c.Commits, chronicle.Uncovered{ID: third}) },
		func(c *chronicle.Checkpoint) { c.Memory = nil },
		func(c *chronicle.Checkpoint) { c.Branch = "topic" },
		func(c *chronicle.Checkpoint) { c.Head = third },
		func(c *chronicle.Checkpoint) { c.Operation = "" },
	} {
		c := full()
		change(&c)
		if other, ok := seen[c.Fingerprint()]; ok {
			t.Errorf("changes %d and %d have the same fingerprint", i, other)
		}
		seen[c.Fingerprint()] = i
	}
}

func TestEachOpenLoopAloneIsOne(t *testing.T) {
	f := full()
	for name, c := range map[string]chronicle.Checkpoint{
		"in flight": {InFlight: f.InFlight}, "a changed path": {Changed: f.Changed[:1]}, "a commit": {Commits: f.Commits}, "memory": {Memory: f.Memory},
	} {
		if !c.OpenLoop() {
			t.Errorf("%s is no open loop", name)
		}
	}
	closed := chronicle.Checkpoint{North: f.North, Next: f.Next, Owed: f.Owed, Draft: f.Draft, Changed: f.Changed[2:], Branch: "main", Head: first, Operation: "bisect", Partial: true}
	if closed.OpenLoop() {
		t.Error("nothing would be lost and the loop is open")
	}
}

func TestACheckpointInJSONHasEveryKey(t *testing.T) {
	for _, c := range []struct {
		checkpoint chronicle.Checkpoint
		want       string
	}{
		{chronicle.Checkpoint{}, `{"north":"","next":"","in_flight":[],"owed":[],"draft":null,"changed":[],"commits":[],"memory":[],"branch":"","head":"","operation":""}`},
		{
			chronicle.Checkpoint{Changed: []chronicle.Path{{Path: "a", State: ".M", Content: "1"}}, Approximate: true, Partial: true},
			`{"north":"","next":"","in_flight":[],"owed":[],"draft":null,"changed":[{"path":"a","state":".M","declared":false}],"commits":[],"memory":[],"branch":"","head":"","operation":"","approximate":true,"partial":true}`,
		},
	} {
		if got, err := json.Marshal(c.checkpoint); err != nil || string(got) != c.want {
			t.Errorf("got  %s %v\nwant %s", got, err, c.want)
		}
	}
}
