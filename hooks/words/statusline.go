package words

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a status line, in columns.
const (
	lineWidth    = 100 // where nobody says how wide the terminal is
	maxLineWidth = 240
	minNorth     = 12 // of the North, before the heading goes
)

// StatusLine is one plain line for a person: the North, where the work points,
// and how many loops are open, cut to a width in columns, 0 for an unknown one.
// Without a North it is empty.
func StatusLine(north, heading string, open, width int) string {
	if north = Harmless(north); north == "" {
		return ""
	}
	if width <= 0 {
		width = lineWidth
	}
	width = min(width, maxLineWidth)
	loops := ""
	if open > 0 {
		loops = " · " + strconv.Itoa(open) + " open"
	}
	points := ""
	if heading = Harmless(heading); heading != "" {
		points = " · " + strings.ReplaceAll(heading, ", ", " ")
	}
	const sign = "N "
	if room := width - len(sign) - columns(points) - columns(loops); room < min(minNorth, columns(north)) {
		points = ""
	}
	room := width - len(sign) - columns(points) - columns(loops)
	return cutColumns(sign+cutColumns(north, max(room, 1))+points+loops, width)
}

// cutColumns shortens s to a number of columns and marks the cut.
func cutColumns(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	n, end := 0, 0
	for i, r := range s {
		if n += wide(r); n > width-1 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return strings.TrimRight(s[:end], " ") + "…"
}

// columns is how wide a terminal shows a harmless text, as far as can be told
// without its tables: never less than it is.
func columns(s string) (n int) {
	for _, r := range s {
		n += wide(r)
	}
	return n
}

// wide counts two for every script that has wide characters.
func wide(r rune) int {
	switch {
	case r == '\u200c' || r == '\u200d':
		return 0
	case r >= 0x1100 && r <= 0x115F, r >= 0x231A && r <= 0x2BFF, r >= 0x2E80 && r <= 0xA4CF,
		r >= 0xAC00 && r <= 0xD7A3, r >= 0xF900 && r <= 0xFAFF, r >= 0xFE0F && r <= 0xFE6F,
		r >= 0xFF00 && r <= 0xFFE6, r >= 0x1F000:
		return 2
	}
	return 1
}
