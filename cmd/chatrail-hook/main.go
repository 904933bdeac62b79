// Command chatrail-hook is what agents call on every event of a session:
//
//	chatrail-hook HOST
//
// with HOST one of claude and codex, and the event as JSON on standard input.
// It is linked lean, answers from caches, and runs chatrail when a bundle has to
// be opened. It exits 0 whatever happens.
package main

import (
	"os"

	"chatrail/hooks"
)

func main() {
	if len(os.Args) != 2 || isTerminal(os.Stdin) {
		os.Stderr.WriteString("chatrail-hook is called by an agent: chatrail-hook claude|codex, with the event on standard input\n")
		return
	}
	hooks.Lean(os.Args[1])
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
