// Package clients runs the real clients against ChatRail: Claude Code, Codex,
// Gemini CLI, Copilot CLI and opencode, as npm has them, in versions that are pinned
// here. Nothing in it is part of the program.
//
//	go test -tags agents ./hooks/agent/clients/...
//
// The suite installs the clients into a folder of the user's cache (or the
// folder that CHATRAIL_CLIENTS names), once. Each scenario gives a client a home
// and a repository of its own, an environment built from scratch, a placeholder
// for a key, and a model that is a script on the loopback address (package
// model). The hook program that the client calls is a recorder in front of the
// real one, so a scenario sees what each hook was told and what it printed.
//
// Where npm cannot be reached the suite fails and says so.
package clients
