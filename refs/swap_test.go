package refs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// storages are the two ways in which references move: by our own hand, and by
// the git program, as it is for a storage that is not files.
var storages = []string{"files", "asked"}

func stored(t testing.TB, dir, storage string) *Repo {
	r := found(t, dir)
	r.RefStorage = storage
	return r
}

// commits makes a chain of real commits.
func commits(t testing.TB, dir string, count int) []string {
	t.Helper()
	_, err := looseObject(dir+"/.git", "tree", "")
	must(t, err)
	var ids []string
	parent := ""
	for i := range count {
		parent, err = commitObject(dir+"/.git", parent, fmt.Sprint("c", i))
		must(t, err)
		ids = append(ids, parent)
	}
	return ids
}

func wantMoved(t *testing.T, err error, current string) {
	t.Helper()
	var moved *MovedError
	if !errors.As(err, &moved) || moved.Current != current {
		t.Errorf("got %v, want a *MovedError at %q", err, current)
	}
}

func TestSwapMovesOnlyFromTheExpectedValue(t *testing.T) {
	for _, storage := range storages {
		t.Run(storage, func(t *testing.T) {
			dir := newRepo(t)
			c := commits(t, dir, 3)
			r := stored(t, dir, storage)
			swap := func(old, new string) error {
				return r.Swap(t.Context(), Swap{Name: Project(), Old: old, New: new, Message: "m"})
			}
			if _, err := r.Read(Project()); !errors.Is(err, ErrNoRef) {
				t.Errorf("before: %v", err)
			}
			wantMoved(t, swap(c[0], c[1]), "")
			must(t, swap("", c[0]))
			wantMoved(t, swap("", c[1]), c[0])
			wantMoved(t, swap(r.ZeroID(), c[1]), c[0])
			wantMoved(t, swap(c[1], c[2]), c[0])
			must(t, swap(c[0], c[1]))
			git(t, dir, "pack-refs", "--all")
			wantMoved(t, swap(c[0], c[2]), c[1])
			wantMoved(t, swap("", c[2]), c[1])
			must(t, swap(c[1], c[2]))
			if got := git(t, dir, "rev-parse", Project()); got != c[2] {
				t.Errorf("git reads %s", got)
			}
			if got, err := r.Read(Project()); err != nil || got != c[2] {
				t.Errorf("we read %s, %v", got, err)
			}
			noLeftovers(t, r)
		})
	}
}

