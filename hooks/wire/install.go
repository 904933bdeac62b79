package wire

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"chatrail/hooks/agent"
	"chatrail/hooks/secret"
)

// Options say how.
type Options struct {
	Scope        Scope
	DryRun       bool
	NoPermission bool // no rule that lets the agent run its review by itself
}

// Outcome is what became of one file.
type Outcome string

// What can become of a file.
const (
	Wired     Outcome = "wired"
	Present   Outcome = "present" // it was so already
	Renewed   Outcome = "renewed" // something of ours was brought up to date
	Removed   Outcome = "removed"
	Untouched Outcome = "untouched" // nothing of ours was there
	LeftAlone Outcome = "left alone"
)

// Result is what became of one file, or would.
type Result struct {
	Agent   agent.Host `json:"agent"`
	Scope   Scope      `json:"scope"`
	Path    string     `json:"path"`
	Outcome Outcome    `json:"outcome"`
	Why     string     `json:"why,omitempty"` // it was left alone
	Diff    string     `json:"diff,omitempty"`
	DryRun  bool       `json:"dry_run,omitempty"`
	kind    kind
}

// Words tells a person what became of it, "" for nothing worth a line.
func (r Result) Words() string {
	what, verb := "hooks", ""
	switch r.kind {
	case rulesFile:
		what = "permission"
	case pluginFile:
		what = "plugin"
	}
	switch r.Outcome {
	case Wired:
		verb = map[bool]string{false: "put into", true: "would be put into"}[r.DryRun]
	case Renewed:
		verb = map[bool]string{false: "brought up to date in", true: "would be brought up to date in"}[r.DryRun]
	case Removed:
		verb = map[bool]string{false: "taken out of", true: "would be taken out of"}[r.DryRun]
	case Present:
		verb = "there already, in"
	case LeftAlone:
		return fmt.Sprintf("%s: %s left alone: %s.", r.Agent.Title(), r.Path, r.Why)
	default:
		return ""
	}
	return fmt.Sprintf("%s: %s %s %s.", r.Agent.Title(), what, verb, r.Path)
}

// Report is what an installation or its reverse came to.
type Report struct {
	Files []Result `json:"files"`
	Notes []string `json:"notes,omitempty"`
}

// LeftAlone tells whether a person has to look at a file.
func (r *Report) LeftAlone() bool {
	for _, f := range r.Files {
		if f.Outcome == LeftAlone {
			return true
		}
	}
	return false
}

// ErrHome says that what would be a project's settings are the user's.
var ErrHome = errors.New("the settings of a project in the home directory are your own: leave --project out, or go to the project's folder")

// Install wires clients. What cannot be edited is left alone, and the report
// says so; the error is about what concerns all of it.
func Install(ctx context.Context, hosts []agent.Host, env Env, o Options) (*Report, error) {
	return run(ctx, hosts, env, o, true)
}

// Uninstall takes out of clients' settings what Install put there, or a person
// who did the same by hand.
func Uninstall(ctx context.Context, hosts []agent.Host, env Env, o Options) (*Report, error) {
	return run(ctx, hosts, env, o, false)
}

func run(ctx context.Context, hosts []agent.Host, env Env, o Options, in bool) (*Report, error) {
	if !o.DryRun && (in || exists(env.State.Dir)) { // taking out makes no folder
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		// Two at a time would only make each other start anew.
		if unlock, err := env.State.Lock(ctx, "wire"); err == nil {
			defer unlock()
		}
	}
	report := &Report{Files: []Result{}}
	for _, h := range hosts {
		places, err := env.places(h, o.Scope)
		if err != nil {
			return report, err
		}
		if o.Scope == Project && env.oneFile(h) {
			return report, ErrHome
		}
		first := len(report.Files)
		if !in {
			slices.Reverse(places) // the first made the folders
		}
		for _, p := range places {
			if in && p.kind == rulesFile && (o.NoPermission || report.last().Outcome == LeftAlone) {
				continue
			}
			report.Files = append(report.Files, env.change(p, o, in))
		}
		if !in {
			slices.Reverse(report.Files[first:])
		}
		report.Notes = append(report.Notes, env.notes(h, o, report.Files[first], in)...)
	}
	return report, nil
}

func (r *Report) last() Result {
	if len(r.Files) == 0 {
		return Result{}
	}
	return r.Files[len(r.Files)-1]
}

