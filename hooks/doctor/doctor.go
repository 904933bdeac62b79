// Package doctor looks at everything that has to be in order for ChatRail to
// work: the agents on this machine, how they are wired, the programs, the state
// home, and the bundle of a place. It writes nothing, and asks no network.
//
// Each check is a small function that returns lines; a file holds one group. What
// it says is for a person: what is, and where something is wrong the exact next
// step.
package doctor

import (
	"context"
	"os/exec"
	"sync"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/wire"
	"chatrail/hooks/work"
	"chatrail/refs"
)

// Level says how a line is to be taken.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning" // it works, and something is not as a person would expect
	Problem Level = "problem" // it does not work, or words could be lost
)

// Line is one finding.
type Line struct {
	About string `json:"about"` // "claude", "programs", "state home", "project"
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Next  string `json:"next,omitempty"` // the next step: a command, or what to do in words
}

// Report is what a visit found.
type Report struct {
	Lines []Line `json:"lines"`
}

// Problems counts the lines that are problems.
func (r *Report) Problems() int { return r.count(Problem) }

// Warnings counts the lines that are warnings.
func (r *Report) Warnings() int { return r.count(Warning) }

// Summary says it in one line.
func (r *Report) Summary() string {
	p, w := r.Problems(), r.Warnings()
	switch {
	case p == 0 && w == 0:
		return "all is well"
	case p == 0:
		return plural(w, "warning") + ", no problem"
	case w == 0:
		return plural(p, "problem")
	}
	return plural(p, "problem") + ", " + plural(w, "warning")
}

func (r *Report) count(level Level) (n int) {
	for _, l := range r.Lines {
		if l.Level == level {
			n++
		}
	}
	return n
}

// Visit is what a doctor looks at, and with what.
type Visit struct {
	Desk    *work.Desk
	Session string // the caller's task, in place of the environment's
	Top     string // the project's top folder, "" for none
	Self    string // the path of this program, "" where it is unknown
	// LookPath finds a program on the search path.
	LookPath func(string) (string, error)
	// Client finds the program of a client.
	Client func(string) (string, error)
	// Wiring looks at the settings of a client, of the user and of the project.
	// Places lists all the files that call the hook where there are several, and
	// those of packages where these are the only ones.
	Wiring func(agent.Host) []wire.Wiring
	Places func(agent.Host) []string
	// Off lists the settings by which a client leaves the hooks out.
	Off func(agent.Host) []wire.Switch
}

// patience bounds a whole visit.
const patience = 20 * time.Second

// Examine makes a visit.
func Examine(ctx context.Context, v Visit) (*Report, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if v.LookPath == nil {
		v.LookPath = exec.LookPath
	}
	if v.Client == nil {
		v.Client = v.LookPath
	}
	still := *v.Desk
	still.Still = true
	v.Desk = &still
	r := &Report{}
	add := func(about string, lines ...Line) {
		for _, l := range lines {
			l.About = about
			r.Lines = append(r.Lines, l)
		}
	}
	add("programs", v.programs(ctx)...)
	seen, _ := v.Desk.Home.Seen() // what cannot be read, the state home's check says
	agents := 0
	hosts := agent.Hosts()
	found := make([][]Line, len(hosts))
	var wait sync.WaitGroup
	for i, h := range hosts { // together: each may take its time to say its version
		wait.Go(func() { found[i] = v.agent(ctx, h, seen) })
	}
	wait.Wait()
	for i, h := range hosts {
		agents += len(found[i])
		add(h.Title(), found[i]...)
	}
	if agents == 0 {
		add("agents", Line{Level: Warning, Text: "no agent that ChatRail knows is on the search path", Next: "install one, then run `chatrail install`"})
	}
	add("state home", v.stateHome()...)
	st, err := v.Desk.Status(ctx, v.Session)
	if err != nil {
		next := "chatrail status"
		if v.Desk.Dir == "" {
			next = "cd into a folder that is there"
		}
		add("project", Line{Level: Problem, Text: "it cannot be looked at: " + oneLine(err.Error()), Next: next})
		return r, nil
	}
	add("state home", v.waiting(st)...)
	add("project", v.project(st)...)
	add("project", v.repository(ctx)...)
	return r, nil
}

// Homeless is the report where no state home can be found: everything else
// depends on it.
func Homeless(ctx context.Context, v Visit, why error) *Report {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if v.LookPath == nil {
		v.LookPath = exec.LookPath
	}
	r := &Report{}
	for _, l := range v.programs(ctx) {
		l.About = "programs"
		r.Lines = append(r.Lines, l)
	}
	r.Lines = append(r.Lines, Line{About: "state home", Level: Problem, Text: oneLine(why.Error()), Next: "export CHATRAIL_HOME=/absolute/path, or HOME"})
	return r
}

func ok(text string) Line                 { return Line{Level: OK, Text: text} }
func warning(text, next string) Line      { return Line{Level: Warning, Text: text, Next: next} }
func problem(text, next string) Line      { return Line{Level: Problem, Text: text, Next: next} }
func (v Visit) repo() (*refs.Repo, error) { return refs.Discover(v.Desk.Dir) }
func (v Visit) env(name string) string    { return v.Desk.Env(name) }
func (v Visit) home() (dir task.Home)     { return v.Desk.Home }
