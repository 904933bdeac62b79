package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAnEntryIsReadAsGitReadsIt(t *testing.T) {
	zero := strings.Repeat("0", 40)
	for line, want := range map[string]entry{
		zero + " " + someID + " A B <a@b> 1700000000 +0130\tcommit: x: y":     {zero, someID, time.Unix(1700000000, 0), "commit: x: y"},
		zero + " " + someID + "  <> 0 -1200":                                  {zero, someID, time.Unix(0, 0), ""},
		someID + " " + someID + " A > B <a> 1700000000 +0000\t":               {someID, someID, time.Unix(1700000000, 0), ""},
		someID + " " + someID + " A <a> 1700000000 +0000\tone\ttwo > 3 +0000": {someID, someID, time.Unix(1700000000, 0), "one\ttwo > 3 +0000"},
	} {
		got, ok := parseEntry(line, 40)
		if strings.Contains(line, "A > B") {
			// git ends the identity at the first angle bracket, and so finds no date.
			if ok {
				t.Errorf("%q gives %+v", line, got)
			}
			continue
		}
		if !ok || !got.when.Equal(want.when) || got.id != want.id || got.old != want.old || got.message != want.message {
			t.Errorf("%q gives %+v, %t", line, got, ok)
		}
	}
	good := zero + " " + someID + " A <a> 1700000000 +0000\tx"
	for _, line := range []string{"", good[1:], strings.ToUpper(good[:82]) + good[82:], strings.Replace(good, "1700000000", "", 1),
		strings.Replace(good, "1700000000", "-1", 1), strings.Replace(good, "1700000000", "99999999999999999999", 1),
		strings.Replace(good, "+0000", "0000", 1), strings.Replace(good, "+0000", "+00", 1), strings.Replace(good, "> ", ">", 1)} {
		if e, ok := parseEntry(line, 40); ok {
			t.Errorf("%q gives %+v", line, e)
		}
	}
}

func FuzzEntry(f *testing.F) {
	zero := strings.Repeat("0", 40)
	f.Add(zero + " " + someID + " A B <a@b> 1700000000 +0130\tcommit: x: y")
	f.Add(zero + " " + someID + "  <> 0 -1200")
	f.Add(longID + " " + longID + " A <a> 1700000000 +0000\tx")
	f.Fuzz(func(t *testing.T, line string) {
		for _, length := range []int{40, 64} {
			e, ok := parseEntry(line, length)
			if !ok {
				continue
			}
			if len(e.id) != length || len(e.old) != length || !strings.HasSuffix(line, e.message) {
				t.Fatalf("%q gives %+v", line, e)
			}
			again := fmt.Sprintf("%s %s N <e> %d %s\t%s", e.old, e.id, e.when.Unix(), e.when.Format("-0700"), e.message)
			if got, ok := parseEntry(again, length); !ok || !got.when.Equal(e.when) || got.message != e.message {
				t.Fatalf("%q gives %+v, then %+v", line, e, got)
			}
		}
		if d, ok := judge(entry{message: line}); ok && d.how == "" {
			t.Fatalf("%q is made in no way", line)
		}
	})
}

func TestLinesAreReadFromTheEndWhateverTheirLength(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 80), rapid.IntRange(logBlock-3, logBlock+3), rapid.IntRange(1, 3*logBlock)), 0, 12).Draw(t, "sizes")
		var want []string
		for i, size := range sizes {
			want = append(want, strings.Repeat(string(rune('a'+i)), size))
		}
		text := strings.Join(want, "\n")
		if len(want) > 0 && rapid.Bool().Draw(t, "whole") {
			text += "\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var got []string
		whole, err := eachLine(path, func(line string) bool {
			got = append(got, line)
			return true
		})
		slices.Reverse(got)
		if err != nil || !whole || !slices.Equal(got, want) {
			t.Fatalf("%d lines for %d, %t, %v", len(got), len(want), whole, err)
		}
	})
}

func TestALogIsNotReadBeyondItsBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	line := strings.Repeat("x", 1023) + "\n"
	must(t, os.WriteFile(path, []byte(strings.Repeat(line, 3*maxLog/len(line))), 0o666))
	count := 0
	whole, err := eachLine(path, func(string) bool { count++; return true })
	if err != nil || whole || count > maxLog/len(line)+1 || count < maxLog/len(line)-64 {
		t.Errorf("%d lines, %t, %v", count, whole, err)
	}
	must(t, os.WriteFile(path, []byte(strings.Repeat("x", 3*maxLog)), 0o666))
	if whole, err := eachLine(path, func(string) bool { t.Error("a line without end"); return true }); err != nil || whole {
		t.Errorf("%t, %v", whole, err)
	}
	if whole, err := eachLine(path+"none", nil); err != nil || !whole {
		t.Errorf("no file: %t, %v", whole, err)
	}
}

func TestTheLogIsTheOneThatGitShows(t *testing.T) {
	t.Parallel()
	dir := quarrel(t)
	repo := found(t, dir)
	var own, shown []entry
	whole, err := eachEntry(t.Context(), repo, func(e entry) bool { e.old = ""; own = append(own, e); return true })
	if err != nil || !whole {
		t.Fatal(whole, err)
	}
	whole, err = entriesByGit(t.Context(), repo, func(e entry) bool { shown = append(shown, e); return true })
	if err != nil || !whole || len(own) < 9 {
		t.Fatal(whole, err, own)
	}
	if !slices.EqualFunc(own, shown, func(a, b entry) bool { return a.name() == b.name() && a.when.Equal(b.when) }) {
		t.Errorf("read %+v\nshown %+v", own, shown)
	}
}

func TestTheMessageSaysWhetherACommitWasMadeHere(t *testing.T) {
	for message, want := range map[string]string{
		"commit: x": Committed, "commit:": Committed, "commit (initial): x": Committed, "commit (amend): x": Amended, "commit (merge): x": Merge,
		"commit: Fast-forward the clock": Committed, "commit: fast-forward": Committed,
		"commit (cherry-pick): x": CherryPick, "cherry-pick: x": CherryPick, "revert: Revert \"x\"": Revert, "am: x": Am,
		"merge other: Merge made by the 'ort' strategy.": Merge, "pull -q --no-edit: Merge made by the 'ort' strategy.": "", "merge x: In-index merge": Merge,
		"rebase (fixup): x": Rebase, "rebase -i (squash): x": Rebase, "rebase (reword): x": Rebase,
		"rebase (pick): x": "again", "rebase (continue): x": "again", "pull -q (pick): x": "again", "pull --rebase origin main (pick): x": "again",
		"commit (rebase): x": "again", "rebase: subject": "again", "rebase (merge): x": "again",
		"rebase: fast-forward": "", "rebase: checkout main": "", "rebase (start): checkout main": "", "rebase (finish): returning to refs/heads/x": "",
		"rebase finished: returning to refs/heads/x": "", "rebase (abort): x": "",
		"cherry-pick: fast-forward": "", "merge other: Fast-forward": "", "pull: Fast-forward": "", "pull origin main: Fast-forward": "", "pull (start): checkout x": "",
		"checkout: moving from a to b": "", "reset: moving to HEAD~1": "", "clone: from x": "", "": "", "initial pull": "", "Branch: renamed a to b": "", "commitment: x": "",
	} {
		d, ok := judge(entry{message: message})
		got := d.how
		if d.again {
			got = "again"
		}
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %t, want %q", message, got, ok, want)
		}
	}
}
