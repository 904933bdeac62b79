package demo

// step is one moment of the captured day. Exactly one of event, agent and
// person is set.
type step struct {
	title string

	// event is sent to the hook, as the client sent it.
	event   string // name of a captured payload under payloads/
	session int    // which session of the day
	folder  string // below the project
	set     map[string]any

	// agent is what the agent's shell runs: the command that the hook printed,
	// with these words added.
	agent []string
	// person is what a person types: words behind `chatrail`.
	person []string
}

// day is a day of work as it went, with other words in it: the order of the
// events and their payloads are those of the clients (Claude Code 2.1.332,
// Codex 0.171.0).
var day = []step{
	{title: "09:00  The project gets an orientation, once", person: []string{"init"}},

	{title: "09:01  Claude Code starts. There is nothing to say yet, so nothing is said", event: "claude/SessionStart-startup.json", session: 1},
	{title: "09:01  First prompt: “The importer needs 6 GB. Make it stream.”", event: "claude/UserPromptSubmit-plain.json", session: 1,
		set: map[string]any{"prompt": "The importer needs 6 GB. Make it stream.", "prompt_id": "p-1"}},
	{title: "09:20  The road is agreed; the agent answers the review", agent: []string{
		"--reason", "North agreed with the user",
		"--north", "Move the importer to streaming reads",
		"--next", "Write the streaming reader",
		"--open", "Is a 2 GB sample enough to trust the figure?",
		"--now", "Baseline measured: 6.1 GB resident on the 2 GB sample.",
		"--return", "Write the streaming reader."}},
	{title: "09:20  Stop: the review is done, so it is silent", event: "claude/Stop-plain.json", session: 1, set: map[string]any{"prompt_id": "p-1"}},

	{title: "10:05  A detour: “CI is red, fix that first.”", event: "claude/UserPromptSubmit-plain.json", session: 1,
		set: map[string]any{"prompt": "CI is red, fix that first.", "prompt_id": "p-2"}},
	{title: "10:40  What moved is recorded, with why", agent: []string{
		"--reason", "Flaky CI is being fixed first",
		"--heading", "60,40",
		"--now", "CI fails one run in three; fixing it blocks the reader's review.",
		"--drift", "60% east: useful, and it delays the reader."}},
	{title: "10:40  Stop", event: "claude/Stop-plain.json", session: 1, set: map[string]any{"prompt_id": "p-2"}},

	{title: "11:15  Another prompt, and this time the agent forgets the review", event: "claude/UserPromptSubmit-plain.json", session: 1,
		set: map[string]any{"prompt": "Is the retry safe?", "prompt_id": "p-3"}},
	{title: "11:20  Stop: paused once", event: "claude/Stop-plain.json", session: 1, set: map[string]any{"prompt_id": "p-3"}},
	{title: "11:20  Nothing changed, so the bare command is enough", agent: []string{}},
	{title: "11:20  Stop again: silent", event: "claude/Stop-active.json", session: 1, set: map[string]any{"prompt_id": "p-3"}},

	{title: "12:30  The context is full and gets compacted", event: "claude/PreCompact-auto.json", session: 1},
	{title: "12:31  …and the new context begins oriented", event: "claude/SessionStart-compact.json", session: 1},

	{title: "14:00  The program restarts in another folder, and it is another agent: Codex", event: "codex/SessionStart-startup.json", session: 2, folder: "src/reader"},
	{title: "14:00  “Go on.”", event: "codex/UserPromptSubmit-plain.json", session: 2, folder: "src/reader",
		set: map[string]any{"prompt": "Go on.", "turn_id": "t-1"}},
	{title: "15:30  Back on the road", agent: []string{
		"--reason", "Reader written, memory is flat",
		"--done", "--next", "Switch the importer over",
		"--heading", "0,100",
		"--now", "The reader streams; 40 MB resident on the 2 GB sample.",
		"--drift", "Back on the road; CI is green.",
		"--return", "Switch the importer over."}},
	{title: "15:30  Stop", event: "codex/Stop-plain.json", session: 2, folder: "src/reader", set: map[string]any{"turn_id": "t-1"}},

	{title: "16:00  Where were we?", person: []string{"reorient"}},
}
