package task

// sessions are the variables in which agents tell their commands the id of the
// session.
var sessions = [...]struct{ variable, agent string }{
	{"CLAUDE_CODE_SESSION_ID", "claude"},
	{"CODEX_SESSION_ID", "codex"}, // of the root, also in a sub-agent
	{"CODEX_THREAD_ID", "codex"},  // of the sub-agent in one; older versions have it alone
	{"GEMINI_SESSION_ID", "gemini"},
}

// marks are variables that only a command of an agent sees.
var marks = [...]struct{ variable, agent string }{
	{"CLAUDECODE", "claude"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
	{"GEMINI_CLI", "gemini"},
	{"COPILOT_CLI", "copilot"},
	{"OPENCODE", "opencode"},
	{"CURSOR_AGENT", "cursor"},
	{"QWEN_CODE", "qwen"},
	{"AI_AGENT", "agent"},
}

// InAgent tells whether this process runs inside an agent's session, which
// agent it is and, where it says so, the id of the session. Inside one agent
// that another one started, the variables of both are there and do not tell
// which is the inner one: then the session is "", because filing words under
// the wrong task is worse than asking for the id.
func InAgent(env func(string) string) (agent, session string, ok bool) {
	for _, s := range sessions {
		id := env(s.variable)
		if id == "" {
			continue
		}
		if ok && s.agent == agent {
			continue
		}
		if ok {
			return "agent", "", true
		}
		agent, session, ok = s.agent, id, true
	}
	for _, m := range marks {
		if env(m.variable) == "" {
			continue
		}
		if !ok {
			return m.agent, "", true
		}
		if m.agent != agent && m.agent != "agent" {
			return "agent", "", true
		}
	}
	return agent, session, ok
}

// InChild tells whether this process is a command of a sub-agent, as far as its
// host says so.
func InChild(env func(string) string) bool {
	root, own := env("CODEX_SESSION_ID"), env("CODEX_THREAD_ID")
	return root != "" && own != "" && root != own
}
