package refs

import (
	"errors"
	"sync"
	"testing"
)

func TestARepositoryGetsOneMarkerForLife(t *testing.T) {
	r := found(t, newRepo(t))
	if id, err := r.Marker(); id != "" || err != nil {
		t.Errorf("before: %q, %v", id, err)
	}
	var all sync.WaitGroup
	var seen sync.Map
	for range 8 {
		all.Go(func() {
			g, err := r.Exclusive(t.Context(), Task("x"))
			if err != nil {
				t.Error(err)
				return
			}
			id, err := r.Marker()
			if err != nil || !isUUID(id) {
				t.Errorf("%q, %v", id, err)
			}
			seen.Store(id, true)
			g.Unlock()
		})
	}
	all.Wait()
	count := 0
	seen.Range(func(_, _ any) bool { count++; return true })
	if count != 1 {
		t.Errorf("there were %d markers", count)
	}
	other := found(t, newRepo(t))
	must(t, other.Swap(t.Context(), Swap{Name: Project(), New: id(1)}))
	a, _ := r.Marker()
	if b, err := other.Marker(); err != nil || a == b {
		t.Errorf("another repository has %q, %v", b, err)
	}
}

func TestABrokenMarkerIsReportedAndMadeAnew(t *testing.T) {
	r := found(t, newRepo(t))
	for _, text := range []string{"", "x\n", "00000000-0000-4000-8000-00000000000\n\n", "00000000x0000-4000-8000-000000000000\n"} {
		write(t, r.markerPath(), text)
		if id, err := r.Marker(); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %q, %v", text, id, err)
		}
		g, err := r.Exclusive(t.Context(), Project())
		must(t, err)
		must(t, g.Unlock())
		if id, err := r.Marker(); err != nil || !isUUID(id) {
			t.Errorf("after %q: %q, %v", text, id, err)
		}
	}
}
