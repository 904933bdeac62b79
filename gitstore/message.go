package gitstore

import (
	"fmt"
	"strings"

	"chatrail/bundle"
	"chatrail/bundle/merge"
)

// Bounds of a commit message, in characters and lines.
const (
	maxSubject = 200
	maxLine    = 400
	maxLines   = 60
	maxBody    = 32 << 10 // bytes, so that the commit stays one that is read
)

// importMark is the trailer of a revision that came out of a directory. What
// the notes were in between was not kept there, so they are not checked one
// event at a time.
const importMark = "ChatRail-Import"

// eventTrailer is the trailer that names the event of a revision.
const eventTrailer = "ChatRail-Event"

// message writes the commit message of an event: why, what changed, and
// trailers that programs read.
func message(e bundle.Event, before *bundle.State, after bundle.State, imported bool) string {
	var b strings.Builder
	b.WriteString(subject(e) + "\n")
	var lines []string
	if before != nil {
		lines = bundle.Changes(*before, after)
	}
	for _, n := range e.Notes {
		lines = append(lines, "wrote "+n.Path)
	}
	if len(lines) > maxLines {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", len(lines)-maxLines))
	}
	for _, a := range merge.Asides(e) {
		lines = append(lines, a.String())
	}
	for i, line := range lines {
		if i == 0 {
			b.WriteString("\n")
		}
		if b.Len() > maxBody {
			fmt.Fprintf(&b, "and %d more\n", len(lines)-i)
			break
		}
		b.WriteString(plain(bundle.OneLine(line, maxLine)) + "\n")
	}
	b.WriteString("\n")
	for _, t := range trailers(e, imported) {
		if value := bundle.OneLine(t.value, maxSubject); value != "" {
			b.WriteString(t.key + ": " + value + "\n")
		}
	}
	return b.String()
}

// subject is the reason of an event, or what was written.
func subject(e bundle.Event) string {
	line := bundle.OneLine(e.Reason, maxSubject)
	switch {
	case line != "":
	case len(e.Transitions) == 0 && len(e.Notes) == 1:
		line = bundle.OneLine("write "+e.Notes[0].Path, maxSubject)
	case len(e.Transitions) == 0 && len(e.Notes) > 1:
		line = fmt.Sprintf("write %d notes", len(e.Notes))
	case e.ReviewID == bundle.ReviewGenesis:
		line = "start the bundle"
	default:
		line = "change the orientation"
	}
	return plain(line)
}

// plain keeps a line from meaning something to git: "---" would end the
// message, a comment character could start a scissors line.
func plain(line string) string {
	if line == "" {
		return "-"
	}
	if c := line[0]; c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' && c < 0x80 {
		return " " + line
	}
	return line
}

type trailer struct{ key, value string }

// trailers stand in a paragraph of their own at the end, which is the only
// place where git looks for them: no other line can pass for one.
func trailers(e bundle.Event, imported bool) []trailer {
	mark, rule := "", ""
	if imported {
		mark = "1"
	}
	if len(e.Parents) > 1 {
		rule = mergeVersion
	}
	return []trailer{
		{eventTrailer, e.EventID},
		{"ChatRail-Review", e.ReviewID},
		{"ChatRail-Task", e.Task[:min(len(e.Task), 12)]},
		{"ChatRail-Agent", e.Agent},
		{"ChatRail-Branch", e.Branch},
		{"ChatRail-Head", e.Head},
		{mergeMark, rule},
		{importMark, mark},
	}
}

// isImported says whether a message carries the mark in its last paragraph.
func isImported(message string) bool {
	return strings.Contains(lastParagraph(message)+"\n", "\n"+importMark+": 1\n")
}

// lastParagraph is where trailers stand, with a line break in front of it.
func lastParagraph(message string) string {
	last := strings.TrimRight(message, "\n")
	if i := strings.LastIndex(last, "\n\n"); i >= 0 {
		last = last[i+1:]
	}
	return last
}
