package refs

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestReadTellsAbsentFromCorrupt(t *testing.T) {
	dir := newRepo(t)
	r := found(t, dir)
	git(t, dir, "update-ref", "refs/chatrail/packed", "HEAD")
	git(t, dir, "pack-refs", "--all")
	head := git(t, dir, "rev-parse", "HEAD")
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"refs/chatrail/empty":       {"", ErrCorrupt},
		"refs/chatrail/short":       {id(1)[:39] + "\n", ErrCorrupt},
		"refs/chatrail/long":        {id(1) + "0\n", ErrCorrupt},
		"refs/chatrail/word":        {"hello\n", ErrCorrupt},
		"refs/chatrail/zeros":       {strings.Repeat("\x00", 41), ErrCorrupt},
		"refs/chatrail/symref":      {"ref: refs/heads/main\n", ErrCorrupt},
		"refs/chatrail/escape":      {"ref: refs/../../x\n", ErrCorrupt},
		"refs/chatrail/good":        {id(1) + "\n", nil},
		"refs/chatrail/nobreak":     {id(1), nil},
		"refs/chatrail/trailing":    {id(1) + " x\n", nil},
		"refs/chatrail/upper":       {strings.ToUpper(id(1)) + "\n", nil},
		"refs/chatrail/folder/deep": {id(1), nil},
	} {
		write(t, r.refPath(name), c.text)
		if got, err := r.Read(name); !errors.Is(err, c.want) || err == nil && got != id(1) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"refs/chatrail/none", "refs/chatrail/folder", "refs/chatrail/good/below"} {
		if _, err := r.Read(name); !errors.Is(err, ErrNoRef) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := r.Read("refs/chatrail/packed"); err != nil || got != head {
		t.Errorf("packed: %q, %v", got, err)
	}
	for _, name := range []string{"HEAD", "refs/../HEAD", "", "refs/chatrail/x.lock"} {
		if _, err := r.Read(name); err == nil || errors.Is(err, ErrNoRef) {
			t.Errorf("%q is no name, and got %v", name, err)
		}
	}
}

func TestAnEmptyReferenceIsReadAgainBeforeItIsCorrupt(t *testing.T) {
	r := found(t, newRepo(t))
	path := r.refPath(Project())
	write(t, path, "")
	r.reached = func(p point) {
		if p == pointEmpty {
			write(t, path, id(1)+"\n")
		}
	}
	got, err := r.Read(Project())
	if err != nil || got != id(1) {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestListShowsWhatGitShows(t *testing.T) {
	dir := newRepo(t)
	for _, name := range []string{"project", "task/a", "task/ab", "at/x"} {
		git(t, dir, "update-ref", "refs/chatrail/"+name, "HEAD")
	}
	git(t, dir, "pack-refs", "--all")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "y")
	for _, name := range []string{"task/a", "task/b", "z"} {
		git(t, dir, "update-ref", "refs/chatrail/"+name, "HEAD")
	}
	git(t, dir, "update-ref", "refs/chatrail-remote/o/project", "HEAD")
	for _, storage := range storages {
		r := stored(t, dir, storage)
		for _, prefix := range []string{Namespace, "refs/chatrail", "refs/chatrail/task/", "refs/chatrail/task/a", "refs/chatrail/none/", "refs/", RemoteNamespace + "o/", Project()} {
			var want []Ref
			for line := range strings.Lines(git(t, dir, "for-each-ref", "--format=%(refname) %(objectname)")) {
				if name, id, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, prefix) {
					want = append(want, Ref{name, id})
				}
			}
			if got, err := r.List(prefix); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: List(%q) = %v, %v, git shows %v", storage, prefix, got, err, want)
			}
		}
	}
}

func TestABrokenReferenceHidesNoOther(t *testing.T) {
	dir := newRepo(t)
	git(t, dir, "update-ref", "refs/chatrail/good", "HEAD")
	write(t, dir+"/.git/refs/chatrail/bad", "x")
	write(t, dir+"/.git/refs/chatrail/good.lock", "x")
	git(t, dir, "symbolic-ref", "refs/chatrail/sym", "refs/heads/main")
	for _, storage := range storages {
		r := stored(t, dir, storage)
		list, err := r.List(Namespace)
		if len(list) != 1 || list[0].Name != "refs/chatrail/good" || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, %v", storage, list, err)
		}
		for _, name := range []string{"refs/chatrail/bad", "refs/chatrail/sym"} {
			if _, err := r.Read(name); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: %s: %v", storage, name, err)
			}
		}
		if _, err := r.Read("refs/chatrail/good"); err != nil {
			t.Errorf("%s: %v", storage, err)
		}
		if _, err := r.Read("refs/chatrail/none"); !errors.Is(err, ErrNoRef) {
			t.Errorf("%s: %v", storage, err)
		}
	}
	if _, err := found(t, dir).List("heads/"); err == nil {
		t.Error("a prefix outside refs/ was accepted")
	}
}

func TestAHeadThatLeadsNowhereIsCorrupt(t *testing.T) {
	dir := newRepo(t)
	r := found(t, dir)
	for _, c := range []struct{ head, loop string }{
		{"ref: refs/heads/a\n", "ref: refs/heads/a\n"},
		{"", ""}, {"garbage", ""}, {"ref: elsewhere\n", ""},
	} {
		write(t, dir+"/.git/HEAD", c.head)
		if c.loop != "" {
			write(t, dir+"/.git/refs/heads/a", c.loop)
		}
		if h, err := r.Head(); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %+v, %v", c.head, h, err)
		}
	}
	must(t, os.Remove(dir+"/.git/HEAD"))
	if h, err := r.Head(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("missing: %+v, %v", h, err)
	}
}
