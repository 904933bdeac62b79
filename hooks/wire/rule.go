package wire

import (
	"fmt"
	"strings"

	"chatrail/hooks/agent"
)

// allowed are the commands that an agent runs by itself.
var allowed = []string{"reconcile", "checkpoint"}

// allowPath is where Claude Code keeps what needs no question.
var allowPath = []string{"permissions", "allow"}

// rules are the permissions that stand in the client's settings, for chatrail
// as the hook prints it there.
func (e Env) rules(p place) []string {
	if p.host != agent.Claude {
		return nil
	}
	program := e.program(p)
	if program == "" {
		return nil
	}
	var list []string
	for _, name := range allowed {
		list = append(list, "Bash("+program+" "+name+":*)")
	}
	return list
}

func (e Env) program(p place) string {
	if p.scope == Project {
		return "chatrail" // the path is everybody's own
	}
	return e.Agent(p.host)
}

// ownRule recognises such a permission, whatever the path in it.
var ownRule = compiled(`^Bash\((|.*[/'"])chatrail(\.exe)?['"]? (reconcile|checkpoint):\*\)$`)

// rulesText is what stands in a file of rules of our own, nil where the client's
// agent has no way to call chatrail.
func (e Env) rulesText(p place) []byte {
	program := e.program(p)
	if program == "" {
		return nil
	}
	if p.host == agent.Codex {
		// Codex compares words, as the shell has taken them apart.
		word := unquote(program)
		return sign("#", fmt.Sprintf("prefix_rule(\n    pattern = [%s, [%s, %s]],\n    decision = \"allow\",\n)\n",
			quoted(word), quoted(allowed[0]), quoted(allowed[1])))
	}
	var prefixes []string
	for _, name := range allowed {
		prefixes = append(prefixes, string(quoted(program+" "+name)))
	}
	return sign("#", "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = ["+strings.Join(prefixes, ", ")+"]\ndecision = \"allow\"\npriority = 100\n")
}

// unquote takes off what words.ShellQuote puts around a path.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '\'' {
		return s
	}
	return strings.ReplaceAll(s[1:len(s)-1], `'\''`, "'")
}
