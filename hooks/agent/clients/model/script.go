//go:build agents

package model

import (
	"fmt"
	"regexp"
)

// Reply is what the model answers: words, or the call of one of the client's
// own tools.
type Reply struct {
	Text      string
	Shell     string         // a line for the client's shell tool
	Agent     string         // a prompt for a sub-agent
	Args      map[string]any // more arguments for the tool that starts a sub-agent
	WaitAgent bool           // wait for the sub-agent that was just started, where that is a tool
	Status    int            // fail with this HTTP status, and Text as the message
	Tokens    int            // how long the input is said to be; 100 when 0
}

// Rule answers requests. The first rule that fits is used.
type Rule struct {
	Newest   string // an expression that the newest input has to match
	Anywhere string // an expression that the whole request has to match
	Toolless bool   // also for requests that offer no tools: summaries, titles
	Times    int    // how often; 0 is once, -1 always
	Reply    func(*Request) Reply
}

// Say answers with words.
func Say(text string) func(*Request) Reply {
	return func(*Request) Reply { return Reply{Text: text} }
}

// Run has the client's own shell run a line.
func Run(line string) func(*Request) Reply {
	return func(*Request) Reply { return Reply{Shell: line} }
}

// Bare has the client's own shell run the review command as it was printed, with
// arguments after it and nothing else.
func Bare(arguments string) func(*Request) Reply {
	return func(r *Request) Reply {
		if command := ReviewCommand(r.Newest); command != "" {
			return Reply{Shell: command + arguments}
		}
		return Reply{Text: NoCommand}
	}
}

// Answer says what the exit code of a review was, behind its output.
var Answer = regexp.MustCompile(`REVIEW_RC=(\d+)`)

// Review has the client's own shell run the review command as it was printed,
// with arguments after it and lines behind it. Answer then finds its exit code.
// It looks into the newest input first: that is where a hook just printed it. A
// command that does not stand alone on its line there is none.
func Review(arguments string, then ...string) func(*Request) Reply {
	return func(r *Request) Reply {
		command := ReviewCommand(r.Newest)
		if command == "" && !anyReview.MatchString(r.Newest) {
			command = ReviewCommand(r.Text)
		}
		if command == "" {
			return Reply{Text: NoCommand}
		}
		line := command + arguments + "; rc=$?"
		for _, t := range then {
			line += "; " + t
		}
		return Reply{Shell: line + "; echo REVIEW_RC=$rc"}
	}
}

var anyReview = regexp.MustCompile(`chatrail['"]? reconcile [0-9A-Za-z_-]+\.`)

// NoCommand is what Review says where no command was printed.
const NoCommand = "the request shows no review command"

type rule struct {
	Rule
	newest, anywhere *regexp.Regexp
	left             int
}

func compile(rules []Rule) []*rule {
	var out []*rule
	for _, r := range rules {
		c := &rule{Rule: r, left: r.Times}
		if c.left == 0 {
			c.left = 1
		}
		c.newest = regexp.MustCompile("(?s)" + r.Newest)
		c.anywhere = regexp.MustCompile("(?s)" + r.Anywhere)
		if r.Reply == nil {
			panic(fmt.Sprintf("rule %q has no reply", r.Newest))
		}
		out = append(out, c)
	}
	return out
}

// take uses the rule up once, where it fits.
func (c *rule) take(r *Request) bool {
	if c.left == 0 || len(r.Tools) == 0 && !c.Toolless || !c.newest.MatchString(r.Newest) || !c.anywhere.MatchString(r.Raw) {
		return false
	}
	if c.left > 0 {
		c.left--
	}
	return true
}
