package task

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"chatrail/hooks/turn"
	"chatrail/refs"
)

func TestAViewIsReadBackAsItWasSaved(t *testing.T) {
	h := newHome(t)
	p := gitPin().Place
	v := View{
		Tip: "t", Root: "r", When: time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC), Task: "k", Agent: "codex", Branch: "main",
		Named: true, FirstNorth: "a", Fields: map[string]string{"rail.north": "12"}, Lines: []Line{{"rail.north", "North: x"}},
		FirstUnknown: true, Stamp: DirStamp{EventsSize: 5},
	}
	must(t, h.SaveView(p, v))
	got, ok := h.LoadView(p)
	v.Version, v.Place, v.Marker = viewVersion, p.ID(), p.Marker
	if !ok || !reflect.DeepEqual(got, v) {
		t.Errorf("read %+v\nsaved %+v", got, v)
	}
}

func TestAViewThatDoesNotFitIsAMiss(t *testing.T) {
	p, other := gitPin().Place, gitPin().Place
	other.Ref = "refs/chatrail/task/x"
	for name, text := range map[string]string{
		"empty":           "",
		"torn":            `{"version":1,"place":"` + p.ID(),
		"another version": `{"version":2,"place":"` + p.ID() + `","tip":"t"}`,
		"another place":   `{"version":1,"place":"` + other.ID() + `","tip":"t"}`,
		"wrong types":     `{"version":1,"place":"` + p.ID() + `","tip":5}`,
		"a list":          `[]`,
	} {
		h := newHome(t)
		write(t, filepath.Join(h.Dir, "cache", p.ID()+".json"), text)
		if v, ok := h.LoadView(p); ok {
			t.Errorf("%s: hit %+v", name, v)
		}
		if tip := h.KnownTip(p); tip != "" {
			t.Errorf("%s: knows the tip %q", name, tip)
		}
	}
}

func TestAFailedReadKeepsTheKnownTip(t *testing.T) {
	h := newHome(t)
	p := gitPin().Place
	must(t, h.SaveView(p, View{Tip: "t", Root: "r"}))
	must(t, h.SaveView(p, View{Frozen: "gone"}))
	if got := h.KnownTip(p); got != "t" {
		t.Errorf("knows %q", got)
	}
	if v, _ := h.LoadView(p); v.Root != "r" || v.Frozen != "gone" {
		t.Errorf("%+v", v)
	}
	p.Marker = "another repository"
	if got := h.KnownTip(p); got != "" {
		t.Errorf("knows %q of another repository", got)
	}
}

func TestAGitViewIsFreshExactlyWhileTheReferenceStands(t *testing.T) {
	w := newWorld(t)
	newRepo(t, w.project)
	tip := putRef(t, w.project, refs.Project())
	p, err := w.discover(w.project)
	must(t, err)
	view := func(v View) View {
		must(t, w.state.SaveView(p, v))
		v, _ = w.state.LoadView(p)
		return v
	}
	fresh := func(v View) bool {
		s, err := w.state.Check(p)
		must(t, err)
		return v.Fresh(s)
	}
	if !fresh(view(View{Tip: tip})) {
		t.Error("a view of the tip is not fresh")
	}
	for name, v := range map[string]View{
		"of another tip":     {Tip: strings.Repeat("0", 40)},
		"without a tip":      {},
		"of a frozen bundle": {Tip: tip, Frozen: "cause"},
	} {
		os.Remove(filepath.Join(w.state.Dir, "cache", p.ID()+".json"))
		if fresh(view(v)) {
			t.Errorf("a view %s is fresh", name)
		}
	}
	v := view(View{Tip: tip})
	git(t, w.project, "pack-refs", "--all")
	if !fresh(v) {
		t.Error("packing the references made the view stale")
	}
	git(t, w.project, "commit", "-q", "--allow-empty", "-m", "second")
	if !fresh(v) {
		t.Error("a commit of the project made the view stale")
	}
	putRef(t, w.project, refs.Project())
	if fresh(v) {
		t.Error("fresh after the reference moved")
	}
}

func TestAFolderViewIsFreshExactlyWhileTheFilesStand(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"an edited rail": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, railFile), []byte("schema: 2\n"), 0o644)
		},
		"an edited compass": func(dir string) error { return os.WriteFile(filepath.Join(dir, compassFile), []byte("x"), 0o644) },
		"an event more": func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, eventsFile), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("{}\n")
			return err
		},
		"another last event of the same size": func(dir string) error {
			path := filepath.Join(dir, eventsFile)
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			data[len(data)-4]++
			return os.WriteFile(path, data, 0o644)
		},
		"no events": func(dir string) error { return os.Remove(filepath.Join(dir, eventsFile)) },
	} {
		w := newWorld(t)
		dir := newBundleDir(t, w.at(bundleDir))
		p, err := w.discover(w.project)
		must(t, err)
		stamp, err := StampDir(dir)
		must(t, err)
		must(t, w.state.SaveView(p, View{Tip: firstEvent, Stamp: stamp}))
		v, _ := w.state.LoadView(p)
		s, err := w.state.Check(p)
		must(t, err)
		if !v.Fresh(s) {
			t.Errorf("%s: not fresh before", name)
		}
		must(t, change(dir))
		s, err = w.state.Check(p)
		must(t, err)
		if v.Fresh(s) {
			t.Errorf("%s: fresh after", name)
		}
	}
}

func TestTheStampOfALongHistoryReadsItsEnd(t *testing.T) {
	dir := newBundleDir(t, filepath.Join(realTemp(t), bundleDir))
	events := filepath.Join(dir, eventsFile)
	text := strings.Repeat("x", 3*stampTail)
	write(t, events, text)
	before, err := StampDir(dir)
	must(t, err)
	write(t, events, text[:len(text)-1]+"y")
	after, err := StampDir(dir)
	must(t, err)
	if before == after || before.EventsSize != int64(len(text)) {
		t.Errorf("%+v and %+v", before, after)
	}
}

func TestWhatWasSaidIsRememberedByTaskAndLostWithoutHarm(t *testing.T) {
	h, key := newHome(t), Key("s")
	if _, ok := h.LoadSaid(key); ok {
		t.Error("something was said before anything was")
	}
	said := turn.State{Said: &turn.Said{Tip: "t", Fields: map[string]string{"rail.north": "1"}}, Lined: true}
	must(t, h.SaveSaid(key, said))
	if got, ok := h.LoadSaid(key); !ok || !reflect.DeepEqual(got, said) {
		t.Errorf("%+v, %v", got, ok)
	}
	if _, ok := h.LoadSaid(Key("other")); ok {
		t.Error("another task has it")
	}
	write(t, filepath.Join(h.Dir, "cache", saidName(key)), "{")
	if _, ok := h.LoadSaid(key); ok {
		t.Error("read a torn memory")
	}
}

func TestWhatABackendRemembersIsKeptForEachPlace(t *testing.T) {
	h := newHome(t)
	p := gitPin().Place
	if data, err := h.LoadPrefix(p); data != nil || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	must(t, h.SavePrefix(p, []byte("abc")))
	must(t, h.SaveView(p, View{Tip: "t"}))
	if data, err := h.LoadPrefix(p); string(data) != "abc" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if data, _ := h.LoadPrefix(h.Private(Key("s"))); data != nil {
		t.Errorf("another place has %q", data)
	}
}
