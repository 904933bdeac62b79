package work

import (
	"context"
	"slices"
	"testing"
	"time"

	"chatrail/hooks/agent"
)

func TestTasksThatWaitToAdoptEachOtherDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	w := newProject(t, "git")
	w.prompt("one")
	w.prompt("two")
	for _, pair := range [][2]string{{"one", "two"}, {"two", "one"}} {
		if _, err := w.desk.dropAdoption(t.Context(), &Made{}, w.key(pair[0]), w.session(pair[1])); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // in place of hanging
	defer cancel()
	unlock, err := w.desk.Home.LockTask(ctx, w.key("one"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	r := w.receipt("one")
	if err := w.desk.Drain(ctx, agent.Payload{}, &r); err != nil {
		t.Fatal(err)
	}
	if r = w.receipt("one"); !slices.Equal(r.Adopted, []string{w.key("two")}) || len(r.Untold) > 0 {
		t.Errorf("adopted %q, to be told %q", r.Adopted, r.Untold)
	}
	if r = w.receipt("two"); !slices.Equal(r.Adopted, []string{w.key("one")}) {
		t.Errorf("the other one adopted %q", r.Adopted)
	}
}
