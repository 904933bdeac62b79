package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"chatrail/bundle"
)

// yard is a repository with a sound bundle, in which hostile tips are made.
type yard struct {
	*hand
	revs []string // of the local bundle, the root first
	root string
	tip  string // the last of revs
}

func newYard(t testing.TB) *yard {
	t.Helper()
	dir := copyTemplate(t, "yard", func() string {
		dir := makeRepo(t, nil)
		s := started(t, dir)
		apply(t, s, drift("one", bundle.Note{Path: "tasks/a.md", Data: []byte("a\n")}))
		apply(t, s, question("open?"))
		apply(t, s, drift("two", bundle.Note{Path: "entries/2026/11/30-x.md", Data: []byte("x\n")}))
		return dir
	})
	o := options()
	o.JournalDir = filepath.Join(t.TempDir(), "journal")
	y := &yard{hand: &hand{t: t, dir: dir, s: Open(repoAt(t, dir), o)}}
	for _, r := range walked(t, y.s, "") {
		y.revs = append([]string{r.ID}, y.revs...)
	}
	y.root, y.tip = y.revs[0], y.revs[len(y.revs)-1]
	return y
}

func (y *yard) inspect(tip string) (*Incoming, error) {
	return y.s.Inspect(y.t.Context(), Inspection{Tip: tip, Known: []string{y.tip}, Root: y.root})
}

// everything is all files below folders, with what tells that one was written.
// Of objects it is the folders: whoever writes one makes a name in them.
func everything(t testing.TB, dirs ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				t.Fatal(err)
			}
			found[path] = fmt.Sprint(info.Size(), info.Mode(), info.ModTime())
			if d.IsDir() && filepath.Base(filepath.Dir(path)) == "objects" {
				return fs.SkipDir
			}
			if !d.IsDir() {
				data, _ := os.ReadFile(path)
				found[path] += string(data)
			}
			return nil
		})
	}
	return found
}

// hostile are tips that have to be refused: what is wrong with each, and the
// words for it behind the id of the revision.
var hostile = []struct {
	name, words string
	tip         func(y *yard) string
}{}

func hostileTip(name, words string, tip func(y *yard) string) {
	hostile = append(hostile, struct {
		name, words string
		tip         func(y *yard) string
	}{name, words, tip})
}

func TestHostileTipIsNamedAndTouchesNothing(t *testing.T) {
	if len(hostile) < 40 {
		t.Fatalf("only %d hostile tips", len(hostile))
	}
	y := newYard(t)
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			y.t = t
			tip := c.tip(y)
			before := everything(t, y.dir, y.s.journal.dir)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			found, err := y.s.Inspect(ctx, Inspection{Tip: tip, Known: []string{y.tip}, Root: y.root})
			wantRefused(t, found, err, c.words)
			after := everything(t, y.dir, y.s.journal.dir)
			for path, is := range after {
				if before[path] != is {
					t.Errorf("%s was written", path)
				}
			}
			if len(after) != len(before) {
				t.Errorf("%d files, were %d", len(after), len(before))
			}
			if now, err := y.s.Tip(t.Context()); err != nil || now.ID != y.tip {
				t.Fatalf("the local tip: %v, %v", now, err)
			}
			// Verify is the same check.
			if report := verifiedAt(t, y.s, tip); report.Valid {
				t.Error("verified as valid")
			}
		})
	}
	y.t = t
	apply(t, y.s, drift("life goes on"))
	if report, err := y.s.Verify(t.Context()); err != nil || !report.Valid {
		t.Errorf("the local bundle: %+v, %v", report, err)
	}
}

func asBroken(err error) *BrokenRuleError {
	var broken *BrokenRuleError
	errors.As(err, &broken)
	return broken
}

// wantRefused says that a tip is refused in one line of our own, which names a
// revision.
func wantRefused(t testing.TB, found *Incoming, err error, words string) {
	t.Helper()
	broken := asBroken(err)
	if broken == nil || found != nil {
		t.Fatalf("got %+v, %v; want: … %s", found, err, words)
	}
	line := regexp.MustCompile(`^revision [0-9a-f]{12} ` + regexp.QuoteMeta(words) + `$`)
	if !line.MatchString(err.Error()) {
		t.Errorf("the words are %q, want … %q", err, words)
	}
	wantPlain(t, err)
}

// wantPlain says that an error is one line that holds nothing a terminal could
// obey.
func wantPlain(t testing.TB, err error) {
	t.Helper()
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) || r > unicode.MaxASCII }) || len(err.Error()) > 200 {
		t.Errorf("not one plain line: %q", err)
	}
}

// verifiedAt is Verify for a tip that no reference names.
func verifiedAt(t testing.TB, s *Store, tip string) *bundle.Report {
	t.Helper()
	l := s.loader()
	defer l.Close()
	v := verifier{examiner: newExaminer(l), report: &bundle.Report{Valid: true}}
	if err := v.run(t.Context(), tip); err != nil {
		t.Fatal(err)
	}
	return v.report
}
