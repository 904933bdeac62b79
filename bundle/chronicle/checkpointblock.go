package chronicle

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatrail/bundle"
)

// Bounds of a checkpoint's block. What is beyond them is counted.
const (
	maxPaths = 200 // changed paths
	maxRefs  = 50  // of any other list
	maxWords = 300 // characters of one text
)

// CheckpointHeading is the first line of every checkpoint.
const CheckpointHeading = "## Checkpoint"

// Block is the checkpoint as Markdown, without prose: a heading, then a list of
// what is not empty, ended by a line break. Every text stands on one line; a
// path that a terminal or Markdown could misread is quoted with escapes.
func (c Checkpoint) Block() string {
	var b blockWriter
	b.WriteString(CheckpointHeading + "\n\n")
	b.text("North", c.North)
	b.text("Next", c.Next)
	b.text("Branch", c.place())
	b.text("In progress", c.Operation)
	b.text("Work tree", c.Trouble)
	if c.Draft != nil {
		b.text("Draft", refWords(*c.Draft))
	} else {
		b.text("Draft", "none")
	}
	section(&b, "In flight", "", c.InFlight, maxRefs, refWords)
	section(&b, "Owed", "", c.Owed, maxRefs, refWords)
	section(&b, "Changed paths", c.caveat(), c.Changed, maxPaths, Path.words)
	section(&b, "Commits that nothing covers yet", c.commitCaveat(), c.Commits, maxRefs, Uncovered.words)
	section(&b, "Memory to settle", "", c.Memory, maxRefs, Obligation.words)
	return b.String()
}

// Text is a checkpoint as a note keeps it: the block, and the prose under it
// byte for byte.
func (c Checkpoint) Text(prose string) string {
	if prose == "" {
		return c.Block()
	}
	return c.Block() + "\n" + prose
}

// Covers are the commits that the checkpoint accounts for once it has prose, as
// the block that holds it names them.
func (c Checkpoint) Covers() (ids []string) {
	for _, u := range c.Commits {
		ids = append(ids, u.ID)
	}
	return ids
}

// place says where the work tree stands.
func (c Checkpoint) place() string {
	switch {
	case c.Branch == "" && c.Head == "":
		return ""
	case c.Branch == "", c.Branch == Detached(c.Head):
		return Detached(c.Head)
	case c.Head == "":
		return c.Branch + ", HEAD none yet"
	}
	return c.Branch + " at " + short(c.Head)
}

// Detached is what stands for a branch where HEAD is a commit alone.
func Detached(head string) string { return "detached at " + short(head) }

// caveat says how far the list of changed paths can be trusted.
func (c Checkpoint) caveat() string {
	switch {
	case c.Partial:
		return "partial: the deadline passed before all of them were found and read"
	case c.Approximate:
		return "approximate: found without git"
	}
	return ""
}

func (c Checkpoint) commitCaveat() string {
	if c.CommitsPartial {
		return "partial: the log of HEAD is missing or was cut"
	}
	return ""
}

type blockWriter struct{ strings.Builder }

func (b *blockWriter) text(label, text string) {
	if text = bundle.OneLine(text, maxWords); text != "" {
		fmt.Fprintf(b, "- %s: %s\n", label, text)
	}
}

// section writes a list under a label. It is left out where it is empty and
// there is nothing to say of it.
func section[T any](b *blockWriter, label, caveat string, items []T, limit int, words func(T) string) {
	if len(items) == 0 && caveat == "" {
		return
	}
	fmt.Fprintf(b, "- %s: %d", label, len(items))
	if caveat != "" {
		fmt.Fprintf(b, " (%s)", caveat)
	}
	b.WriteByte('\n')
	for _, item := range items[:min(limit, len(items))] {
		fmt.Fprintf(b, "  - %s\n", words(item))
	}
	if more := len(items) - limit; more > 0 {
		fmt.Fprintf(b, "  - and %d more\n", more)
	}
}

func refWords(r Ref) string {
	words := codeSpan(r.Path)
	if title := bundle.OneLine(r.Title, maxWords); title != "" {
		words = title + " " + words
	}
	if r.By != "" {
		words += ", by " + bundle.OneLine(r.By, 80)
	}
	return words
}

func (p Path) words() string {
	words := codeSpan(strings.ReplaceAll(p.State, " ", ".")) + " " + codeSpan(p.Path)
	if p.Declared {
		words += " declared"
	}
	if p.Earlier {
		words += " (since before this task)"
	}
	return words
}

func (u Uncovered) words() string {
	return strings.TrimSpace(codeSpan(short(u.ID)) + " " + bundle.OneLine(u.Subject, maxWords))
}

func (o Obligation) words() string {
	words := codeSpan(o.Name)
	if o.Description != "" {
		words += " " + bundle.OneLine(o.Description, maxWords)
	}
	return words
}

// codeSpan shows text as code. Text that holds quotes, backslashes, control or
// invisible characters, or blanks at an edge, is quoted as Go quotes strings, so
// that two different texts never look the same.
func codeSpan(text string) string {
	const most = 1000 // bytes; the longest path that notes may have is not much longer
	if len(text) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` || strings.TrimSpace(text) != text || text == "" {
		text = quoted
	}
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " " // Markdown takes one blank at each side away again
	}
	return fence + text + fence
}

// longestRun is the length of the longest run of a byte in text.
func longestRun(text string, of byte) (longest int) {
	run := 0
	for i := 0; i < len(text); i++ {
		if text[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// short is the beginning of a commit id that people read.
func short(id string) string {
	id = bundle.OneLine(id, 64)
	return id[:min(len(id), 10)]
}
