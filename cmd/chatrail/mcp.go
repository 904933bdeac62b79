package main

import (
	"os"

	"chatrail/hooks"
)

// mcpCmd stands in the grammar for its help; mcpMain does the work.
type mcpCmd struct {
	session
	Child bool `help:"Serve a sub-agent: it reads and never writes."`
}

func (mcpCmd) Run(*app) error { return nil }

// mcpMain starts chatrail-mcp in place of this program: what it links would slow
// down every start of this one.
func mcpMain(args []string) int {
	for _, arg := range args {
		if arg == "--help" || arg == "-h" {
			return run([]string{"mcp", "--help"})
		}
	}
	program := hooks.ServerProgram()
	if program == "" {
		os.Stderr.WriteString("chatrail: chatrail-mcp is neither beside chatrail nor on the search path: install it, as with `go install ./cmd/chatrail-mcp`\n")
		return exitRefused
	}
	return become(program, args)
}
