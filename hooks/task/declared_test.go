package task

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	aProject = Project{CommonDir: "/home/ada/project/.git", WorkTree: "/home/ada/project"}
	noon     = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// contents makes the contents of a tree out of pairs of a path and a content.
func contents(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[PathKey(pairs[i])] = pairs[i+1]
	}
	return m
}

func declare(t *testing.T, h Home, whole bool, d Declaration, pairs ...string) {
	t.Helper()
	must(t, h.Declare(ctx, TreeState{Project: aProject, Contents: contents(pairs...), Whole: whole}, d))
}

func declared(t *testing.T, h Home) map[string]Declaration {
	t.Helper()
	l, err := h.LoadDeclared(aProject)
	must(t, err)
	return l.Paths
}

func TestCommittingAPartLeavesTheRestDeclared(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	if len(declared(t, h)) != 0 {
		t.Fatal("declared before anything was")
	}
	first := Declaration{Items: []string{"tasks/reader.md"}, Review: "r1", At: noon}
	declare(t, h, true, first, "a", "file:1", "b", "file:2", "gone", "deleted")
	// a was committed: it is no longer changed, and no longer remembered.
	declare(t, h, true, Declaration{Review: "r2", At: noon.Add(time.Hour)}, "b", "file:2", "c", "file:3")
	got := declared(t, h)
	if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, slices.Sorted(slices.Values([]string{PathKey("b"), PathKey("c")}))) {
		t.Fatalf("remembered %q", keys)
	}
	if b := got[PathKey("b")]; b.Review != "r1" || b.Content != "file:2" || !slices.Equal(b.Items, first.Items) {
		t.Errorf("b is no longer what it was declared as: %+v", b)
	}
	if c := got[PathKey("c")]; c.Review != "r2" || len(c.Items) != 0 {
		t.Errorf("c is %+v", c)
	}
}

func TestADeclarationCountsUntilTheContentChanges(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	declare(t, h, true, Declaration{Items: []string{"old"}, Review: "r1", At: noon}, "a", "file:1")
	declare(t, h, true, Declaration{Review: "r2", At: noon}, "a", "file:2")
	if a := declared(t, h)[PathKey("a")]; a.Content != "file:2" || a.Review != "r2" || len(a.Items) != 0 {
		t.Errorf("%+v", a)
	}
	// Work on nothing becomes work on something.
	declare(t, h, true, Declaration{Items: []string{"new"}, Review: "r3", At: noon}, "a", "file:2")
	if a := declared(t, h)[PathKey("a")]; !slices.Equal(a.Items, []string{"new"}) {
		t.Errorf("%+v", a)
	}
}

func TestWhatWasDeclaredLaterStands(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	declare(t, h, false, Declaration{At: noon}, "a", "file:2")
	declare(t, h, false, Declaration{At: noon.Add(-time.Minute)}, "a", "file:1", "b", "file:1")
	if got := declared(t, h); got[PathKey("a")].Content != "file:2" || got[PathKey("b")].Content != "file:1" {
		t.Errorf("%+v", got)
	}
}

func TestAPartialLookForgetsNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	declare(t, h, true, Declaration{At: noon}, "a", "file:1", "b", "file:2")
	declare(t, h, false, Declaration{At: noon}, "b", "file:3")
	if got := declared(t, h); len(got) != 2 || got[PathKey("a")].Content != "file:1" || got[PathKey("b")].Content != "file:3" {
		t.Errorf("%+v", got)
	}
}

func TestALedgerIsBoundedAndForgetsTheOldest(t *testing.T) {
	t.Parallel()
	l := Declared{Paths: map[string]Declaration{}}
	for i := range 50 {
		l.Paths[fmt.Sprintf("p%02d", i)] = Declaration{At: noon.Add(time.Duration(i) * time.Second)}
	}
	l.trim(10)
	if keys := slices.Sorted(maps.Keys(l.Paths)); len(keys) != 10 || keys[0] != "p40" {
		t.Errorf("kept %q", keys)
	}
}

func TestALedgerHoldsNoPathInWords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	declare(t, h, true, Declaration{At: noon}, "my-secret", "file:1", "\xff\xfe", "file:2", "\ufffd", "file:3")
	must(t, h.Refuse(ctx, Key("s"), Refusal{Project: aProject, Paths: []string{PathKey("my-secret")}}))
	for _, name := range []string{aProject.ID() + ".json", gateFile(Key("s"))} {
		data, err := os.ReadFile(filepath.Join(h.Dir, "declared", name))
		must(t, err)
		if strings.Contains(string(data), "my-secret") {
			t.Errorf("%s", data)
		}
	}
	if got := declared(t, h); len(got) != 3 || got[PathKey("\xff\xfe")].Content != "file:2" {
		t.Errorf("%+v", got)
	}
}

