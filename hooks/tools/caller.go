package tools

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chatrail/bundle"
	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

// asks finds the task that asks: the one of the review that is named, else the
// one that the host names with the call, else the one that the server was started
// for, else the one that it was started in.
//
// That one is a guess: a server outlives /clear, its environment does not change,
// and a host that says no more than that has sub-agents call by the same server.
// So it is good enough for reading, while no other task has begun since, and for
// writing only where no hook has asked a review: a review is what a main agent
// knows and a sub-agent does not.
func (c *call) asks(writes bool) error {
	switch session := codexOf(c.req.Params.Meta).session; {
	case c.asked.Review != "":
		key, err := c.desk.TaskOfReview(c.asked.Review)
		if err != nil && c.req.Params.Name != "reconcile" { // which looks further
			return err
		}
		c.desk.Caller = key
		return nil
	case session != "":
		c.desk.Caller = task.Key(session)
		return nil
	case c.Session != "":
		c.desk.Caller = task.Key(c.Session)
		return nil
	}
	agent, session, _ := task.InAgent(c.Env)
	if session == "" {
		return nil
	}
	key := task.Key(session)
	guess, err := c.desk.Overtaken(key, agent, c.began)
	if err == nil && writes && !guess {
		guess, err = c.desk.Reviewed(key)
	}
	switch {
	case err != nil:
		return err
	case guess:
		c.desk.Env = withoutSession(c.desk.Env)
	default:
		c.desk.Caller = key
	}
	return nil
}

// withoutSession is an environment that names no session.
func withoutSession(env func(string) string) func(string) string {
	return func(name string) string {
		if task.NamesSession(name) {
			return ""
		}
		return env(name)
	}
}

// codex is what Codex says with every call: the session is that of the root,
// whoever calls, the thread that of the caller.
type codex struct {
	session    string
	child      bool
	workspaces []string
}

func codexOf(meta mcp.Meta) (c codex) {
	session, _ := meta["sessionId"].(string)
	thread, _ := meta["threadId"].(string)
	if session == "" || thread == "" {
		return c
	}
	c.session, c.child = session, session != thread
	turn, _ := meta["x-codex-turn-metadata"].(map[string]any)
	spaces, _ := turn["workspaces"].(map[string]any)
	c.workspaces = slices.Sorted(maps.Keys(spaces))
	return c
}

// folder is where the caller works: the folder that it names, else the one that
// the process works in, unless the client's own are elsewhere. in tells of one
// that is not the process's.
func (c *call) folder() (dir, in string, err error) {
	if dir = c.asked.CWD; dir != "" {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
			return "", "", &work.UsageError{Text: fmt.Sprintf("cwd is %q: give the absolute path of a folder", bundle.OneLine(work.Fold(dir), 200))}
		}
		return dir, c.elsewhere(dir), nil
	}
	folders := codexOf(c.req.Params.Meta).workspaces
	if len(folders) == 0 {
		folders = c.roots.of(c.ctx, c.req)
	}
	folders = slices.DeleteFunc(slices.Clone(folders), func(f string) bool { info, err := os.Stat(f); return err != nil || !info.IsDir() })
	if len(folders) == 0 || c.Dir != "" && slices.ContainsFunc(folders, func(f string) bool { return inside(c.Dir, f) }) {
		return c.Dir, "", nil
	}
	if len(folders) > 1 {
		return "", "", &work.RefusedError{Text: "which of your folders is meant cannot be told: give `cwd`, your working directory"}
	}
	return folders[0], c.elsewhere(folders[0]), nil
}

// elsewhere tells of a folder that lies outside the one that the server was
// started in.
func (c *call) elsewhere(dir string) string {
	if c.Dir == "" || inside(dir, c.Dir) {
		return ""
	}
	return work.Fold(dir) + " (the server was started in " + work.Fold(c.Dir) + ")"
}

// inside tells whether a folder is another one or lies in it.
func inside(dir, top string) bool {
	real := func(path string) string {
		if r, err := filepath.EvalSymlinks(path); err == nil {
			return r
		}
		return path
	}
	rel, err := filepath.Rel(real(top), real(dir))
	return err == nil && filepath.IsLocal(rel)
}