func TestSwapOfNonsenseIsRefused(t *testing.T) {
	r := found(t, newRepo(t))
	for _, s := range []Swap{
		{Name: Project(), New: "abc"},
		{Name: Project(), New: r.ZeroID()},
		{Name: Project(), New: strings.ToUpper(id(1))},
		{Name: Project(), New: id(1), Old: "x"},
		{Name: "refs/chatrail/../../x", New: id(1)},
		{Name: "HEAD", New: id(1)},
		{Name: "refs/worktree/x", New: id(1)},
		{Name: "", New: id(1)},
	} {
		if err := r.Swap(t.Context(), s); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
	g, err := r.Exclusive(t.Context(), Project())
	must(t, err)
	if err := g.Swap(t.Context(), Swap{Name: Task("x"), New: id(1)}); err == nil {
		t.Error("a swap of another reference was accepted")
	}
	must(t, g.Unlock())
	must(t, g.Unlock())
	if err := g.Swap(t.Context(), Swap{Name: Project(), New: id(1)}); err == nil {
		t.Error("a swap without the lock was accepted")
	}
}

func TestGitReadsTheReflog(t *testing.T) {
	when := time.Date(2026, 11, 30, 12, 0, 0, 0, time.FixedZone("", -(3*3600+1800)))
	for _, storage := range storages {
		t.Run(storage, func(t *testing.T) {
			dir := newRepo(t)
			c := commits(t, dir, 3)
			r := stored(t, dir, storage)
			who := Who{Name: " Ann <b>\n,", Email: "<a@example.com>"}
			for i, old := range []string{"", c[0], c[1]} {
				must(t, r.Swap(t.Context(), Swap{Name: Project(), Old: old, New: c[i], Who: who, When: when, Message: fmt.Sprintf(" step\n\t %d ", i)}))
			}
			want := "step 2|Ann b|a@example.com\nstep 1|Ann b|a@example.com\nstep 0|Ann b|a@example.com"
			if got := git(t, dir, "reflog", "show", "--format=%gs|%gn|%ge", Project()); got != want {
				t.Errorf("git shows %q", got)
			}
			line, _, _ := strings.Cut(read(t, dir+"/.git/logs/"+Project()), "\n")
			if want := r.ZeroID() + " " + c[0] + " Ann b <a@example.com> 1796052600 -0330\tstep 0"; line != want {
				t.Errorf("the line is %q, want %q", line, want)
			}
			if got := git(t, dir, "rev-parse", Project()+"@{1}"); got != c[1] {
				t.Errorf("one step back is %s", got)
			}
		})
	}
}

func TestATornReflogLineDoesNotSwallowTheNext(t *testing.T) {
	dir := newRepo(t)
	c := commits(t, dir, 2)
	r := found(t, dir)
	must(t, r.Swap(t.Context(), Swap{Name: Project(), New: c[0], Message: "one"}))
	log := dir + "/.git/logs/" + Project()
	write(t, log, read(t, log)+c[0]+" 12345")
	must(t, r.Swap(t.Context(), Swap{Name: Project(), Old: c[0], New: c[1], Message: "two"}))
	if got := git(t, dir, "reflog", "show", "--format=%gs", Project()); got != "two\none" {
		t.Errorf("git shows %q", got)
	}
}

func TestLinkedWorkTreesShareReferencesAndMarker(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "worktree", "add", "-q", "../wt")
	r, linked := found(t, dir), found(t, filepath.Join(dir, "../wt"))
	must(t, linked.Swap(t.Context(), Swap{Name: Task("x"), New: id(1)}))
	if got, err := r.Read(Task("x")); err != nil || got != id(1) {
		t.Errorf("the main work tree reads %q, %v", got, err)
	}
	a, err := r.Marker()
	must(t, err)
	b, err := linked.Marker()
	must(t, err)
	if a != b || !isUUID(a) {
		t.Errorf("markers are %q and %q", a, b)
	}
}

func TestALockOfAnotherProcessIsRespectedAndStays(t *testing.T) {
	for _, storage := range storages {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			c := commits(t, dir, 2)
			r := stored(t, dir, storage)
			must(t, r.Swap(t.Context(), Swap{Name: Project(), New: c[0]}))
			lock := r.refPath(Project()) + ".lock"
			write(t, lock, "theirs")
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // enough to meet the lock on a busy machine
			defer cancel()
			err := r.Swap(ctx, Swap{Name: Project(), Old: c[0], New: c[1]})
			var locked *LockedError
			if storage == "files" && (!errors.As(err, &locked) || locked.Path != lock) {
				t.Errorf("got %v", err)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v does not say that the time was over", err)
			}
			if got, err := r.Read(Project()); err != nil || got != c[0] || read(t, lock) != "theirs" {
				t.Errorf("the reference is %q, %v; the lock holds %q", got, err, read(t, lock))
			}
			must(t, os.Remove(lock))
			must(t, r.Swap(t.Context(), Swap{Name: Project(), Old: c[0], New: c[1]}))
			noLeftovers(t, r)
		})
	}
}

