package agent

import (
	"time"

	"chatrail/hooks/turn"
)

// Another client is another row here. What is said of a client was measured with
// its real program; docs/agents.md says with which version.
var hosts = []host{
	{
		name: Claude, title: "Claude Code", executable: "claude", version: "2.1.332", unit: time.Second,
		user: "~/.claude/settings.json", project: ".claude/settings.json",
		sessionIn: []string{"CLAUDE_CODE_SESSION_ID"}, marks: []string{"CLAUDECODE"}, projectIn: "CLAUDE_PROJECT_DIR",
		events: []event{
			{name: "SessionStart", kind: turn.SessionStart, prints: printContext | printNote, timeout: 10},
			{name: "UserPromptSubmit", kind: turn.Prompt, prints: printContext | printNote, timeout: 10},
			// An object with an event of its own is refused here; plain text
			// joins the instructions of the summary.
			{name: "PreCompact", kind: turn.PreCompact, prints: printPlain, timeout: 10},
			{name: "PostCompact", kind: turn.PostCompact, timeout: 10},
			// A context would make the turn go on like a block.
			{name: "Stop", kind: turn.Stop, prints: printBlock | printNote, timeout: 10},
			{name: "SubagentStart", kind: turn.ChildStart, prints: printContext, timeout: 10},
			{name: "SubagentStop", kind: turn.ChildStop},
			{name: "SessionEnd", kind: turn.SessionEnd, timeout: 5},
		},
		limit: 9950, units: "characters", blocks: 8,
		turn:       func(f *fields) string { return f.promptID.id() },
		unattended: claudeUnattended,
		headless:   "`claude -p`: the environment says so",
		child:      "`agent_id` in the payload; its events carry the session of the root",
		lacks:      "a command of a sub-agent is not told from the root's",
	},
	{
		name: Codex, title: "Codex", executable: "codex", version: "0.171.0", unit: time.Second,
		user: "~/.codex/hooks.json", project: ".codex/hooks.json",
		// The second is the sub-agent's own in one; older versions have it alone.
		sessionIn: []string{"CODEX_SESSION_ID", "CODEX_THREAD_ID"},
		marks:     []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"},
		inChild: func(env func(string) string) bool {
			root, own := env("CODEX_SESSION_ID"), env("CODEX_THREAD_ID")
			return root != "" && own != "" && root != own
		},
		ownPath: true, recordsFork: true,
		events: []event{
			{name: "SessionStart", kind: turn.SessionStart, prints: printContext | printNote, timeout: 10},
			{name: "UserPromptSubmit", kind: turn.Prompt, prints: printContext | printNote, timeout: 10},
			{name: "PreCompact", kind: turn.PreCompact, timeout: 10},
			{name: "PostCompact", kind: turn.PostCompact, timeout: 10},
			{name: "Stop", kind: turn.Stop, prints: printBlock | printNote, timeout: 10},
			{name: "SubagentStart", kind: turn.ChildStart, prints: printContext, timeout: 10},
			{name: "SubagentStop", kind: turn.ChildStop},
			// The client cuts what is above to three seconds.
			{name: "SessionEnd", kind: turn.SessionEnd, timeout: 3},
		},
		limit: 9950, units: "bytes",
		turn:       func(f *fields) string { return f.turnID.id() },
		unattended: codexUnattended,
		headless:   "`codex exec`: the record of the turn says so",
		child:      "`agent_id` in the payload; its events carry the session of the root",
		lacks:      "a hook that was not trusted in the client is skipped without a word",
	},
	{
		name: Gemini, title: "Gemini CLI", executable: "gemini", version: "0.61.0", unit: time.Millisecond,
		user: "~/.gemini/settings.json", project: ".gemini/settings.json",
		sessionIn: []string{"GEMINI_SESSION_ID"}, // its hooks have it, its shell does not
		marks:     []string{"GEMINI_CLI"},
		blind:     true,
		projectIn: "GEMINI_PROJECT_DIR",
		events: []event{
			// After a clear the context is shown to nobody.
			{name: "SessionStart", kind: turn.SessionStart, prints: printContext | printNote, timeout: 10_000, deaf: []turn.Source{turn.Clear}},
			{name: "BeforeAgent", kind: turn.Prompt, prints: printContext | printNote, timeout: 10_000},
			// By itself the client reports one before every request of a model.
			{name: "PreCompress", kind: turn.PreCompact, timeout: 10_000, trigger: "manual"},
			{name: "AfterAgent", kind: turn.Stop, prints: printBlock | printNote, timeout: 10_000},
			{name: "SessionEnd", kind: turn.SessionEnd, timeout: 5_000},
		},
		limit: 60_000, units: "characters",
		noAnswer:   "[no response text]",
		wrapsHooks: true, tags: true,
		turn:       func(f *fields) string { return f.timestamp.stamp() },
		summary:    geminiSummary,
		unattended: byCommandLine,
		headless:   "`gemini -p`, or without a terminal: the command line of the client says so, on Linux; elsewhere no stop is held up",
		child:      "its sub-agents report no event of their own",
		lacks:      "its shell does not tell a command the session; plan mode is not told",
	},
	{
		name: Copilot, title: "Copilot CLI", executable: "copilot", version: "1.0.102", unit: time.Second,
		user: "~/.copilot/hooks/*.json", project: ".github/hooks/*.json",
		sessionIn: []string{"COPILOT_AGENT_SESSION_ID"}, marks: []string{"COPILOT_CLI"}, projectIn: "COPILOT_PROJECT_DIR",
		clearsUntold: true,
		nameless:     true, form: formTop,
		events: []event{
			{name: "sessionStart", kind: turn.SessionStart, prints: printContext, timeout: 10},
			{name: "userPromptSubmitted", kind: turn.Prompt, prints: printContext, timeout: 10},
			{name: "preCompact", kind: turn.PreCompact, timeout: 10},
			{name: "agentStop", kind: turn.Stop, prints: printBlock, timeout: 10},
			{name: "subagentStart", kind: turn.ChildStart, prints: printContext, timeout: 10},
			{name: "subagentStop", kind: turn.ChildStop},
			{name: "sessionEnd", kind: turn.SessionEnd, timeout: 5},
		},
		limit: 60_000, units: "characters", blocks: 8,
		turn:       func(f *fields) string { return f.timestamp.stamp() },
		unattended: byCommandLine,
		headless:   "`copilot -p`, or without a terminal: the command line of the client says so, on Linux; elsewhere no stop is held up",
		child:      "`agentId` in the payload; its prompt and its stop carry a session of their own, which opens no task",
		lacks:      "no word reaches the person; a command of a sub-agent is not told from the root's; plan mode, the answer and background work are not told",
	},
	{
		// Its plugin speaks the words of package turn; see docs/agents.md.
		name: OpenCode, title: "opencode", executable: "opencode", version: "1.18.33", unit: time.Millisecond,
		user: "~/.config/opencode/plugins/", project: ".opencode/plugins/",
		sessionIn: []string{"CHATRAIL_OPENCODE_SESSION"}, marks: []string{"OPENCODE"}, // the plugin sets the first
		inChild: func(env func(string) string) bool { return env("CHATRAIL_OPENCODE_CHILD") != "" },
		form:    formBare,
		// As long as its plugin waits.
		events: []event{
			{name: "SessionStart", kind: turn.SessionStart, prints: printContext, timeout: 2_000},
			{name: "Prompt", kind: turn.Prompt, prints: printContext, timeout: 2_000},
			{name: "PreCompact", kind: turn.PreCompact, prints: printContext, timeout: 2_000},
			{name: "PostCompact", kind: turn.PostCompact, timeout: 2_000},
			{name: "Stop", kind: turn.Stop, prints: printBlock, timeout: 2_000},
			{name: "ChildStart", kind: turn.ChildStart, prints: printContext, timeout: 2_000},
			{name: "SessionEnd", kind: turn.SessionEnd, timeout: 700},
		},
		turn:       func(f *fields) string { return f.turnID.id() },
		unattended: func(_ *Payload, f *fields, _ func(string) string) bool { return f.unattended.kind != kindFalse },
		headless:   "`opencode run`: the plugin says so; where it says nothing no stop is held up",
		child:      "`agent_id` in the payload, from the `parentID` of the session",
		lacks:      "no word reaches the person; background work is not told",
	},
}
