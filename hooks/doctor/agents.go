package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/wire"
	"chatrail/hooks/words"
)

// agent looks at one client: nothing where it is neither here nor wired.
func (v Visit) agent(ctx context.Context, h agent.Host, seen []task.Seen) (lines []Line) {
	path, err := v.Client(h.Executable())
	found := err == nil
	var wired []wire.Wiring
	for _, w := range v.Wiring(h) {
		if len(w.Events) > 0 || w.Problem != "" {
			wired = append(wired, w)
		}
	}
	calls := slices.ContainsFunc(wired, func(w wire.Wiring) bool { return len(w.Events) > 0 })
	plugged := v.Places(h)
	switch {
	case !found && len(wired) == 0:
		return nil
	case !found && calls:
		lines = append(lines, warning(h.Executable()+" is not on the search path, and its settings call ChatRail", "install "+h.Title()+" again, or run `chatrail uninstall "+string(h)+"`"))
	case found:
		lines = append(lines, ok(h.Executable()+" "+cmp.Or(version(ctx, h, path), "of an unknown version")+" at "+path))
	}
	if !calls && len(plugged) == 0 && !slices.ContainsFunc(wired, func(w wire.Wiring) bool { return w.Problem != "" }) {
		return append(lines, v.unwired(h))
	}
	for _, w := range wired {
		lines = append(lines, v.wiring(w)...)
	}
	for _, s := range v.Off(h) {
		which := "the hooks of ChatRail"
		if s.All {
			which = "all hooks"
		}
		lines = append(lines, problem(s.Path+" switches "+which+" off", "switch them on in that file: no hook of ours runs before"))
	}
	if len(plugged) > 1 {
		lines = append(lines, warning("the hook is registered in several places, each event still counts once: "+strings.Join(plugged, ", "),
			"take it out of all but one of them: "+strings.Join(waysOut(h), ", ")))
	}
	if h == agent.Codex {
		lines = append(lines, v.codexTrust(wired)...)
	}
	if calls || len(plugged) > 0 {
		lines = append(lines, lastSeen(h, seen))
	}
	return lines
}

// unwired says that a client does not call the hook, and what is in the way of
// having it do so.
func (v Visit) unwired(h agent.Host) Line {
	next := "chatrail install " + string(h)
	for _, w := range v.Wiring(h) {
		if w.Scope == wire.User && w.Fixed != "" {
			return warning("it is not wired, and "+w.Path+" cannot be edited: "+oneLine(w.Fixed), "let yourself edit it, then run `"+next+"`")
		}
	}
	return warning("it is not wired", next)
}

// waysOut are the commands that take a registration out, by where it is.
func waysOut(h agent.Host) []string {
	ways := []string{"`chatrail uninstall " + string(h) + "` for yours", "`chatrail uninstall " + string(h) + " --project` for the project's"}
	switch h {
	case agent.Claude:
		ways = append(ways, "`claude plugin uninstall chatrail@chatrail` for the plugin")
	case agent.Codex:
		ways = append(ways, "`codex plugin remove chatrail@chatrail` for the plugin", "by hand for config.toml")
	case agent.Gemini:
		ways = append(ways, "`gemini extensions uninstall chatrail` for the extension")
	}
	return ways
}

// wiring looks at one file of settings.
func (v Visit) wiring(w wire.Wiring) (lines []Line) {
	again := installIn(w)
	switch {
	case w.Problem != "":
		return []Line{problem(w.Path+": "+oneLine(w.Problem), "mend the file, then run `"+again+"`")}
	case len(w.Missing) > 0:
		lines = append(lines, warning("wired in "+w.Path+", but not for "+strings.Join(w.Missing, ", "), again))
	default:
		lines = append(lines, ok("wired in "+w.Path))
	}
	if len(w.Doubled) > 0 {
		lines = append(lines, warning(w.Path+" calls the hook more than once for "+strings.Join(w.Doubled, ", ")+"; each event still counts once",
			again+": it leaves one, and lines of your own that do more"))
	}
	for _, command := range w.Commands {
		lines = append(lines, v.command(w, command)...)
	}
	return lines
}

// installIn is the command that wires a client where it is wired.
func installIn(w wire.Wiring) string {
	command := "chatrail install " + string(w.Agent)
	if w.Scope == wire.Project {
		command += " --project"
	}
	return command
}

// command looks whether the program of a registered line is there, and of this
// version.
func (v Visit) command(w wire.Wiring, line string) []Line {
	program := wire.Called(w.Agent, line)
	if program == "" {
		return nil
	}
	path, err := v.LookPath(program)
	switch {
	case err == nil:
		return v.otherHook(w, path)
	case strings.ContainsAny(program, "$%"), strings.HasPrefix(program, "~"):
		return nil // where a variable leads is for the agent's shell to say
	}
	text, next := program+" is not there, and "+w.Path+" calls it", installIn(w)
	if program == "chatrail-hook" {
		text, next = w.Path+" calls chatrail-hook, which is not on the search path", "put the folder of chatrail-hook on the search path, or run `chatrail install "+string(w.Agent)+"`"
	}
	return []Line{problem(text, next)}
}

// otherHook says where a line calls another hook than the one of this program,
// and it is of another version.
func (v Visit) otherHook(w wire.Wiring, path string) []Line {
	hook, _ := v.hook()
	if v.Self == "" || hook == "" || sameFile(hook, path) {
		return nil
	}
	found := sameBuild(path)
	if found.Level == OK {
		return nil
	}
	next := installIn(w)
	if w.Scope == wire.Project {
		next = "put " + filepath.Dir(hook) + " first on the search path"
	}
	return []Line{warning(w.Path+" calls "+found.Text, next)}
}

// lastSeen says when each hook of a client was last called.
func lastSeen(h agent.Host, seen []task.Seen) Line {
	var called, never []string
	last := map[string]time.Time{}
	for _, s := range seen {
		if s.Host == string(h) {
			last[s.Event] = s.At
		}
	}
	for _, r := range h.Wired() {
		if at, ok := last[r.Event]; ok {
			called = append(called, fmt.Sprintf("%s %s", r.Event, words.Age(time.Since(at))))
		} else {
			never = append(never, r.Event)
		}
	}
	if len(called) == 0 {
		return warning("its hooks were never called", "start a new session of "+h.Title()+" and send a prompt; a running one may not know of them yet")
	}
	text := "last called: " + strings.Join(called, ", ")
	if len(never) > 0 {
		text += "; never: " + strings.Join(never, ", ")
	}
	return ok(text)
}
