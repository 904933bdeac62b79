package hooks

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

// together sends copies of one session start at once, counts those that spoke,
// and calls meanwhile as soon as all are under way.
func (s *scene) together(copies int, meanwhile func()) (spoke int) {
	s.Helper()
	at := s.clock
	s.engine.Now = func() time.Time { return at }
	var wait sync.WaitGroup
	var count sync.Mutex
	for range copies {
		wait.Go(func() {
			said, err := s.try(turn.Event{Kind: turn.SessionStart, Source: turn.Compact})
			if err != nil {
				s.Error(err)
			}
			count.Lock()
			defer count.Unlock()
			if said.Context != "" {
				spoke++
			}
		})
	}
	meanwhile()
	wait.Wait()
	return spoke
}

func TestAStartThatFindsItsTaskBusyIsAnsweredOnce(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	unlock, err := s.engine.Home.LockTask(t.Context(), task.Key(sessionID))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.together(6, func() {}); n != 1 {
		t.Errorf("%d of 6 copies spoke while somebody else held the task", n)
	}
	unlock()
	if n := s.together(2, func() {}); n != 0 {
		t.Errorf("%d copies spoke again when the task was free", n)
	}
	s.clock = s.clock.Add(time.Hour)
	if n := s.together(2, func() {}); n != 1 {
		t.Errorf("%d answers to a later start", n)
	}
}

// slowStore takes its time for the first look at a bundle.
type slowStore struct {
	*fakeStore
	looked  chan struct{}
	release chan struct{}
	once    sync.Once
	lock    sync.Mutex
}

func (f *slowStore) View(ctx context.Context, p task.Place) (task.View, error) {
	f.once.Do(func() {
		close(f.looked)
		<-f.release
	})
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.fakeStore.View(ctx, p)
}

func TestCopiesOfAStartWaitForTheOneThatIsBeingAnswered(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	slow := &slowStore{fakeStore: s.store, looked: make(chan struct{}), release: make(chan struct{})}
	s.engine.Store = slow
	n := s.together(6, func() {
		<-slow.looked
		time.Sleep(startWait + startWait/2) // the copies must be past their patience
		close(slow.release)
	})
	if n != 1 {
		t.Errorf("%d of 6 copies spoke", n)
	}
}

func TestAStartThatHangsSilencesItsCopiesAndNoLaterStart(t *testing.T) {
	s := newScene(t)
	s.send(prompt("p1"))
	unlock, err := s.engine.Home.LockStart(t.Context(), task.Key(sessionID))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	short := func() string {
		ctx, cancel := context.WithTimeout(t.Context(), startWait+100*time.Millisecond)
		defer cancel()
		d := &delivery{Engine: s.engine, ctx: ctx, p: s.payload(turn.Event{Kind: turn.SessionStart, Source: turn.Compact, At: s.clock}), key: task.Key(sessionID)}
		said, _ := d.start()
		return said.Context
	}
	if said := short(); said != "" {
		t.Errorf("a copy said %q", said)
	}
	lock := filepath.Join(s.engine.Home.Dir, "locks", "start-"+task.Key(sessionID)+".lock")
	if err := os.Chtimes(lock, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if said := short(); said == "" {
		t.Error("a later start was not answered")
	}
}
