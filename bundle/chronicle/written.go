package chronicle

import (
	"bytes"
	"strings"
)

// Written tells whether somebody has written something in a note: text outside
// its blocks, a block of text, or the prose of a checkpoint. A checkpoint that is
// only derived is nobody's words.
func Written(note []byte) bool {
	for _, p := range Pieces(note[split(note).body:]) {
		switch b := p.Block; {
		case b == nil:
			if len(bytes.TrimSpace(p.Raw)) > 0 {
				return true
			}
		case len(b.Covers) > 0, b.State == "" && strings.TrimSpace(b.Text) != "", b.State != "" && prose(b.Text) != "":
			return true
		}
	}
	return false
}

// prose is what stands under the derived part of a checkpoint: behind its heading
// and its list, which an empty line ends.
func prose(text string) string {
	rest, ok := strings.CutPrefix(text, CheckpointHeading)
	if !ok {
		return strings.TrimSpace(text)
	}
	rest = strings.TrimLeft(rest, "\r\n")
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		if !strings.HasPrefix(strings.TrimLeft(line, " "), "- ") {
			break
		}
		rest = after
	}
	return strings.TrimSpace(rest)
}
