package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatrail/gitstore/worktree"
	"chatrail/hooks"
	"chatrail/hooks/task"
	"chatrail/hooks/words"
)

// checkTime is how long the commit gate may take. Somebody waits for a commit.
const checkTime = 1500 * time.Millisecond

// CheckOptions say who asks at the commit gate.
type CheckOptions struct {
	Session string // id, where the environment does not tell it
	Program string // how the caller's shell calls chatrail; "" is "chatrail"
}

// CheckResult is the verdict of the commit gate.
type CheckResult struct {
	Open bool `json:"open"`
	// Undeclared are the staged paths for which it is closed, and Command the line
	// that opens it.
	Undeclared []string `json:"undeclared,omitempty"`
	Command    string   `json:"command,omitempty"`
	// Doubt is why the gate opened without a verdict, in one line, where somebody
	// can do something about it.
	Doubt string `json:"doubt,omitempty"`

	review bool // the command answers a review
	obeyed bool // somebody did what the gate asked for, and more was wanted
}

// Check is the commit gate: closed while something is staged that nobody declared
// and that no written draft is about. It reads the index that a commit would take
// and changes nothing of the repository. Whatever goes wrong in it opens it.
func (d *Desk) Check(ctx context.Context, o CheckOptions) CheckResult {
	limit := checkTime
	if ms, err := strconv.Atoi(d.Env(hooks.Patience)); err == nil {
		limit = max(limit, min(time.Duration(ms)*time.Millisecond, lockTime))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	verdict := make(chan CheckResult, 1)
	go func() {
		defer func() {
			if bug := recover(); bug != nil {
				verdict <- doubt("bug: %v", bug)
			}
		}()
		r, err := d.check(ctx, o)
		if err != nil {
			r = doubt("%v", err)
		}
		verdict <- r
	}()
	select {
	case r := <-verdict:
		var secrets redactor
		r.Doubt = secrets.line(r.Doubt)
		for i := range r.Undeclared {
			r.Undeclared[i] = secrets.path(r.Undeclared[i])
		}
		return r
	case <-ctx.Done():
		return doubt("it took too long")
	}
}

var open = CheckResult{Open: true}

func doubt(format string, args ...any) CheckResult {
	return CheckResult{Open: true, Doubt: words.Cut(words.Harmless(fmt.Sprintf(format, args...)), 300)}
}

func (d *Desk) check(ctx context.Context, o CheckOptions) (CheckResult, error) {
	if d.Dir == "" || task.Off(d.Env) || d.inChild() {
		return open, nil
	}
	if _, session, inAgent := task.InAgent(d.Env); inAgent && session == "" && o.Session == "" {
		return open, nil // whose work this is cannot be told, here and at the stamp
	}
	repo, err := d.repoHere()
	if err != nil {
		return open, nil // git says what is wrong
	}
	staged, err := worktree.Staged(ctx, d.Dir, worktree.Options{HonourEnv: true})
	ours := d.ours(repo)
	staged.Paths = slices.DeleteFunc(staged.Paths, func(p worktree.StagedPath) bool { return ours(p.Path) })
	switch {
	case err != nil:
		return open, err
	case staged.Refused != "", len(staged.Paths) == 0 && !staged.Partial:
		return open, nil
	case staged.Partial:
		return open, errTooLong
	}
	s, err := d.Scope(ctx, o.Session)
	var none *NoBundleError
	switch {
	case errors.As(err, &none):
		return open, nil
	case err != nil:
		return open, err
	case d.Home.Paused(d.Env, s.Receipt) != task.NotPaused, d.Home.PlaceOff(s.Place):
		return open, nil
	}
	g := gate{Desk: d, options: o, scope: s, project: projectOf(repo), repo: repo, staged: staged}
	if g.known, err = d.declarations(repo); err != nil {
		return open, err
	}
	for _, w := range d.waitingDeclared(s.Key) {
		g.known.waiting = append(g.known.waiting, w.Trees...)
	}
	return g.judge(ctx)
}

var errTooLong = errors.New("it took too long")

// Words tells the verdict to whoever commits: nothing where there is nothing to
// say.
func (r CheckResult) Words() []string {
	switch {
	case r.obeyed:
		return []string{"chatrail: the commit gate lets the commit through: " + r.Doubt}
	case r.Open && r.Doubt != "":
		return []string{"chatrail: the commit gate could not judge and lets the commit through: " + r.Doubt}
	case r.Open:
		return nil
	}
	lines := []string{"chatrail: " + r.what(), r.Command}
	if r.review {
		lines = append(lines, "Where it is work on an item, --advance ITEM or --close ITEM in place of --no-task.")
	}
	return lines
}

// what says which paths the gate is closed for.
func (r CheckResult) what() string {
	const most = 3
	var names []string
	for _, path := range r.Undeclared[:min(len(r.Undeclared), most)] {
		names = append(names, words.Cut(words.Harmless(path), 80))
	}
	list := strings.Join(names, ", ")
	if more := len(r.Undeclared) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if len(r.Undeclared) == 1 {
		return list + " is staged, not declared, and no draft says why; run this line, then commit again:"
	}
	return list + " are staged, not declared, and no draft says why; run this line, then commit again:"
}
