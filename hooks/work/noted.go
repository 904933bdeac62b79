package work

import (
	"fmt"
	"strings"

	"chatrail/bundle/chronicle"
	"chatrail/hooks/words"
)

// Words tells whoever asked what became of a change of the chronicle.
func (n *Noted) Words() []string {
	var lines []string
	switch n.Outcome {
	case Kept:
		lines = append(lines, "Not recorded yet: from here it cannot be written. It waits in "+n.Dropped+
			" and the next ChatRail hook of this task records it, once.")
	case Unchanged:
		lines = append(lines, n.Path+": nothing to change.")
	default:
		lines = append(lines, n.did())
	}
	if len(n.Missing) > 0 {
		lines = append(lines, "Not there, so not closed: "+words.Harmless(strings.Join(n.Missing, ", "))+". `chatrail task list` shows what there is.")
	}
	return append(lines, replaced(n.Redacted)...)
}

func (n *Noted) did() string {
	switch n.Do {
	case DoNew:
		return n.Path + ": opened, a draft until a commit is stamped on it."
	case DoAppend:
		return n.Path + ": added."
	case DoCheckpoint:
		if n.New {
			return n.Path + ": checkpoint, in a draft that it opened."
		}
		return n.Path + ": checkpoint added."
	case DoStamp:
		return n.Path + ": stamped."
	case DoWorkItem:
		return n.Path + ": noted, to do."
	case DoSpec:
		return n.Path + ": specified."
	case DoStart:
		return n.Path + ": in flight."
	case DoDone:
		return n.Path + ": done."
	case DoCut:
		return n.Path + ": cut."
	}
	return n.Path + ": written."
}

// ItemLine shows one note in a list, harmless to print.
func ItemLine(item chronicle.Item) string {
	state := "draft"
	switch {
	case item.Kind == chronicle.KindWorkItem:
		state = string(item.Status)
	case item.Published():
		state = shortID(item.Hashes[0])
		if more := len(item.Hashes) - 1; more > 0 {
			state += fmt.Sprintf(" +%d", more)
		}
	}
	title := item.Title
	if title == "" {
		title = "(no title)"
	}
	line := fmt.Sprintf("%-12s  %s  %s", words.Harmless(state), words.Harmless(item.Path), words.Cut(words.Harmless(title), 120))
	if item.Kind == chronicle.KindWorkItem && item.By != "" {
		line += "  (by " + words.Cut(words.Harmless(item.By), 60) + ")"
	}
	if item.Broken != "" {
		line += "  (cannot be edited)"
	}
	return line
}
