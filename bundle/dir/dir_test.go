package dir

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/storetest"
)

func TestDirectoryStoreHoldsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, genesis bundle.Draft) storetest.Fixture {
		path := filepath.Join(t.TempDir(), ".chatrail")
		return fixture(t, path, genesis, Options{})
	})
}

func TestPrivateStoreWithASharedCacheHoldsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, genesis bundle.Draft) storetest.Fixture {
		path := filepath.Join(t.TempDir(), "tasks", "0f")
		opts := Options{Private: true, Cache: &memCache{}}
		return fixture(t, path, genesis, opts)
	})
}

func fixture(t *testing.T, path string, genesis bundle.Draft, opts Options) storetest.Fixture {
	s := open(path, opts)
	if err := s.create(t.Context(), genesis); err != nil {
		t.Fatal(err)
	}
	return storetest.Fixture{Store: s, Reopen: func(*testing.T) bundle.Store { return open(path, opts) }}
}

// open is Open without syncs: nobody pulls the plug on these tests.
func open(path string, opts Options) *Store {
	s := Open(path, opts)
	s.disk = osDisk{unsynced: true}
	return s
}

// memCache is a Cache that counts.
type memCache struct {
	mu    sync.Mutex
	data  []byte
	saves int
}

func (c *memCache) Load() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data
}

func (c *memCache) Save(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.data = data
	c.saves++
}

// genesis is the first draft of the bundles of these tests.
func genesis() bundle.Draft {
	return bundle.Draft{State: bundle.DefaultState(), Meta: bundle.EventMeta{ReviewID: bundle.ReviewGenesis, Reason: "Create ChatRail"}}
}

// newBundle creates a bundle and applies some changes to it.
func newBundle(t testing.TB, changes ...bundle.Change) *Store {
	t.Helper()
	s := open(filepath.Join(t.TempDir(), ".chatrail"), Options{})
	if err := s.create(context.Background(), genesis()); err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		mustApply(t, s, change)
	}
	return s
}

// say is a change of both live truths, and of notes.
func say(text string, notes ...bundle.Note) bundle.Change {
	return func(present *bundle.Revision) (bundle.Draft, error) {
		s := present.State
		s.Compass.Drift = text
		s.Rail.Open = []bundle.Item{{ID: "q", Summary: text}}
		return bundle.Draft{State: s, Notes: notes, Meta: bundle.EventMeta{ReviewID: "r", Reason: text}}, nil
	}
}

func note(path, text string) bundle.Note { return bundle.Note{Path: path, Data: []byte(text)} }

func mustApply(t testing.TB, s *Store, change bundle.Change) *bundle.Revision {
	t.Helper()
	rev, changed, err := s.Apply(context.Background(), change)
	if err != nil || !changed {
		t.Fatalf("apply: %v, %v", changed, err)
	}
	return rev
}

func mustTip(t testing.TB, s *Store) *bundle.Revision {
	t.Helper()
	rev, err := s.Tip(context.Background())
	if err != nil {
		t.Fatalf("tip: %v", err)
	}
	return rev
}

func mustVerify(t testing.TB, s *Store) *bundle.Report {
	t.Helper()
	report, err := s.Verify(context.Background())
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	return report
}

// mustBeClean checks that a bundle is healthy and that nothing lies about in it.
func mustBeClean(t testing.TB, s *Store) {
	t.Helper()
	if r := mustVerify(t, s); !r.Valid || len(r.Pending)+len(r.Warnings) > 0 {
		t.Fatalf("report %+v", *r)
	}
	if temps, err := s.filesWith(tempPrefix); err != nil || len(temps) > 0 {
		t.Fatalf("temporary files %q, %v", temps, err)
	}
}

// snapshot reads every file below a folder: path -> kind and content.
func snapshot(t testing.TB, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(folder, path)
		files[rel] = fmt.Sprintf("%v", d.Type())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			files[rel] += string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// mustBeSame compares two snapshots.
func mustBeSame(t testing.TB, got, want map[string]string) {
	t.Helper()
	for path := range want {
		if _, ok := got[path]; !ok {
			t.Errorf("%s is gone", path)
		} else if got[path] != want[path] {
			t.Errorf("%s changed", path)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s is new", path)
		}
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readText(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
