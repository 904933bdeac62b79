package share_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/temptest"
	"chatrail/gitstore"
	"chatrail/gitstore/share"
	"chatrail/refs"
)

// TestMain keeps the user's own git configuration out.
func TestMain(m *testing.M) {
	temptest.InMemory()
	for key, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		os.Setenv(key, value)
	}
	os.Exit(m.Run())
}

// fataler is a test, of testing or of rapid.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

const project = "refs/chatrail/project"

// number is a number from the environment, where a long run sets it.
func number(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

// checks makes the properties of one test as many as they can be where each of
// them writes to disc.
func checks(t *testing.T, n int) {
	t.Helper()
	usual := flag.Lookup("rapid.checks").Value.String()
	for _, value := range []string{strconv.Itoa(n), usual} {
		if value == usual {
			t.Cleanup(func() { _ = flag.Set("rapid.checks", usual) })
		} else if err := flag.Set("rapid.checks", value); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t fataler, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// clone is a repository of one machine.
type clone struct {
	dir     string
	journal string // "" for none
	who     string
	store   *gitstore.Store
	repo    *refs.Repo
}

func newClone(t fataler, dir, who string, journal bool) *clone {
	t.Helper()
	git(t, ".", "init", "-q", dir)
	c := &clone{dir: dir, who: who}
	if journal {
		c.journal = filepath.Join(dir, "journal")
	}
	c.restart(t)
	return c
}

func newHub(t fataler, dir string) string {
	t.Helper()
	git(t, ".", "init", "-q", "--bare", dir)
	return dir
}

// restart forgets everything that is not on disc.
func (c *clone) restart(t fataler) {
	t.Helper()
	repo, err := refs.At(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	c.repo = repo
	c.store = gitstore.Open(repo, gitstore.Options{Ref: project, JournalDir: c.journal,
		Identity: func(context.Context) (string, string) { return c.who, c.who + "@example.com" }})
}

// sync makes a clone and a place even.
func (c *clone) sync(ctx context.Context, place string) (share.Outcome, error) {
	remote, err := c.repo.Remote(ctx, place)
	if err != nil {
		return share.Outcome{}, err
	}
	x, err := share.Open(ctx, c.repo, remote, refs.Transfer{})
	if err != nil {
		return share.Outcome{}, err
	}
	x.Bring(ctx, []string{project})
	return share.Sync(ctx, share.Of(c.store), x.Ref(project), both)
}

func (c *clone) mustSync(t fataler, place string) share.Outcome {
	t.Helper()
	out, err := c.sync(context.Background(), place)
	if err != nil {
		t.Fatalf("%s with %s: %v", c.who, filepath.Base(place), err)
	}
	return out
}

// tip is where the reference of a repository is.
func tip(t fataler, dir string) string {
	t.Helper()
	return git(t, dir, "rev-parse", project)
}

// notes are all notes of the tip.
func (c *clone) notes(t fataler, id string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := c.store.EachNote(context.Background(), id, func(bundle.NoteRef) bool { return true }, func(ref bundle.NoteRef, data []byte) error {
		all[ref.Path] = string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// wantSound verifies a bundle, each of its merges made anew, and has git check
// and read it.
func (c *clone) wantSound(t fataler) {
	t.Helper()
	report, err := c.store.Verify(context.Background())
	if err != nil || !report.Valid || len(report.Warnings) > 0 {
		t.Fatalf("%s: %+v, %v", c.who, report, err)
	}
	if n := git(t, c.dir, "rev-list", "--count", project); n != fmt.Sprint(report.Events) {
		t.Fatalf("%s: git reads %s revisions, the store %d", c.who, n, report.Events)
	}
	if out := git(t, c.dir, "fsck", "--strict", "--no-dangling", "--no-progress", "--no-reflogs"); out != "" && !onlyNotices(out) {
		t.Fatalf("%s: git fsck: %s", c.who, out)
	}
}

// onlyNotices tells whether git's check said nothing but that branches are yet
// to be born.
func onlyNotices(out string) bool {
	for line := range strings.SplitSeq(out, "\n") {
		if !strings.HasPrefix(line, "notice: ") {
			return false
		}
	}
	return true
}

// moved tells that somebody was first: to try again is allowed.
func moved(err error) bool {
	return errors.Is(err, share.ErrBehind) || errors.Is(err, gitstore.ErrMoved)
}
