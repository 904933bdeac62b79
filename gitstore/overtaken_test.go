package gitstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"chatrail/bundle"
)

func TestChangeRunsAgainWhenAGitCommandMovesTheReference(t *testing.T) {
	dir := newRepo(t)
	s := started(t, dir)
	start := walked(t, s, "")[0].ID
	moves := []string{apply(t, s, drift("one")).ID, apply(t, s, drift("two")).ID}
	git(t, dir, "update-ref", testRef, start)

	var seen []string
	rev := apply(t, s, func(present *bundle.Revision) (bundle.Draft, error) {
		seen = append(seen, present.ID)
		// The second time our own lock is held; git knows nothing of it.
		if n := len(seen); n <= len(moves) {
			git(t, dir, "update-ref", testRef, moves[n-1])
		}
		return drift("mine")(present)
	})
	if len(seen) != 3 || seen[0] != start || seen[1] != moves[0] || seen[2] != moves[1] {
		t.Errorf("the change saw %q", seen)
	}
	if rev.Parents[0] != moves[1] {
		t.Errorf("parent %s, want %s", rev.Parents[0], moves[1])
	}
	wantValid(t, s, dir, 4)
}

func TestForeignLockMakesAWriteBusyAndIsNotRemoved(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := started(t, dir)
	tip := walked(t, s, "")[0].ID
	lock := filepath.Join(dir, ".git", filepath.FromSlash(testRef)+".lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, changed, err := s.Apply(ctx, drift("one")); !errors.Is(err, bundle.ErrBusy) || changed {
		t.Errorf("got %v, %v", changed, err)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error(err)
	}
	if now := git(t, dir, "rev-parse", testRef); now != tip {
		t.Errorf("the tip moved to %s", now)
	}
}

func TestHeldLockMakesAWriteBusyWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	s := started(t, dir)
	guard, err := s.repo.Exclusive(t.Context(), testRef)
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // enough to meet the lock on a busy machine
	defer cancel()
	if _, changed, err := openAt(t, dir).Apply(ctx, drift("one")); !errors.Is(err, bundle.ErrBusy) || changed {
		t.Errorf("got %v, %v", changed, err)
	}
	if tip, err := openAt(t, dir).Tip(t.Context()); err != nil || tip.State.Compass.Drift == "one" {
		t.Errorf("a reader waits or sees the write: %v, %v", tip, err)
	}
}

func TestCreateTellsOfABundleThatIsThere(t *testing.T) {
	dir := newRepo(t)
	tip := apply(t, started(t, dir), drift("one")).ID
	rev, err := openAt(t, dir).Create(t.Context(), genesisDraft())
	if !errors.Is(err, ErrExists) || rev == nil || rev.ID != tip {
		t.Errorf("got %v, %v", rev, err)
	}
	if now := git(t, dir, "rev-parse", testRef); now != tip {
		t.Errorf("the tip moved to %s", now)
	}
}
