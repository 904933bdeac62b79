package refs

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

var points = []point{pointTemp, pointWritten, pointLocked, pointCompared, pointLogged, pointRenamed, pointSynced}

// dieAt runs a swap up to a point and leaves everything as a killed process
// would: files where they are, the operating system's lock free.
func dieAt(t *testing.T, r *Repo, p point, s Swap) {
	t.Helper()
	g, err := r.Exclusive(t.Context(), s.Name)
	must(t, err)
	died := errors.New("died")
	r.reached = func(at point) {
		if at == p {
			panic(died)
		}
	}
	func() {
		defer func() {
			if recover() != died {
				t.Fatalf("the swap never came to: %s", p)
			}
		}()
		g.Swap(t.Context(), s)
	}()
	r.reached = nil
	must(t, g.Unlock())
}

func TestAfterDeathAtAnyPointTheNextSwapWorks(t *testing.T) {
	for _, first := range []bool{true, false} {
		for _, p := range points {
			t.Run(map[bool]string{true: "creating, ", false: "moving, "}[first]+string(p), func(t *testing.T) {
				t.Parallel()
				dir := newRepo(t)
				c := commits(t, dir, 4)
				r := found(t, dir)
				before := ""
				if !first {
					before = c[0]
					must(t, r.Swap(t.Context(), Swap{Name: Project(), New: before}))
				}
				dieAt(t, r, p, Swap{Name: Project(), Old: before, New: c[1]})

				now, err := r.Read(Project())
				if err != nil && !errors.Is(err, ErrNoRef) {
					t.Fatal(err)
				}
				moved := p == pointRenamed || p == pointSynced
				if moved && now != c[1] || !moved && now != before {
					t.Fatalf("it is at %q", now)
				}
				// A second death at the same place must not make it worse.
				dieAt(t, r, p, Swap{Name: Project(), Old: now, New: c[2]})
				if now, err = r.Read(Project()); err != nil && !errors.Is(err, ErrNoRef) {
					t.Fatal(err)
				}
				must(t, r.Swap(t.Context(), Swap{Name: Project(), Old: now, New: c[3]}))
				noLeftovers(t, r)
				if got := git(t, dir, "rev-parse", Project()); got != c[3] {
					t.Errorf("git reads %s", got)
				}
				git(t, dir, "reflog", "show", Project())
				git(t, dir, "fsck", "--strict")
			})
		}
	}
}

func TestAnOrphanOfOursIsToldFromALockThatGitTookSince(t *testing.T) {
	dir := newRepo(t)
	r := found(t, dir)
	must(t, r.Swap(t.Context(), Swap{Name: Project(), New: id(0)}))
	dieAt(t, r, pointLocked, Swap{Name: Project(), Old: id(0), New: id(1)})
	lock := r.refPath(Project()) + ".lock"
	must(t, os.Remove(lock))
	write(t, lock, id(1)+"\n") // same words, another file
	l := &refLock{repo: r, name: Project(), temp: r.stateFile(Project(), "tmp"), path: lock}
	must(t, l.clean())
	if !exists(lock) || exists(l.temp) {
		t.Errorf("lock stands: %t, temporary file stands: %t", exists(lock), exists(l.temp))
	}
}

func TestTheReferenceIsNotWrittenThroughTheOldTemporaryFile(t *testing.T) {
	dir := newRepo(t)
	r := found(t, dir)
	dieAt(t, r, pointSynced, Swap{Name: Project(), New: id(0)})
	a, err := os.Stat(r.stateFile(Project(), "tmp"))
	must(t, err)
	b, err := os.Stat(r.refPath(Project()))
	must(t, err)
	if !os.SameFile(a, b) {
		t.Skip("no hard links here")
	}
	dieAt(t, r, pointWritten, Swap{Name: Project(), Old: id(0), New: id(1)})
	if got, err := r.Read(Project()); err != nil || got != id(0) {
		t.Errorf("the reference is at %q, %v", got, err)
	}
}

func TestFoldersThatPackRefsRemovesAreMadeAgain(t *testing.T) {
	dir := newRepo(t)
	c := commits(t, dir, 2)
	r := found(t, dir)
	must(t, r.Swap(t.Context(), Swap{Name: Task("x"), New: c[0]}))
	r.reached = func(p point) {
		if p == pointWritten {
			git(t, dir, "pack-refs", "--all")
			if exists(r.refPath(Namespace + "task")) {
				t.Error("pack-refs left the folder")
			}
		}
	}
	must(t, r.Swap(t.Context(), Swap{Name: Task("x"), Old: c[0], New: c[1]}))
	if got, err := r.Read(Task("x")); err != nil || got != c[1] {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestAVanishedTemporaryFileIsAnErrorNotALoop(t *testing.T) {
	r := found(t, newRepo(t))
	r.reached = func(p point) {
		if p == pointWritten {
			must(t, os.RemoveAll(r.stateDir()))
		}
	}
	if err := r.Swap(t.Context(), Swap{Name: Project(), New: id(1)}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWithoutHardLinksTheLockIsStillExclusive(t *testing.T) {
	r := found(t, newRepo(t))
	must(t, r.shared.mkdirs(r.refPath(Namespace+"x")))
	l := &refLock{repo: r, name: Project(), path: r.refPath(Project()) + ".lock", text: "x\n"}
	must(t, l.createUnlinked())
	if err := l.createUnlinked(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second one: %v", err)
	}
	if got := read(t, l.path); got != "x\n" {
		t.Errorf("it holds %q", got)
	}
}
