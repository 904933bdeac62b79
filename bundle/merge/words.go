package merge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"chatrail/bundle"
)

// The words of an open item that keeps what was set aside. They hold what was
// said, who said it and when, and nothing that depends on what stands, so that
// the item is the same while that changes.

func (g *graph) northWords(north string, i int) string {
	return g.settleWords("North was also set to "+quoted(north), i)
}

func (g *graph) compassWords(c bundle.Compass, i int) string {
	return g.settleWords(fmt.Sprintf("the Compass was also set to %s, now %s, drift %s, return path %s",
		c.Heading.Words(), quoted(c.Heading.Context), quoted(c.Drift), quoted(c.ReturnPath)), i)
}

func (g *graph) itemWords(id string, v value, i int) string {
	return g.settleWords(fmt.Sprintf("%s was also put on %s as %s", quoted(within(id)), placeNames[v.place], quoted(v.summary)), i)
}

func (g *graph) settleWords(text string, i int) string {
	n := g.nodes[i]
	who := n.Time.UTC().Format("2006-01-02 15:04 UTC")
	if n.Task != "" {
		who += ", task " + first(n.Task, 12)
	}
	if n.Agent != "" {
		who += ", " + bundle.OneLine(n.Agent, 40)
	}
	who = " (" + who + ")"
	const head = "To settle: "
	room := bundle.MaxString - utf8.RuneCountInString(head) - utf8.RuneCountInString(who)
	return head + bundle.OneLine(text, room) + who
}

func quoted(text string) string {
	return `"` + strings.ReplaceAll(text, `"`, `'`) + `"`
}

// first are the first characters of a text.
func first(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}