func TestOurLockIsWaitedForOnlyAsLongAsTheContextAllows(t *testing.T) {
	r := found(t, newRepo(t))
	g, err := r.Exclusive(t.Context(), Project())
	must(t, err)
	defer g.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = r.Exclusive(ctx, Project())
	var locked *LockedError
	if !errors.As(err, &locked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	other, err := r.Exclusive(t.Context(), Task("x"))
	must(t, err)
	must(t, other.Unlock())
}

func TestAReferenceInTheWayIsAConflict(t *testing.T) {
	for _, storage := range storages {
		for _, packed := range []bool{false, true} {
			t.Run(fmt.Sprint(storage, " packed ", packed), func(t *testing.T) {
				dir := newRepo(t)
				c := commits(t, dir, 1)
				r := stored(t, dir, storage)
				for _, name := range []string{"refs/chatrail/a", "refs/chatrail/b/c"} {
					must(t, r.Swap(t.Context(), Swap{Name: name, New: c[0]}))
				}
				if packed {
					git(t, dir, "pack-refs", "--all")
				}
				for _, name := range []string{"refs/chatrail/a/x", "refs/chatrail/a/x/y", "refs/chatrail/b"} {
					if err := r.Swap(t.Context(), Swap{Name: name, New: c[0]}); !errors.Is(err, ErrConflict) {
						t.Errorf("%s: %v", name, err)
					}
				}
				list, err := r.List("refs/chatrail/")
				must(t, err)
				if want := []Ref{{"refs/chatrail/a", c[0]}, {"refs/chatrail/b/c", c[0]}}; !slices.Equal(list, want) {
					t.Errorf("there is %v", list)
				}
			})
		}
	}
}

func TestEmptyFoldersOfDeletedReferencesAreNoObstacle(t *testing.T) {
	dir := newRepo(t)
	r := found(t, dir)
	must(t, os.MkdirAll(r.refPath(Project())+"/a/b", 0o777))
	must(t, os.MkdirAll(dir+"/.git/logs/"+Project()+"/a", 0o777))
	must(t, r.Swap(t.Context(), Swap{Name: Project(), New: id(1)}))
	if got, err := r.Read(Project()); err != nil || got != id(1) {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestACorruptReferenceIsNotOverwritten(t *testing.T) {
	for what, text := range map[string]string{"empty": "", "garbage": "hello\n", "symbolic": "ref: refs/heads/main\n"} {
		dir := newRepo(t)
		r := found(t, dir)
		write(t, r.refPath(Project()), text)
		if err := r.Swap(t.Context(), Swap{Name: Project(), New: id(1)}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
		if got := read(t, r.refPath(Project())); got != text {
			t.Errorf("%s: it is %q now", what, got)
		}
		noLeftovers(t, r)
	}
}

func TestASwapThatCannotReplaceTakesItsReflogLineBack(t *testing.T) {
	dir := newRepo(t)
	c := commits(t, dir, 2)
	r := found(t, dir)
	must(t, r.Swap(t.Context(), Swap{Name: Project(), New: c[0]}))
	log := read(t, dir+"/.git/logs/"+Project())
	r.reached = func(p point) {
		if p == pointLogged { // somebody takes our lock away
			must(t, os.Remove(r.refPath(Project())+".lock"))
		}
	}
	if err := r.Swap(t.Context(), Swap{Name: Project(), Old: c[0], New: c[1]}); err == nil {
		t.Error("it says that it worked")
	}
	if got := read(t, dir+"/.git/logs/"+Project()); got != log {
		t.Errorf("the reflog is %q", got)
	}
	noLeftovers(t, r)
}

func TestLongerObjectIDsAreSwappedToo(t *testing.T) {
	dir := filepath.Join(tempDir(t), "r")
	git(t, filepath.Dir(dir), "init", "-q", "--object-format=sha256", dir)
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	r := found(t, dir)
	head := git(t, dir, "rev-parse", "HEAD")
	must(t, r.Swap(t.Context(), Swap{Name: Project(), New: head}))
	git(t, dir, "pack-refs", "--all")
	if got, err := r.Read(Project()); err != nil || got != head {
		t.Errorf("read %q, %v", got, err)
	}
	wantMoved(t, r.Swap(t.Context(), Swap{Name: Project(), New: head}), head)
	if err := r.Swap(t.Context(), Swap{Name: Project(), Old: head, New: id(1)}); err == nil {
		t.Error("an id of the other length was accepted")
	}
}
