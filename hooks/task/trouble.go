package task

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"time"
)

// Trouble is a failure inside a hook, which no host and no agent was shown.
type Trouble struct {
	Cause string    `json:"cause"` // one line
	Host  string    `json:"host"`  // where it happened last
	Event string    `json:"event"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Count int       `json:"count"`
	// Passing says that it may be gone the next time, as when somebody held a lock
	// for too long: the person is told when it does not stop.
	Passing bool `json:"passing,omitempty"`
	// Told says that the person had the one line about it.
	Told bool `json:"told,omitempty"`
}

// due says that the person has to be told.
func (t Trouble) due() bool { return !t.Told && (!t.Passing || t.Count >= stubborn) }

const (
	// stubborn is how often something that passes happens before it is told.
	stubborn    = 3
	troubleFile = "trouble.json"
	// maxTroubles bounds what is remembered, the latest first, maxCause a cause in
	// bytes. What did not happen for troubleAge is forgotten.
	maxTroubles = 8
	maxCause    = 500
	troubleAge  = 7 * 24 * time.Hour
	// troubleWait is how long a hook that failed waits at most to write that down,
	// within the limit that it has anyway.
	troubleWait = time.Second
)

// Troubles lists the failures of hooks in the last week, the latest first.
func (h Home) Troubles(now time.Time) ([]Trouble, error) {
	data, err := h.ReadFile("", troubleFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all, recent []Trouble
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, nil // torn, or of another version: nobody's record is lost
	}
	for _, t := range all {
		if t.Cause != "" && now.Sub(t.Last) < troubleAge {
			recent = append(recent, t)
		}
	}
	return recent, nil
}

// NoteTrouble remembers a failure. It says whether the person is to be told now,
// once for each cause: tell says that the host would show it.
func (h Home) NoteTrouble(t Trouble, tell bool) (now bool) {
	if len(t.Cause) > maxCause {
		t.Cause = strings.ToValidUTF8(t.Cause[:maxCause], "")
	}
	ctx, cancel := context.WithTimeout(context.Background(), troubleWait)
	defer cancel()
	h.changeTroubles(ctx, t.Last, func(all []Trouble) []Trouble {
		t.First, t.Count = t.Last, 1
		rest := []Trouble{}
		for _, old := range all {
			if alike(old.Cause, t.Cause) {
				t.First, t.Count, t.Told = old.First, old.Count+1, old.Told
			} else {
				rest = append(rest, old)
			}
		}
		now = tell && t.due()
		t.Told = t.Told || now
		return append([]Trouble{t}, rest...)
	}, func() { now = false })
	return now
}

// UntoldTrouble is a failure that the person was not told of, which counts as
// told from now on; false for none, and where somebody is busy with them for
// longer than the context.
func (h Home) UntoldTrouble(ctx context.Context, now time.Time) (found Trouble, ok bool) {
	all, err := h.Troubles(now)
	if err != nil {
		return Trouble{}, false
	}
	waiting := false
	for _, t := range all {
		waiting = waiting || t.due()
	}
	if !waiting {
		return Trouble{}, false
	}
	h.changeTroubles(ctx, now, func(all []Trouble) []Trouble {
		for i := range all {
			if !all[i].due() {
				continue
			}
			if !ok {
				found, ok = all[i], true
			}
			all[i].Told = true // the others stand in `status`, to which the line leads
		}
		return all
	}, func() { ok = false })
	return found, ok
}

// changeTroubles applies a change under the lock of the file. Where what it made
// cannot be kept failed is called.
func (h Home) changeTroubles(ctx context.Context, now time.Time, change func([]Trouble) []Trouble, failed func()) {
	unlock, err := h.Lock(ctx, "trouble")
	if err != nil {
		return
	}
	defer unlock()
	all, err := h.Troubles(now)
	if err != nil {
		return
	}
	all = change(all)
	data, err := json.Marshal(all[:min(len(all), maxTroubles)])
	if err != nil || h.ReplaceFile("", troubleFile, data) != nil {
		failed() // what is not remembered would be said for ever
	}
}

// alike says that two causes are one, but for what is new each time: the numbers
// in names of temporary files, processes and revisions.
func alike(a, b string) bool { return steady(a) == steady(b) }

func steady(cause string) string {
	words := strings.FieldsFunc(cause, func(r rune) bool {
		return r == ' ' || r == '/' || r == '\\' || r == ':' || r == '.' || r == '-' || r == '"'
	})
	for i, w := range words {
		if strings.ContainsAny(w, "0123456789") {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}
