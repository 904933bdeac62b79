package agent

import "chatrail/hooks/turn"

// Another client is another row here.
var hosts = []host{
	{
		name: Claude,
		events: []event{
			{"SessionStart", turn.SessionStart, printContext | printNote},
			{"UserPromptSubmit", turn.Prompt, printContext | printNote},
			// An object with an event of its own is refused here; plain text
			// joins the instructions of the summary.
			{"PreCompact", turn.PreCompact, printPlain},
			{"PostCompact", turn.PostCompact, printNothing},
			// A context would make the turn go on like a block.
			{"Stop", turn.Stop, printBlock | printNote},
			{"SubagentStart", turn.ChildStart, printContext},
			{"SubagentStop", turn.ChildStop, printNothing},
			{"SessionEnd", turn.SessionEnd, printNothing},
		},
		turn:       func(f *fields) string { return f.promptID.id() },
		unattended: claudeUnattended,
	},
	{
		name: Codex,
		events: []event{
			{"SessionStart", turn.SessionStart, printContext | printNote},
			{"UserPromptSubmit", turn.Prompt, printContext | printNote},
			{"PreCompact", turn.PreCompact, printNothing},
			{"PostCompact", turn.PostCompact, printNothing},
			{"Stop", turn.Stop, printBlock | printNote},
			{"SubagentStart", turn.ChildStart, printContext},
			{"SubagentStop", turn.ChildStop, printNothing},
			{"SessionEnd", turn.SessionEnd, printNothing},
		},
		turn:       func(f *fields) string { return f.turnID.id() },
		unattended: codexUnattended,
	},
}