func TestALedgerThatCannotBeReadIsSaidAndThenKeptAside(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "torn": `{"version":1,"paths":{"a":`, "a list": "[]", "another version": `{"version":9}`,
		"another project": `{"version":1,"common_dir":"/x","work_tree":"/y","paths":{}}`,
		"a bad path":      `{"version":1,"common_dir":"` + aProject.CommonDir + `","work_tree":"` + aProject.WorkTree + `","paths":[]}`,
	} {
		h := newHome(t)
		path := filepath.Join(h.Dir, "declared", aProject.ID()+".json")
		write(t, path, text)
		if l, err := h.LoadDeclared(aProject); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
		declare(t, h, true, Declaration{At: noon}, "a", "file:1")
		if len(declared(t, h)) != 1 {
			t.Errorf("%s: not begun anew", name)
		}
		aside, err := filepath.Glob(path + ".damaged-*")
		must(t, err)
		if len(aside) != 1 {
			t.Errorf("%s: kept aside %q", name, aside)
		} else if data, err := os.ReadFile(aside[0]); err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

func TestParallelDeclarationsAllStand(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			declare(t, h, false, Declaration{At: noon}, fmt.Sprint(i), "file:1")
		})
	}
	all.Wait()
	if n := len(declared(t, h)); n != 16 {
		t.Errorf("%d of 16 declarations", n)
	}
}

func TestProjectsOfOneRepositoryAreApart(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	linked := Project{CommonDir: aProject.CommonDir, WorkTree: "/home/ada/other"}
	declare(t, h, true, Declaration{At: noon}, "a", "file:1")
	if l, err := h.LoadDeclared(linked); err != nil || len(l.Paths) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestLedgersArePrivate(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	declare(t, h, true, Declaration{At: noon}, "a", "file:1")
	must(t, h.Refuse(ctx, Key("s"), Refusal{Project: aProject}))
	for _, path := range []string{"declared", "declared/" + aProject.ID() + ".json", "declared/gate-" + Key("s") + ".json"} {
		info, err := os.Lstat(filepath.Join(h.Dir, path))
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
}

func FuzzDeclared(f *testing.F) {
	f.Add([]byte(`{"version":1,"common_dir":"/c","work_tree":"/w","paths":{"a":{"content":"file:1","items":["x"],"review":"r","at":"2026-11-30T12:00:00Z"}}}`))
	f.Add([]byte(`{"version":1,"paths":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := Project{CommonDir: "/c", WorkTree: "/w"}
		l, err := decodeDeclared(data, p)
		if err != nil {
			if len(l.Paths) > 0 {
				t.Fatalf("%+v beside %v", l, err)
			}
			return
		}
		l.record(TreeState{Project: p, Contents: contents("x", "file:2")}, Declaration{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)})
		if l.Paths[PathKey("x")].Content != "file:2" {
			t.Fatal("not recorded")
		}
	})
}

func refused(t *testing.T, h Home, key string) Refusal {
	t.Helper()
	list, err := h.LoadRefusals(key)
	must(t, err)
	if len(list) == 0 {
		t.Fatal("nothing is remembered")
	}
	return list[0]
}

func TestARefusedPathIsCoveredOnceSomethingWasDeclared(t *testing.T) {
	t.Parallel()
	h, key := newHome(t), Key("s")
	must(t, h.Refuse(ctx, key, Refusal{Project: aProject, Head: "1", Paths: []string{PathKey("gen"), PathKey("\xff")}}))
	if r := refused(t, h, key); r.Covers("gen") {
		t.Error("covered before anything was declared")
	}
	must(t, h.AnswerRefusals(ctx, key, []Project{{CommonDir: "/other"}}))
	if r := refused(t, h, key); r.Answered {
		t.Error("answered by another project")
	}
	must(t, h.AnswerRefusals(ctx, key, []Project{aProject}))
	if r := refused(t, h, key); !r.Covers("gen") || !r.Covers("\xff") || r.Covers("other") || r.Rounds != 0 {
		t.Errorf("%+v", r)
	}
	// Refused for another path on the same HEAD: one more answer is for both.
	must(t, h.Refuse(ctx, key, Refusal{Project: aProject, Head: "1", Paths: []string{PathKey("other")}}))
	if r := refused(t, h, key); r.Covers("gen") || r.Rounds != 1 {
		t.Errorf("%+v", r)
	}
	must(t, h.AnswerRefusals(ctx, key, []Project{aProject}))
	if r := refused(t, h, key); !r.Covers("gen") || !r.Covers("other") {
		t.Errorf("%+v", r)
	}
	// On another HEAD it begins anew.
	must(t, h.Refuse(ctx, key, Refusal{Project: aProject, Head: "2", Paths: []string{PathKey("gen")}}))
	if r := refused(t, h, key); r.Answered || r.Rounds != 0 || len(r.Paths) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestRefusalsAreBoundedAndDamageIsSaid(t *testing.T) {
	t.Parallel()
	h, key := newHome(t), Key("s")
	for i := range maxRefusals + 3 {
		must(t, h.Refuse(ctx, key, Refusal{Project: Project{WorkTree: fmt.Sprint(i)}}))
	}
	list, err := h.LoadRefusals(key)
	if err != nil || len(list) != maxRefusals || list[0].WorkTree != fmt.Sprint(maxRefusals+2) {
		t.Errorf("%+v, %v", list, err)
	}
	write(t, filepath.Join(h.Dir, "declared", gateFile(key)), "{")
	if _, err := h.LoadRefusals(key); err == nil {
		t.Error("damage was not said")
	}
	must(t, h.Refuse(ctx, key, Refusal{Project: aProject}))
	if r := refused(t, h, key); r.Project != aProject {
		t.Errorf("%+v", r)
	}
	if _, err := h.LoadRefusals("../x"); err == nil || !strings.Contains(err.Error(), "task key") {
		t.Errorf("a key that is none: %v", err)
	}
}
