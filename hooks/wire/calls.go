package wire

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"chatrail/hooks/agent"
)

// A call is what a line does with the hook of a client.
type call uint8

const (
	noCall call = iota
	// withMore is a call beside something else that the line does: it is somebody's
	// own line, to be counted and never taken out.
	withMore
	onlyCall
)

// maxShells bounds how many shells a line may start inside each other.
const maxShells = 3

// calls tells whether a line runs the hook for a client, in whatever way it is
// quoted, this version's or one that a person wrote. A line that only mentions
// the hook runs something else.
func calls(h agent.Host, line string) call {
	what, _ := callsIn(string(h), line, maxShells)
	return what
}

// Called is the program that a line runs as the hook of a client, without quotes,
// "" where it runs none.
func Called(h agent.Host, line string) string {
	_, program := callsIn(string(h), line, maxShells)
	return program
}

func callsIn(host, line string, shells int) (what call, program string) {
	more := false
	for _, words := range simpleCommands(line) {
		here, name := callOf(host, words, shells)
		more = more || here == withMore || here == noCall && !harmless(words)
		program = cmp.Or(program, name)
	}
	switch {
	case program == "":
		return noCall, ""
	case more:
		return withMore, program
	}
	return onlyCall, program
}

// before are words that stand before a command and change nothing about which
// one it is, runners programs that run the command behind their options, shells
// those that take one as a text.
var (
	assignment = compiled(`^[A-Za-z_]\w*=`)
	option     = compiled(`^(-.*|[0-9][0-9.]*[smhd]?|/[a-zA-Z])$`)
	before     = []string{"if", "then", "elif", "else", "do", "while", "!", "{", "}", "exec", "command", "time"}
	runners    = []string{"env", "nohup", "nice", "ionice", "timeout", "setsid", "stdbuf", "cmd"}
	shells     = []string{"sh", "bash", "dash", "zsh", "ksh"}
)

// compiled is an expression that is compiled when it is first needed: nearly no
// command looks at the settings of agents.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// ownWords are the words of a command behind what only introduces it.
func ownWords(words []string) []string {
	options := false
	for len(words) > 0 {
		switch w := words[0]; {
		case slices.Contains(runners, program(w)):
			options = true
		case assignment().MatchString(w), slices.Contains(before, w), options && option().MatchString(w):
		default:
			return words
		}
		words = words[1:]
	}
	return words
}

// program is the name of a program without its folder.
func program(word string) string {
	return strings.TrimSuffix(word[strings.LastIndexAny(word, `/\`)+1:], ".exe")
}

func callOf(host string, words []string, depth int) (call, string) {
	words = ownWords(words)
	if len(words) < 2 {
		return noCall, ""
	}
	name := program(words[0])
	switch {
	case name == "chatrail-hook" && words[1] == host, name == "chatrail" && words[1] == "hook" && len(words) > 2 && words[2] == host:
		return onlyCall, words[0]
	case slices.Contains(shells, name) && depth > 0:
		if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") }); i > 0 && i+1 < len(words) {
			return callsIn(host, words[i+1], depth-1)
		}
	}
	return noCall, ""
}

// harmless tells of a command that stands around a call and does nothing by
// itself: it asks whether the hook is there, or reads what the hook would have.
func harmless(words []string) bool {
	rest := ownWords(words)
	if len(rest) == 0 {
		return true
	}
	switch rest[0] {
	case "true", ":", "exit", "fi", "done", "[", "test", "which", "type", "hash", "Get-Command":
		return true
	case "-v":
		return slices.Contains(words, "command")
	case "cat":
		return len(rest) == 1
	}
	return false
}

// simpleCommands takes a line for a shell apart into commands and their words,
// without quotes and redirections. It is for recognising a line and not for
// running one.
func simpleCommands(line string) (list [][]string) {
	var words []string
	var word strings.Builder
	open, target := false, false // in a word; it is where a redirection leads
	end := func() {
		if open && !target {
			words = append(words, word.String())
		}
		if open {
			target = false
		}
		word.Reset()
		open = false
	}
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		next := byte(0)
		if i+1 < len(line) {
			next = line[i+1]
		}
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case c == quote && quote != 0:
			quote = 0
		case quote == '"' && c == '\\' && strings.IndexByte("\"\\$`", next) >= 0 && next != 0,
			quote == 0 && c == '\\' && next != 0 && !letter(next): // else it is in a path of Windows
			word.WriteByte(next)
			open = true
			i++
		case quote != 0:
			word.WriteByte(c)
		case c == ' ' || c == '\t' || c == '\r':
			end()
		case c == '>' || c == '<':
			if strings.Trim(word.String(), "0123456789") == "" {
				word.Reset() // the number of what is redirected
				open = false
			}
			end()
			for i+1 < len(line) && strings.IndexByte("<>&|", line[i+1]) >= 0 {
				i++
			}
			target = true
		case c == '&' && next == '>':
			end()
		case strings.IndexByte(";&|()\n", c) >= 0:
			end()
			target = false
			list, words = append(list, words), nil
		default:
			word.WriteByte(c)
			open = true
		}
	}
	end()
	return append(list, words)
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

// mentions tells whether a text that cannot be parsed may call the hook.
func mentions(h agent.Host, text []byte) bool {
	return regexp.MustCompile(`chatrail(-hook)?(\.exe)?[\\"']* (hook )?` + string(h)).Match(text)
}

// call is what a handler of a document does with the hook.
func (d *document) call(h agent.Host, v *hujson.Value) call { return calls(h, d.line(v)) }
