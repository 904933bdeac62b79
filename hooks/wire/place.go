package wire

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"chatrail/hooks/agent"
	"chatrail/hooks/packages"
	"chatrail/hooks/task"
)

// Scope says for whom a client is wired.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // for this user, everywhere
	Project Scope = "project" // for everybody who works in this project
)

// Env is the machine as the package sees it.
type Env struct {
	Getenv   func(string) string
	LookPath func(string) (string, error) // nil for the search path
	Top      string                       // the project's top folder, "" for none
	State    task.Home                    // where it is remembered what was put in
	Hook     string                       // the path of chatrail-hook
	// Agent is how the shell of a client's agent calls chatrail.
	Agent func(agent.Host) string
}

// Hosts are the clients that can be wired.
func Hosts() []agent.Host { return agent.Hosts() }

// Found tells whether a client is on this machine: its program on the search
// path, or its folder in the home directory.
func Found(h agent.Host, env Env) bool {
	look := env.LookPath
	if look == nil {
		look = exec.LookPath
	}
	if _, err := look(h.Executable()); err == nil {
		return true
	}
	dir, err := env.folder(h, User)
	if err != nil {
		return false
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	// ChatRail's own state home may be in there, and is no sign of Codex.
	return h != agent.Codex || len(names) > 1 || len(names) == 1 && names[0].Name() != "chatrail"
}

// folder is where a client keeps its settings.
func (e Env) folder(h agent.Host, scope Scope) (string, error) {
	if scope == Project {
		if e.Top == "" {
			return "", errors.New("there is no project here")
		}
		below := map[agent.Host]string{
			agent.Claude: ".claude", agent.Codex: ".codex", agent.Gemini: ".gemini",
			agent.Copilot: ".github", agent.OpenCode: ".opencode",
		}
		return filepath.Join(e.Top, below[h]), nil
	}
	moved := map[agent.Host]struct{ variable, below, usual string }{
		agent.Claude:   {"CLAUDE_CONFIG_DIR", "", ".claude"},
		agent.Codex:    {"CODEX_HOME", "", ".codex"},
		agent.Gemini:   {"GEMINI_CLI_HOME", ".gemini", ".gemini"},
		agent.Copilot:  {"COPILOT_HOME", "", ".copilot"},
		agent.OpenCode: {"XDG_CONFIG_HOME", "opencode", ".config/opencode"},
	}[h]
	if dir := e.Getenv(moved.variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, moved.below), nil
	}
	home, err := task.UserHome(e.Getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(home, filepath.FromSlash(moved.usual)), nil
}

// kind says what a file holds.
type kind uint8

const (
	hooksFile  kind = iota // settings with hooks in them
	rulesFile              // a file of ours that allows commands
	pluginFile             // a file of ours that calls the hook
)

// place is one file that wiring a client is about.
type place struct {
	host  agent.Host
	scope Scope
	kind  kind
	path  string
}

// places are the files of a client, the one that makes it wired first.
func (e Env) places(h agent.Host, scope Scope) ([]place, error) {
	dir, err := e.folder(h, scope)
	if err != nil {
		return nil, err
	}
	at := func(k kind, below string) place {
		return place{h, scope, k, filepath.Join(dir, filepath.FromSlash(below))}
	}
	switch {
	case h == agent.Claude:
		return []place{at(hooksFile, "settings.json")}, nil
	case h == agent.Copilot:
		return []place{at(hooksFile, "hooks/chatrail.json")}, nil
	case h == agent.OpenCode:
		return []place{at(pluginFile, "plugins/"+packages.OpenCodeFile)}, nil
	case h == agent.Codex && scope == User:
		return []place{at(hooksFile, "hooks.json"), at(rulesFile, "rules/chatrail.rules")}, nil
	case h == agent.Codex:
		return []place{at(hooksFile, "hooks.json")}, nil
	case scope == User:
		return []place{at(hooksFile, "settings.json"), at(rulesFile, "policies/chatrail.toml")}, nil
	}
	return []place{at(hooksFile, "settings.json")}, nil
}

// exists tells whether something is there, also a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
