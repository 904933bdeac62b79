package bundle

import "time"

// Outcome is what a history needs to know of an event: when and by whom, and
// the truths that it left behind.
type Outcome struct {
	EventID     string
	Time        time.Time
	Task, Agent string
	Notes       []NoteDigest
	Compass     *Compass // nil where the event did not change it
	Rail        *Rail
}

// ParseOutcome reads one line of an events file, and refuses what ParseEvent
// refuses, and values that are no Compass or Rail. It leaves out the JSON of the
// transitions: most of the time of reading a long history goes into making that
// and reading it again.
func ParseOutcome(line []byte) (Outcome, error) {
	r, _, err := readEventLine(line)
	if err != nil {
		return Outcome{}, err
	}
	meta := r.meta()
	o := Outcome{EventID: meta.EventID, Time: meta.Time, Task: meta.Task, Agent: meta.Agent}
	var broken error // weighs less than what makes the line no event
	r.transitions("transitions", func(t Transition, of *eventReader) {
		if broken != nil || of.err != nil {
			return
		}
		if t.Target == TargetCompass {
			o.Compass = new(Compass)
			*o.Compass, broken = compassFromTree(of.object["after"])
		} else {
			o.Rail = new(Rail)
			*o.Rail, broken = railFromTree(of.object["after"])
		}
	})
	o.Notes = r.notes("notes")
	r.strings("parents")
	if r.err != nil {
		return Outcome{}, r.err
	}
	if broken != nil {
		return Outcome{}, broken
	}
	return o, nil
}