// change edits one file, anew while others do.
func (e Env) change(p place, o Options, in bool) Result {
	result := Result{Agent: p.host, Scope: p.scope, Path: p.path, DryRun: o.DryRun, kind: p.kind}
	var err error
	for range 5 {
		if result.Outcome, result.Diff, err = e.tryChange(p, o, in); !errors.Is(err, errChanged) {
			break
		}
	}
	if err != nil {
		result.Outcome, result.Why = LeftAlone, err.Error()
	}
	return result
}

func (e Env) tryChange(p place, o Options, in bool) (Outcome, string, error) {
	f, err := readFile(p.path)
	if err != nil {
		if !in && !errors.Is(err, errChanged) && !e.mayHoldOurs(p) {
			return Untouched, "", nil
		}
		return "", "", err
	}
	rec := recall(e.State, p.path)
	s := settings{env: e, place: p}
	if !o.NoPermission {
		s.rules = e.rules(p)
	}
	var change *edit
	outcome := Removed
	switch {
	case p.kind != hooksFile:
		change, outcome, err = e.ownFile(p, f, rec, in)
	case in:
		var renewed bool
		change, renewed, err = s.install(f, rec)
		outcome = map[bool]Outcome{false: Wired, true: Renewed}[renewed]
		if change == nil {
			outcome = Present
		}
	default:
		if change, err = s.uninstall(f, rec); change == nil {
			outcome = Untouched
		}
	}
	if err != nil || change == nil {
		if err == nil && !in && !o.DryRun && rec != nil {
			f.tidy(rec.Folders)
			forget(e.State, p.path)
		}
		return outcome, "", err
	}
	if why := f.barred(); why != "" {
		return "", "", &aloneError{why}
	}
	if o.DryRun {
		return outcome, difference(f, change), nil
	}
	if change.remove && f.plain() {
		var folders []string
		if rec != nil {
			folders = rec.Folders
		}
		if err := f.remove(folders); err != nil {
			return "", "", err
		}
		forget(e.State, p.path)
		return outcome, "", nil
	}
	if change.rec != nil {
		change.rec.Folders = append(change.rec.Folders, missingFolders(filepath.Dir(f.real))...)
		remember(e.State, change.rec)
	}
	if err := f.write(change.text, p.scope == User); err != nil {
		if rec != nil { // what is remembered is of what is there
			remember(e.State, rec)
		} else {
			forget(e.State, p.path)
		}
		return "", "", err
	}
	if change.rec == nil {
		f.tidy(nil)
		forget(e.State, p.path)
	}
	return outcome, "", nil
}

// difference shows a change as a unified diff, without what looks like a secret
// in the lines around it.
func difference(f *file, change *edit) string {
	before, after := f.path, f.path
	if f.missing {
		before = "/dev/null"
	}
	if change.remove {
		after = "/dev/null"
	}
	clean, _ := secret.Redact(string(diff.Diff(before, f.text, after, change.text)))
	return clean
}

// notes are what a person has to know about a client: r is what became of its
// hooks.
func (e Env) notes(h agent.Host, o Options, r Result, in bool) []string {
	var notes []string
	others := Elsewhere(h, o.Scope, e)
	switch {
	case !in && r.Outcome != LeftAlone && len(others) > 0:
		notes = append(notes, h.Title()+" still calls the hook from "+strings.Join(others, " and ")+".")
	case !in || r.Outcome == LeftAlone:
	case len(others) > 0:
		notes = append(notes, h.Title()+" calls the hook from "+strings.Join(others, " and ")+" too: each event still counts once, and one of them is enough.")
	}
	if !in && r.Outcome != LeftAlone && e.callsWithMore(h, r.Path) {
		notes = append(notes, h.Title()+" still calls the hook from "+r.Path+", in a line of your own that does more: take it out by hand.")
	}
	if silent := unheard(h, e); in && len(silent) > 0 {
		notes = append(notes, h.Title()+" also runs what "+strings.Join(silent, " and ")+" says for Claude Code; the hook stays silent there.")
	}
	if in && h == agent.Codex && (r.Outcome == Wired || r.Outcome == Renewed) {
		text := "Codex asks once, when it is started in a terminal, whether it may run these hooks (\"Hooks need review\"), and skips them until then."
		if o.Scope == Project {
			text += " It reads a project's hooks only where the project is trusted."
		}
		notes = append(notes, text)
		if program := e.Agent(h); o.Scope == User && !o.NoPermission && strings.HasPrefix(program, "'") {
			notes = append(notes, "Codex applies no rule to a program in quotes, as "+program+" is: the agent's changes wait in the drop box for the next hook. Programs in a folder without blanks leave the sandbox.")
		}
	}
	return notes
}
