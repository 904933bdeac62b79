package agent

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"chatrail/hooks/turn"
)

const (
	document   = "../../docs/agents.md"
	factsBegin = "<!-- From hooks/agent/hosts.go, by its test. -->\n"
	factsEnd   = "<!-- So far. -->\n"
)

// facts prints the rows of hosts.go as tables.
func factTables() string {
	var b strings.Builder
	line := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	code := func(s string) string { return "`" + s + "`" }

	line("agent", "program", "measured with", "registered for a user", "for a project", "command", "a time-out of 1")
	line("---", "---", "---", "---", "---", "---", "---")
	for _, h := range hosts {
		unit := "one second"
		if h.unit == time.Millisecond {
			unit = "one millisecond"
		}
		line(h.title, code(h.executable), h.version, code(h.user), code(h.project),
			code("chatrail-hook "+strings.Join(h.name.Arguments("EVENT"), " ")), unit)
	}

	b.WriteString("\n")
	line("agent", "event", "moment", "what may be printed", "time-out")
	line("---", "---", "---", "---", "---")
	for _, h := range hosts {
		for _, e := range h.events {
			timeout := "not registered"
			if e.timeout > 0 {
				timeout = fmt.Sprint(e.timeout)
			}
			moment := string(e.kind)
			if e.trigger != "" {
				moment += " (only at the trigger " + code(e.trigger) + ")"
			}
			line(h.title, code(e.name), moment, e.printed(), timeout)
		}
	}

	b.WriteString("\n")
	line("agent", "a text arrives whole up to", "blocks in a row", "session in the agent's shell", "how `chatrail` is called there")
	line("---", "---", "---", "---", "---")
	for _, h := range hosts {
		blocks := "no end seen"
		if h.blocks > 0 {
			blocks = fmt.Sprint(h.blocks)
		} else if h.name == OpenCode {
			blocks = "the plugin's choice"
		}
		session := code(strings.Join(h.sessionIn, "`, `"))
		if h.blind {
			session = "not told; printed commands name it"
		}
		call := "by name, where the search path leads to it"
		if h.ownPath {
			call = "by its path: the shell has a search path of its own"
		}
		limit := "not measured"
		if h.limit > 0 {
			limit = fmt.Sprint(h.limit) + " " + h.units
		}
		line(h.title, limit, blocks, session, call)
	}

	b.WriteString("\n")
	line("agent", "a run that nobody watches", "a sub-agent", "not supported")
	line("---", "---", "---", "---")
	for _, h := range hosts {
		lacks := h.lacks
		if lacks == "" {
			lacks = "nothing known"
		}
		line(h.title, h.headless, h.child, lacks)
	}
	return b.String()
}

// printed says what may be printed for an event.
func (e event) printed() string {
	var ways []string
	if e.prints&printContext != 0 {
		way := "context for the model"
		switch e.kind {
		case turn.ChildStart:
			way = "context for the sub-agent"
		case turn.PreCompact:
			way = "context for whoever sums up"
		}
		for _, s := range e.deaf {
			way += ", nothing at `" + string(s) + "`"
		}
		ways = append(ways, way)
	}
	if e.prints&printBlock != 0 {
		ways = append(ways, "a block with its reason")
	}
	if e.prints&printNote != 0 {
		ways = append(ways, "a note to the person")
	}
	if e.prints&printPlain != 0 {
		ways = append(ways, "plain text for whoever sums up")
	}
	if len(ways) == 0 {
		return "nothing"
	}
	return strings.Join(ways, "; ")
}

// UPDATE_GOLDEN=1 writes the tables anew.
func TestDocumentSaysOfEachClientWhatTheCodeKnows(t *testing.T) {
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(data), factsBegin)
	is, after, ended := strings.Cut(rest, factsEnd)
	if !begun || !ended {
		t.Fatal("the document has no place for the tables")
	}
	want := "\n" + factTables() + "\n"
	if is != want && os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(document, []byte(before+factsBegin+want+factsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if is != want {
		t.Errorf("the tables changed; run the test with UPDATE_GOLDEN=1 and read the difference\n%s", want)
	}
}

func TestRowsAreWhole(t *testing.T) {
	for _, h := range hosts {
		if h.title == "" || h.executable == "" || h.version == "" || h.user == "" || h.project == "" || h.headless == "" || h.child == "" || h.turn == nil || h.unattended == nil || len(h.marks) == 0 {
			t.Errorf("%s: %+v", h.name, h)
		}
		if h.limit != 0 && h.limit != clientCap(h.name) {
			t.Errorf("%s: its limit is said to be %d", h.name, h.limit)
		}
		moments := map[turn.Kind]bool{}
		for _, e := range h.events {
			if moments[e.kind] {
				t.Errorf("%s: two events mean %s", h.name, e.kind)
			}
			moments[e.kind] = true
			if most := 10 * time.Second; time.Duration(e.timeout)*h.unit > most || e.timeout > 0 && time.Duration(e.timeout)*h.unit < least(e.kind) {
				t.Errorf("%s %s: a time-out of %d", h.name, e.name, e.timeout)
			}
		}
		for _, k := range []turn.Kind{turn.SessionStart, turn.Prompt, turn.PreCompact, turn.Stop, turn.SessionEnd} {
			if !moments[k] {
				t.Errorf("%s has no %s", h.name, k)
			}
		}
	}
}

// least is how long a hook may take at a moment.
func least(k turn.Kind) time.Duration {
	if k == turn.SessionEnd {
		return 700 * time.Millisecond
	}
	return 2 * time.Second
}

func TestRegistrationsAreTheEventsThatDoSomething(t *testing.T) {
	for _, h := range append(Hosts(), "unknown") {
		for _, r := range h.Wired() {
			args := h.Arguments(r.Event)
			if want := h == Copilot; args[0] != string(h) || (len(args) == 2) != want || want && args[1] != r.Event {
				t.Errorf("%s %s: %q", h, r.Event, args)
			}
			if h.Ends(r.Event) != strings.EqualFold(r.Event, "sessionEnd") {
				t.Errorf("%s %s ends a session: %t", h, r.Event, h.Ends(r.Event))
			}
		}
		if known := h.Known(); known != (len(h.Wired()) > 4) || known != (h.Title() != "") || known != (h.Unit() > 0) {
			t.Errorf("%s: known is %t", h, known)
		}
	}
	if OpenCode.Hears("PreCompact", "") || Gemini.Hears("SessionStart", turn.Clear) || !Gemini.Hears("SessionStart", turn.Resume) || !Gemini.Hears("BeforeAgent", "") || Gemini.Hears("AfterAgent", "") {
		t.Error("what is heard")
	}
}
