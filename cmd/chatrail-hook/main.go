// Command chatrail-hook is what agents call on every event of a session, and
// what git calls from its hooks:
//
//	chatrail-hook HOST [EVENT]
//	chatrail-hook statusline
//	chatrail-hook git NAME [ARG ...]
//
// with HOST one of claude, codex, gemini, copilot and opencode, the EVENT's name
// where the host's payload does not say it (copilot), and the event as JSON on
// standard input; or with the NAME of the hook and what git gave it. It is linked lean, answers
// agents from caches, and runs chatrail when a bundle has to be opened. It exits
// 0 whatever happens, but for the gate of a pre-commit hook that blocks.
package main

import (
	"os"

	"chatrail/hooks"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "git" {
		os.Exit(hooks.LeanGit(os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == "statusline" && !isTerminal(os.Stdin) {
		hooks.LeanStatusLine(hooks.FullProgram())
		return
	}
	if len(os.Args) < 2 || len(os.Args) > 3 || isTerminal(os.Stdin) {
		os.Stderr.WriteString("chatrail-hook is called by an agent: chatrail-hook " + hooks.Usage() + ", with the event on standard input; or by git: chatrail-hook git NAME\n")
		return
	}
	event := ""
	if len(os.Args) == 3 {
		event = os.Args[2]
	}
	hooks.Lean(os.Args[1], event)
}

// isTerminal keeps a person who tries the program from waiting for nothing. The
// null device is a character device too, and a fine end of input.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
