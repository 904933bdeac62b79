// Package packages makes what agents install of ChatRail as a package: a plugin
// for Claude Code, one for Codex, an extension for Gemini CLI and a plugin file
// for opencode.
//
// The folders claude, codex and gemini below it, and the two marketplace files
// at the top of the repository, are written by its test with -update and
// compared by it otherwise. What they say of a client comes from the table of
// package agent, and the skill in each is a copy of chatrail/SKILL.md.
package packages
