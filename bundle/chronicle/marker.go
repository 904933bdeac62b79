package chronicle

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

const (
	markerStart = "<!-- chatrail:"
	markerEnd   = " -->"
	blockWord   = "block"
	endWord     = "end"
)

// marker is the first or the last line of a block.
type marker struct {
	start, end int // its line, with the line break
	level      int // number of plus signs
	opens      bool
	block      Block // without its text; of a last line only the id
}

// findMarkers lists the marker lines of text. A marker is alone on its line; a
// carriage return behind it belongs to the line break.
func findMarkers(text []byte) (markers []marker) {
	for at := 0; at < len(text); {
		i := bytes.Index(text[at:], []byte(markerStart))
		if i < 0 {
			break
		}
		start := at + i
		content, next := line(text, start)
		at = next
		if start > 0 && text[start-1] != '\n' {
			continue
		}
		if m, ok := parseMarker(string(bytes.TrimSuffix(content, []byte("\r")))); ok {
			m.start, m.end = start, next
			markers = append(markers, m)
		}
	}
	return markers
}

// matching returns the index of the last line that belongs to the first line at
// i, -1 where i is no first line or there is no last one. The first line of
// another block of the same level or a higher one comes from outside: it ends
// the search.
func matching(markers []marker, i int) int {
	opening := markers[i]
	if !opening.opens {
		return -1
	}
	for j := i + 1; j < len(markers); j++ {
		switch m := markers[j]; {
		case m.opens && m.level >= opening.level:
			return -1
		case !m.opens && m.level == opening.level && m.block.ID == opening.block.ID:
			return j
		}
	}
	return -1
}

// parseMarker reads a marker line.
func parseMarker(text string) (m marker, ok bool) {
	text, found := strings.CutPrefix(text, markerStart)
	if !found {
		return m, false
	}
	if text, found = strings.CutSuffix(text, markerEnd); !found {
		return m, false
	}
	words := strings.Split(text, " ")
	word := strings.TrimRight(words[0], "+")
	m.level = len(words[0]) - len(word)
	switch {
	case word == endWord && len(words) == 2 && isToken(words[1]):
		m.block.ID = words[1]
		return m, true
	case word != blockWord || len(words) < 3 || !isToken(words[2]):
		return m, false
	}
	at, err := time.Parse(time.RFC3339Nano, words[1])
	if err != nil {
		return m, false
	}
	m.opens = true
	m.block.Time, m.block.ID = at.UTC(), words[2]
	for _, word := range words[3:] {
		key, value, found := strings.Cut(word, "=")
		if !found {
			return m, false
		}
		switch key {
		case "task":
			m.block.Task, found = value, isToken(value)
		case "state":
			m.block.State, found = value, isToken(value)
		case "covers":
			m.block.Covers = strings.Split(value, ",")
			found = !slices.ContainsFunc(m.block.Covers, func(id string) bool { return !isToken(id) })
		}
		if !found {
			return m, false
		}
	}
	return m, true
}

// opening is the first line of a block.
func (b Block) opening(level int) string {
	var s strings.Builder
	s.WriteString(markerStart + blockWord + strings.Repeat("+", level))
	s.WriteString(" " + b.Time.Format(time.RFC3339Nano) + " " + b.ID)
	for _, v := range [...]struct{ key, value string }{
		{"task", b.Task}, {"state", b.State}, {"covers", strings.Join(b.Covers, ",")},
	} {
		if v.value != "" {
			s.WriteString(" " + v.key + "=" + v.value)
		}
	}
	s.WriteString(markerEnd)
	return s.String()
}

func closingLine(id string, level int) string {
	return markerStart + endWord + strings.Repeat("+", level) + " " + id + markerEnd
}

// isToken tells a value that can stand in a marker.
func isToken(s string) bool {
	if s == "" || len(s) > 128 || strings.Contains(s, "--") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
