package wire

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chatrail/hooks/agent"
)

// Wiring is whether and how a client is wired in one scope.
type Wiring struct {
	Agent agent.Host `json:"agent"`
	Scope Scope      `json:"scope"`
	Path  string     `json:"path"`
	// Events are those that the hook is called for, Missing those that it should
	// be called for too, Doubled those that it is called for more than once.
	Events  []string `json:"events,omitempty"`
	Missing []string `json:"missing,omitempty"`
	Doubled []string `json:"doubled,omitempty"`
	// Commands are the lines that are run. Current says that they are what this
	// version would install.
	Commands []string `json:"commands,omitempty"`
	Current  bool     `json:"current"`
	// Permission says that the agent may run its review without asking.
	Permission bool `json:"permission"`
	// Fixed is why a file that does not call the hook cannot be edited.
	Fixed string `json:"fixed,omitempty"`
	// Problem is why nothing can be said: the file cannot be read.
	Problem string `json:"problem,omitempty"`
}

// Wired tells whether the client calls the hook at all.
func (w Wiring) Wired() bool { return len(w.Events) > 0 }

// Look tells whether and how a client is wired. It changes nothing.
func Look(h agent.Host, scope Scope, env Env) Wiring {
	w := Wiring{Agent: h, Scope: scope}
	places, err := env.places(h, scope)
	if err != nil {
		w.Problem = err.Error()
		return w
	}
	w.Path = places[0].path
	for _, p := range places[1:] {
		if text, ok := read(p.path); ok && signed(text) {
			w.Permission = true
		}
	}
	text, ok := read(w.Path)
	switch {
	case !ok && exists(w.Path):
		w.Problem = "it cannot be read"
		if _, err := readFile(w.Path); err != nil {
			w.Problem = err.Error()
		}
		return w
	case !ok || blank(text):
		return w.fixed()
	}
	if places[0].kind == pluginFile {
		if claimed(text) || strings.Contains(string(text), "chatrail") {
			w.Current = string(text) == string(env.pluginText(places[0]))
			for _, r := range h.Wired() {
				w.Events = append(w.Events, r.Event)
			}
		}
		return w
	}
	s := settings{env: env, place: places[0]}
	d, err := parse(body(text))
	if err != nil {
		w.Problem = err.Error()
		return w
	}
	w.Problem = s.check(text)
	w.tell(s, d)
	return w
}

// fixed notes why a file that does not call the hook cannot be edited.
func (w Wiring) fixed() Wiring {
	if f, err := readFile(w.Path); err != nil && len(w.Events) == 0 {
		w.Fixed = err.Error()
	} else if err == nil && len(w.Events) == 0 {
		w.Fixed = f.barred()
	}
	return w
}

// tell says what of ours a document holds.
func (w *Wiring) tell(s settings, d *document) {
	lines := s.wired(d)
	for _, r := range w.Agent.Wired() {
		if len(lines[r.Event]) == 0 {
			w.Missing = append(w.Missing, r.Event)
		}
	}
	for _, event := range slices.Sorted(maps.Keys(lines)) {
		w.Events = append(w.Events, event)
		if len(lines[event]) > 1 {
			w.Doubled = append(w.Doubled, event)
		}
		for _, line := range lines[event] {
			if !slices.Contains(w.Commands, line) {
				w.Commands = append(w.Commands, line)
			}
		}
	}
	if len(w.Events) == 0 {
		w.Missing = nil
	}
	w.Current = s.complete(d)
	*w = w.fixed()
	w.Permission = w.Permission || slices.ContainsFunc(d.permitted(), ownRule().MatchString)
}

// read reads a settings file that is not beyond all measure.
func read(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil
}

// mayHoldOurs tells whether a file that cannot be edited holds something of ours,
// or cannot be read to see.
func (e Env) mayHoldOurs(p place) bool {
	if text, ok := read(p.path); ok {
		return mentions(p.host, text) || claimed(text)
	}
	info, err := os.Stat(p.path)
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	return info.Mode().IsRegular() && (info.Size() <= maxFile || recall(e.State, p.path) != nil)
}

// callsWithMore tells whether settings call the hook in a line of somebody's own.
func (e Env) callsWithMore(h agent.Host, path string) bool {
	text, _ := read(path)
	d, err := parse(body(text))
	if err != nil {
		return false
	}
	s := settings{env: e, place: place{host: h}}
	own := s.own(d)
	for event, lines := range s.wired(d) {
		if len(lines) > len(own[event]) {
			return true
		}
	}
	return false
}

