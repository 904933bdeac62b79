package words

import (
	"strings"
	"time"
)

// Earlier is a task that may have come before in a place.
type Earlier struct {
	Task  string // short key
	Agent string // title of the client
	At    time.Time
	North string // "" where it may not be said, or none is named
}

// maxNorth bounds the North of a task that came before, in bytes: enough to
// recognise it by.
const maxNorth = 100

// Before tells a session, in one line, which task came before in its place, and
// the command that adopts it. Of several that cannot be told apart it names
// each. program calls chatrail, naming stands behind the command.
func Before(list []Earlier, now time.Time, program, naming string) string {
	var b strings.Builder
	switch len(list) {
	case 0:
		return ""
	case 1:
		b.WriteString("ChatRail: in this place came before ")
	default:
		b.WriteString("ChatRail: several tasks were at work in this place before; adopt only the one that this session goes on with: ")
	}
	for i, e := range list {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString("task " + short(Harmless(e.Task)))
		b.WriteString(" (" + Cut(Harmless(e.Agent), 20) + ", at work " + Age(now.Sub(e.At)) + ")")
		if north := Cut(Harmless(e.North), maxNorth); north != "" {
			b.WriteString(`, North (quoted): "` + north + `"`)
		}
		if len(list) == 1 {
			b.WriteString(". If this session goes on with it:")
		} else {
			b.WriteString(":")
		}
		b.WriteString(" `" + program + " adopt " + short(Harmless(e.Task)) + naming + "`")
	}
	return b.String()
}
