package worktree

import (
	"strings"
	"unicode"
)

// maxReason is how many bytes of a reason are kept.
const maxReason = 400

// reason is why git refused, in one line: its first "fatal" line, else its first
// "error" line, else the last that says anything. A line that announces a list,
// as "unknown repository extension found:", takes the list along.
func reason(stderr string) string {
	var text string
	var rank int
	lines := strings.Split(stderr, "\n")
	for i, line := range lines {
		this, said := 1, line
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			this, said = 3, rest
		} else if rest, ok := strings.CutPrefix(line, "error: "); ok {
			this, said = 2, rest
		}
		if strings.TrimSpace(said) == "" || this < rank || this == rank && this > 1 {
			continue
		}
		if strings.HasSuffix(strings.TrimSpace(said), ":") {
			for _, more := range lines[i+1:] {
				if !strings.HasPrefix(more, "\t") {
					break
				}
				said += more
			}
		}
		text, rank = said, this
	}
	return harmless(text)
}

// harmless makes one bounded line of a text from outside: printable, valid
// UTF-8, every run of white space one blank.
func harmless(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	text = strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return '?'
	}, text)
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}

// tail keeps the end of what a process wrote: where git gives up, it says so
// last.
type tail struct{ kept []byte }

const maxTail = 8 << 10

func (t *tail) Write(data []byte) (int, error) {
	t.kept = append(t.kept, data...)
	if len(t.kept) > 2*maxTail {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-maxTail:]...)
	}
	return len(data), nil
}