// Elsewhere lists the other places from which a client calls the hook too: its
// settings in the other scope, and a plugin.
func Elsewhere(h agent.Host, scope Scope, env Env) []string {
	var list []string
	for _, other := range []Scope{User, Project} {
		if w := Look(h, other, env); other != scope && w.Wired() && !env.oneFile(h) {
			list = append(list, w.Path)
		}
	}
	return append(list, plugged(h, env)...)
}

// Both looks at a client's settings in both scopes, once where they are one file.
func Both(h agent.Host, env Env) []Wiring {
	list := []Wiring{Look(h, User, env)}
	if project := Look(h, Project, env); project.Path != "" && !env.oneFile(h) {
		list = append(list, project)
	}
	return list
}

// oneFile tells whether a client's settings for this project are the user's own:
// in the home directory, or by a link.
func (e Env) oneFile(h agent.Host) bool {
	user, err := e.places(h, User)
	if err != nil {
		return false
	}
	project, err := e.places(h, Project)
	return err == nil && same(user[0].path, project[0].path)
}

// same tells whether two names lead to one place, also where nothing is yet.
func same(a, b string) bool {
	if a == b {
		return true
	}
	a, err := reach(a)
	if err != nil {
		return false
	}
	if b, err = reach(b); err != nil {
		return false
	}
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y) && names(x) == 1 // of two hard links each is a file to edit
}

// Doubled lists the places from which a client calls the hook, where that is
// more than one. Each event still has one effect.
func Doubled(h agent.Host, env Env) []string {
	var list []string
	if w := Look(h, User, env); w.Wired() {
		list = append(list, w.Path)
	}
	list = append(list, Elsewhere(h, User, env)...)
	if len(list) > 0 {
		list = append(list, unheard(h, env)...)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// unheard lists the files from which a client calls the hook without a use:
// Copilot CLI runs what a project's settings for Claude Code say, and gets no
// answer there.
func unheard(h agent.Host, env Env) (list []string) {
	if h != agent.Copilot || env.Top == "" {
		return nil
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		path := filepath.Join(env.Top, ".claude", name)
		if text, ok := read(path); ok {
			if d, err := parse(body(text)); err == nil && d.calls(agent.Claude) {
				list = append(list, path)
			}
		}
	}
	return list
}

var pluginName = compiled(`^chatrail@`)

// plugged lists further places: ChatRail's packages, and settings that are read
// and never written here.
func plugged(h agent.Host, env Env) []string {
	var list []string
	user, err := env.folder(h, User)
	if err != nil {
		return nil
	}
	project, err := env.folder(h, Project)
	if err != nil || same(project, user) {
		project = ""
	}
	settings := func(path string, look func(*document) bool) {
		if text, ok := read(path); ok {
			if d, err := parse(body(text)); err == nil && look(d) {
				list = append(list, path)
			}
		}
	}
	switch h {
	case agent.Claude:
		for _, dir := range []string{user, project} {
			for _, name := range []string{"settings.json", "settings.local.json"} {
				if dir == "" {
					continue
				}
				path := filepath.Join(dir, name)
				settings(path, func(d *document) bool { return name != "settings.json" && d.calls(h) })
				if text, ok := read(path); ok {
					if d, err := parse(body(text)); err == nil && d.plugin() {
						list = append(list, pluginIn(path))
					}
				}
			}
		}
	case agent.Codex:
		for _, dir := range []string{user, project} {
			if dir != "" {
				list = append(list, codexPlaces(dir)...)
			}
		}
	case agent.Copilot:
		for _, dir := range []string{user, project} {
			others, _ := filepath.Glob(filepath.Join(dir, "hooks", "*.json")) // the pattern is sound
			for _, path := range others {
				if dir != "" && filepath.Base(path) != copilotFile {
					settings(path, func(d *document) bool { return d.calls(h) })
				}
			}
		}
	case agent.Gemini:
		if path := filepath.Join(user, "extensions", "chatrail"); exists(path) {
			list = append(list, path)
		}
	}
	return list
}

// pluginIn names a plugin by the settings that switch it on, which may be those
// that call the hook as well.
func pluginIn(path string) string { return "the plugin in " + path }

func (d *document) calls(h agent.Host) bool {
	return len(settings{place: place{host: h}}.wired(d)) > 0
}

// plugin tells whether Claude Code's settings switch our plugin on.
func (d *document) plugin() bool {
	v := d.memberOf(&d.root, "enabledPlugins")
	if v == nil || v.Value.Kind() != '{' {
		return false
	}
	return slices.ContainsFunc(d.composite(v).children, func(c child) bool {
		return pluginName().MatchString(c.key) && strings.TrimSpace(c.value.String()) != "false"
	})
}
