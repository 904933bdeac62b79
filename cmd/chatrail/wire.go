package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"chatrail/hooks"
	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/wire"
	"chatrail/refs"
)

// findProgram finds clients on the search path. Scripts put their own in its
// place: what is installed on the machine must not show in them.
var findProgram = exec.LookPath

// scopeFlags say for whom agents are wired.
type scopeFlags struct {
	User    bool `help:"For you, everywhere (default)." xor:"scope"`
	Project bool `help:"For everybody who works in this project: files that are committed." xor:"scope"`
	DryRun  bool `help:"Show what would change, as a diff, and change nothing."`
	JSON    bool `help:"Print JSON."`
}

func (f scopeFlags) scope() wire.Scope {
	if f.Project {
		return wire.Project
	}
	return wire.User
}

type wireCmd struct {
	Agents []string `arg:"" optional:"" name:"agent" help:"claude, codex, gemini, copilot, opencode; those that are found unless given."`
	scopeFlags
	NoPermission bool `help:"Leave out the rule that lets the agent run reconcile and checkpoint without asking each time."`
}

func (c *wireCmd) Run(a *app) error {
	hosts, err := agents(c.Agents)
	if err != nil {
		return err
	}
	env, err := a.wireEnv()
	if err != nil {
		return err
	}
	if env.Hook, err = hooks.HookProgram(); err != nil {
		return err
	}
	if len(hosts) == 0 {
		for _, h := range wire.Hosts() {
			if wire.Found(h, env) {
				hosts = append(hosts, h)
			}
		}
	}
	if len(hosts) == 0 {
		return fmt.Errorf("no agent was found on this machine: name one of %s", hostNames())
	}
	report, err := wire.Install(a.ctx, hosts, env, wire.Options{Scope: c.scope(), DryRun: c.DryRun, NoPermission: c.NoPermission})
	return a.wired(report, err, c.JSON)
}

type unwireCmd struct {
	Agents []string `arg:"" optional:"" name:"agent" help:"claude, codex, gemini, copilot, opencode; all unless given."`
	scopeFlags
}

func (c *unwireCmd) Run(a *app) error {
	hosts, err := agents(c.Agents)
	if err != nil {
		return err
	}
	if len(hosts) == 0 {
		hosts = wire.Hosts()
	}
	env, err := a.wireEnv()
	if err != nil {
		return err
	}
	report, err := wire.Uninstall(a.ctx, hosts, env, wire.Options{Scope: c.scope(), DryRun: c.DryRun})
	return a.wired(report, err, c.JSON)
}

// agents are the clients that were named.
func agents(names []string) ([]agent.Host, error) {
	var hosts []agent.Host
	for _, name := range names {
		h := agent.Host(name)
		if !h.Known() {
			return nil, &usageError{fmt.Sprintf("%q is no agent that can be wired: name one of %s, or git", name, hostNames())}
		}
		if !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts, nil
}

func hostNames() string {
	var names []string
	for _, h := range wire.Hosts() {
		names = append(names, string(h))
	}
	return strings.Join(names, ", ")
}

// wireEnv is this machine, seen from the folder that one stands in.
func (a *app) wireEnv() (wire.Env, error) {
	home, err := task.FindHome(a.env)
	if err != nil {
		return wire.Env{}, err
	}
	full := hooks.FullProgram()
	env := wire.Env{
		Getenv: a.env, LookPath: findProgram, State: home,
		Agent: func(h agent.Host) string { return hooks.AgentCommand(full, string(h)) },
	}
	if env.Top, err = os.Getwd(); err != nil {
		env.Top = "" // gone: then there is no project
		return env, nil
	}
	if repo, err := refs.Discover(env.Top); err == nil && repo.WorkTree != "" {
		env.Top = repo.WorkTree
	} else if real, err := filepath.EvalSymlinks(env.Top); err == nil {
		env.Top = real
	}
	return env, nil
}

// wired says what became of each file, also of those before an error.
func (a *app) wired(r *wire.Report, err error, asJSON bool) error {
	if asJSON && err == nil {
		err = a.json(r)
	} else {
		said := false
		for _, f := range r.Files {
			if f.Diff != "" {
				fmt.Fprint(a.out, f.Diff)
			}
			if words := f.Words(); words != "" {
				a.lines(words)
				said = true
			}
		}
		if !said && err == nil && len(r.Notes) == 0 {
			a.lines("Nothing of ChatRail's is there.")
		}
		a.lines(r.Notes...)
	}
	if err == nil && r.LeftAlone() {
		return &quietError{exitRefused}
	}
	return err
}

// offerWiring names the command that wires the agents that are found here and
// call no hook of ChatRail's, "" where there are none.
func (a *app) offerWiring() string {
	env, err := a.wireEnv()
	if err != nil {
		return ""
	}
	var titles []string
	for _, h := range wire.Hosts() {
		if wire.Found(h, env) && !wire.Look(h, wire.User, env).Wired() && len(wire.Elsewhere(h, wire.User, env)) == 0 {
			titles = append(titles, h.Title())
		}
	}
	switch len(titles) {
	case 0:
		return ""
	case 1:
		return titles[0] + " does not call ChatRail yet: `chatrail install` wires it."
	}
	return strings.Join(titles[:len(titles)-1], ", ") + " and " + titles[len(titles)-1] + " do not call ChatRail yet: `chatrail install` wires them."
}
