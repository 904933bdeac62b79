package work

import (
	"fmt"

	"chatrail/gitstore/share"
	"chatrail/hooks/words"
)

// What was done to a bundle, and what would be.
var (
	done   = tense{"sent", "took", "merged"}
	future = tense{"would send", "would take", "would merge"}
)

type tense struct{ sent, took, merged string }

// Lines say what became of a sync, a line for each reference that something
// happened to, one for all that were even.
func (s *Synced) Lines(dry bool) []string {
	var lines []string
	even, remote := 0, words.Harmless(s.Remote)
	say := done
	if dry {
		say = future
	}
	for _, r := range s.Refs {
		r.Name = words.Harmless(r.Name)
		if r.Why != "" {
			continue // among the failures
		}
		text := ""
		switch share.State(r.State) {
		case share.Even, share.Nothing:
			even++
			continue
		case share.Sent:
			text = say.sent + revisions(" ", r.Ours, "") + " to " + remote
		case share.Taken:
			text = say.took + revisions(" ", r.Theirs, "") + " from " + remote
		case share.Merged:
			text = fmt.Sprintf("%s %s of %s with %d of yours", say.merged, count(r.Theirs, "revision"), remote, r.Ours)
		}
		lines = append(lines, r.Name+": "+text+".")
		for _, path := range r.NoRoom {
			lines = append(lines, r.Name+": the Rail had no room for all of it, the rest is in "+words.Harmless(path)+".")
		}
		if n := len(r.Unsettled); n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s to settle, see `chatrail status`.", r.Name, count(n, "thing")))
		}
	}
	switch {
	case len(s.Refs) == 0:
		lines = append(lines, "Nothing to share: there is no orientation here. `chatrail init` makes one.")
	case even == len(s.Refs):
		lines = append(lines, "Even with "+remote+".")
	}
	if s.More > 0 {
		lines = append(lines, fmt.Sprintf("%s of others stay there: --all brings them.", count(s.More, "road")))
	}
	return lines
}

func revisions(before string, n int, after string) string {
	if n == 0 {
		return ""
	}
	return before + count(n, "revision") + after
}

// Failures are the reasons why something could not be made even, one line each.
func (s *Synced) Failures() []string {
	var lines []string
	for _, r := range s.Refs {
		if r.Why == "" {
			continue
		}
		line := words.Harmless(r.Name) + ": " + r.Why
		if r.State == stateFrozen {
			line += "; see `chatrail status`"
		}
		if r.Owed {
			line += "; it is sent at the next chance"
		}
		lines = append(lines, line)
	}
	return lines
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
