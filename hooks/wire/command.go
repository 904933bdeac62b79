package wire

import (
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"chatrail/hooks/agent"
	"chatrail/hooks/packages"
	"chatrail/hooks/words"
)

// The lines below are the same in every version: Codex trusts a hook by a digest
// of them.

// command is the line that a client runs for an event. For a user it names the
// program by its path; in a project, which others have too, it does nothing
// where the program is not installed but read what it is sent.
func (e Env) command(p place, event string) string {
	if p.scope == Project {
		return packages.Command(p.host, event)
	}
	return quotePath(e.Hook) + " " + strings.Join(p.host.Arguments(event), " ")
}

// powershell is the same for Copilot on Windows.
func (e Env) powershell(p place, event string) string {
	args := " " + strings.Join(p.host.Arguments(event), " ")
	if p.scope == Project {
		return "if (Get-Command chatrail-hook -ErrorAction SilentlyContinue) { chatrail-hook" + args + " }"
	}
	return "& '" + strings.ReplaceAll(filepath.ToSlash(e.Hook), "'", "''") + "'" + args
}

// quotePath writes a path for a shell: bare where nothing in it is special, in
// double quotes, which the shells of Windows read too, where that is enough, and
// else in single ones.
func quotePath(path string) string {
	path = filepath.ToSlash(path)
	bare := words.ShellQuote(path)
	if bare == path || strings.ContainsAny(path, "\"$`\\!%\n") {
		return bare
	}
	return `"` + path + `"`
}

// line is what a handler runs, "" for one that runs no command.
func (d *document) line(v *hujson.Value) string {
	if v.Value.Kind() != '{' {
		return ""
	}
	c := d.composite(v)
	for _, key := range []string{"command", "bash"} {
		if s := stringOf(c.member(key)); s != "" {
			return s
		}
	}
	return ""
}

func stringOf(v *hujson.Value) string {
	if v == nil || v.Value.Kind() != '"' {
		return ""
	}
	return v.Value.(hujson.Literal).String()
}

// group is what is registered for an event.
func (e Env) group(p place, r agent.Registration) any {
	if p.host == agent.Copilot {
		return object{{"type", "command"}, {"bash", e.command(p, r.Event)}, {"powershell", e.powershell(p, r.Event)}, {"timeoutSec", r.Timeout}}
	}
	handler := object{{"type", "command"}, {"command", e.command(p, r.Event)}, {"timeout", r.Timeout}}
	if p.host == agent.Gemini {
		handler = append(object{{"name", "chatrail"}}, handler...)
	}
	return object{{"hooks", array{handler}}}
}
