package hooks

import (
	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
	"chatrail/hooks/words"
)

// words puts together what an outcome says.
func (d *delivery) words(out turn.Outcome, p task.Place, v task.View) agent.Words {
	var w agent.Words
	var text speech // what stands behind the orientation
	if out.Before {
		text.add(words.Before(d.before, d.Now(), d.Program, d.naming()))
	}
	if r := d.receipt.Turn.Review; r != nil {
		command := d.command(r.ID)
		switch out.ReviewLine {
		case turn.LineInFull:
			text.add(words.ReviewLine(command, true, v.Named))
		case turn.LineShort:
			text.add(words.ReviewLine(command, false, v.Named))
		}
		if out.Block {
			w.Block = words.BlockReason(agent.BlockPrefix, command, v.Named)
		}
	}
	if out.AfterCompaction && d.lost != nil {
		text.add(d.regained(*d.lost))
	}
	if out.WarnFrozen {
		cause := p.Frozen
		if cause == "" {
			cause = v.Frozen
		}
		w.UserNote = "ChatRail writes nothing here until this is settled: " + words.Cut(words.Harmless(cause), 300) + ". See `chatrail status`."
	}
	w.Context = join(d.opening(out, p, v, agent.MaxContext-len(text)-len(d.untold())-2*len(paragraph)), string(text))
	return w
}

// opening is the orientation within so many bytes: what has to be run as printed
// stands behind it, and it is the orientation that has a command for its rest.
func (d *delivery) opening(out turn.Outcome, p task.Place, v task.View, limit int) string {
	switch out.Orientation {
	case turn.FullOrientation:
		return d.orientation(limit, "orientation", p, v, v.Lines, out.AfterCompaction)
	case turn.ReadOnlyOrientation:
		return d.orientation(limit, "orientation, read-only for a sub-agent", p, v, v.Lines, false)
	case turn.ChangedOrientation:
		return d.orientation(limit, "orientation, what changed since it was last said", p, v, changedLines(v, out.Changed), false)
	case turn.UntrustedLine:
		return words.Untrusted
	}
	return ""
}

// command is the line that answers a review. An id of the Python tool has no
// task in it, so its session is named as well.
func (d *delivery) command(id string) string {
	if _, ours := task.ReviewTask(id); ours {
		return d.Program + " reconcile " + id
	}
	return d.Program + " reconcile --session-id " + words.ShellQuote(d.p.SessionID) + " --review-id " + words.ShellQuote(id)
}

// orientation is the origin and the lines of a bundle.
func (d *delivery) orientation(limit int, kind string, p task.Place, v task.View, lines []task.Line, compacted bool) string {
	origin := words.Origin(words.Source{
		Bundle: p.Title(), When: v.When, Task: v.Task, Agent: v.Agent, Branch: v.Branch,
	}, d.Now(), kind)
	said := make([]words.Line, len(lines))
	for i, l := range lines {
		said[i] = words.Line(l)
	}
	var extra []string
	if compacted && v.FirstNorth != "" {
		extra = append(extra, "The first North, since replaced, was: "+v.FirstNorth)
	}
	return words.Join(limit, origin, said, extra, "chatrail show")
}

// changedLines are the lines of the named fields; one that is now empty says so.
func changedLines(v task.View, fields []string) []task.Line {
	var lines []task.Line
	for _, f := range fields {
		found := false
		for _, l := range v.Lines {
			if l.Field == f {
				lines, found = append(lines, l), true
			}
		}
		if !found {
			lines = append(lines, task.Line{Field: f, Text: words.FieldName(f) + ": none"})
		}
	}
	return lines
}

// paragraph stands between two of them.
const paragraph = "\n\n"

// speech is a text made of paragraphs.
type speech string

func (s *speech) add(text string) {
	if text == "" {
		return
	}
	if *s != "" {
		*s += paragraph
	}
	*s += speech(text)
}

// maxUntold bounds one of them: all together leave room for an orientation.
const maxUntold = 400

// untold are the lines that waited for an event that can say them.
func (d *delivery) untold() string {
	var text speech
	for _, line := range d.receipt.Untold {
		text.add(words.Cut(words.Harmless(line), maxUntold))
	}
	return string(text)
}

func join(a, b string) string {
	text := speech(a)
	text.add(b)
	return string(text)
}
