package task

import (
	"slices"

	"chatrail/hooks/agent"
)

// marks are variables that only a command of an agent sees, beside those of the
// clients that are wired.
var marks = [...]struct{ variable, agent string }{
	{"CURSOR_AGENT", "cursor"},
	{"QWEN_CODE", "qwen"},
	{"AI_AGENT", "agent"},
}

// InAgent tells whether this process runs inside an agent's session, which
// agent it is and, where it says so, the id of the session. Inside one agent
// that another one started, the variables of both are there and do not tell
// which is the inner one: then the session is "", because filing words under
// the wrong task is worse than asking for the id.
func InAgent(env func(string) string) (name, session string, ok bool) {
	for _, h := range agent.Hosts() {
		for _, variable := range h.SessionVariables() {
			id := env(variable)
			if id == "" || ok && name == string(h) {
				continue
			}
			if ok {
				return anyAgent, "", true
			}
			name, session, ok = string(h), id, true
		}
	}
	for _, h := range agent.Hosts() {
		for _, variable := range h.Marks() {
			if env(variable) == "" || name == string(h) {
				continue
			}
			if ok {
				return anyAgent, "", true
			}
			name, ok = string(h), true
		}
	}
	for _, m := range marks {
		if env(m.variable) == "" || m.agent == anyAgent && ok || m.agent == name {
			continue
		}
		if ok {
			return anyAgent, "", true
		}
		name, ok = m.agent, true
	}
	return name, session, ok
}

// anyAgent stands for an agent that does not say which one it is.
const anyAgent = "agent"

// ChildVariable is set by whoever starts a program for a sub-agent and wants it
// to read only; its host may have no way of its own to say so.
const ChildVariable = "CHATRAIL_CHILD"

// InChild tells whether this process is a command of a sub-agent, as far as its
// host says so.
func InChild(env func(string) string) bool {
	if v := env(ChildVariable); v != "" && v != "0" {
		return true
	}
	for _, h := range agent.Hosts() {
		if h.InChild(env) {
			return true
		}
	}
	return false
}

// NamesSession tells whether an agent says in a variable which session it is.
func NamesSession(variable string) bool {
	for _, h := range agent.Hosts() {
		if slices.Contains(h.SessionVariables(), variable) {
			return true
		}
	}
	return false
}
