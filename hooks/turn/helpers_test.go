package turn

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// task plays events on one state, as a caller of Step would.
type task struct {
	t      *testing.T
	state  State
	health Health
	now    time.Time
	given  int // review ids handed out
}

func newTask(t *testing.T) *task {
	return &task{
		t: t,
		health: Health{
			Healthy: true, Named: true, Trusted: true, Tip: "t1",
			Fields: map[string]string{"rail.north": "n1", "compass.heading": "h1"},
		},
		now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
}

// at plays an event as soon as the one before it.
func (k *task) at(e Event) Outcome {
	k.t.Helper()
	k.given++
	e.At, e.NewReview = k.now, fmt.Sprintf("r%d", k.given)
	before := k.state
	next, out := Step(k.state, e, k.health)
	if out.Write == reflect.DeepEqual(before, next) {
		k.t.Errorf("%s: Write is %t", e.Kind, out.Write)
	}
	k.state = next
	return out
}

// later plays an event a minute after the one before it.
func (k *task) later(e Event) Outcome {
	k.t.Helper()
	k.now = k.now.Add(time.Minute)
	return k.at(e)
}

func start(s Source) Event { return Event{Kind: SessionStart, Source: s} }
func words(turn string) Event {
	return Event{Kind: Prompt, Prompt: Words, Turn: turn, PromptHash: "h" + turn}
}
func notification(t string) Event {
	return Event{Kind: Prompt, Prompt: Notification, Turn: t, PromptHash: "task " + t}
}
func stop() Event            { return Event{Kind: Stop} }
func moment(kind Kind) Event { return Event{Kind: kind} }

func expect(t *testing.T, got, want Outcome) {
	t.Helper()
	got.Write, got.Drain = want.Write, want.Drain // held by their own tests
	if !reflect.DeepEqual(got, want) {
		t.Errorf("outcome\n got %+v\nwant %+v", got, want)
	}
}

var (
	silence  = Outcome{}
	askFull  = Outcome{ReviewLine: LineInFull, OpenedReview: true}
	askBrief = Outcome{ReviewLine: LineShort, OpenedReview: true}
	full     = Outcome{Orientation: FullOrientation}
	regained = Outcome{Orientation: FullOrientation, AfterCompaction: true}
	blocked  = Outcome{Block: true}
)

// roundTrip is the state as it comes back from a receipt.
func roundTrip(t interface{ Fatal(...any) }, s State) State {
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back State
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return back
}
