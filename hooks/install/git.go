package install

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"chatrail/refs"
)

// Options say what is installed.
type Options struct {
	Program string // absolute path of chatrail-hook
	Gate    bool   // the commit gate too
	Shared  bool   // also where others get the hooks
}

// Outcome is what became of one hook.
type Outcome string

// What can become of a hook.
const (
	Installed Outcome = "installed"
	Chained   Outcome = "chained"   // installed; what was there runs first
	Present   Outcome = "present"   // it was there already
	Renewed   Outcome = "renewed"   // an older text of ours was replaced
	Edited    Outcome = "edited"    // ours, and changed by somebody: left alone
	Replaced  Outcome = "replaced"  // somebody else's now stands there: left alone
	Removed   Outcome = "removed"   // nothing had been there before
	Restored  Outcome = "restored"  // what had been there before is back
	Untouched Outcome = "untouched" // there was nothing of ours
)

// Result is what became of one hook.
type Result struct {
	Hook    string  `json:"hook"`
	Outcome Outcome `json:"outcome"`
	Path    string  `json:"path"`
	Kept    string  `json:"kept,omitempty"` // where the hook is that was there before
}

// LeftAlone says that a person has to look at it.
func (r Result) LeftAlone() bool { return r.Outcome == Edited || r.Outcome == Replaced }

// Words tells a person what became of it.
func (r Result) Words() string {
	switch r.Outcome {
	case Installed:
		return r.Hook + ": installed."
	case Chained:
		return r.Hook + ": installed. The hook that was there runs first, from " + r.Kept + "."
	case Present:
		return r.Hook + ": there already."
	case Renewed:
		return r.Hook + ": brought up to date."
	case Edited:
		return r.Hook + ": left alone. " + r.Path + " was edited since it was installed: take the edit out, or the file away, and run this again."
	case Replaced:
		return r.Hook + ": left alone. Something else now stands in " + r.Path + ", and the hook from before it is still in " + r.Kept +
			": move the one that is no longer wanted away, and run this again."
	case Removed:
		return r.Hook + ": removed."
	case Restored:
		return r.Hook + ": removed. The hook that was there before is back."
	}
	return r.Hook + ": nothing of ChatRail's is there."
}

// Report is what an installation or a removal came to.
type Report struct {
	Folder string   `json:"folder"`
	Hooks  []Result `json:"hooks"`
	Notes  []string `json:"notes,omitempty"` // what a hook manager will do to it
}

// LeftAlone says that a person has to look at one of the hooks.
func (r *Report) LeftAlone() bool {
	for _, h := range r.Hooks {
		if h.LeftAlone() {
			return true
		}
	}
	return false
}

// Git installs the hooks of a repository. What is there is kept and runs first;
// a second installation changes nothing.
func Git(ctx context.Context, repo *refs.Repo, o Options) (*Report, error) {
	if repo.OwnedByOther() {
		return nil, &RefusedError{"this repository belongs to another user: ask them to install its hooks"}
	}
	f, err := findFolder(ctx, repo)
	if err != nil {
		return nil, err
	}
	hooks := slices.Clone(allHooks)
	if !o.Gate {
		hooks = slices.DeleteFunc(hooks, func(hook string) bool { return hook == PreCommit })
	}
	if !o.Shared {
		if err := f.own(ctx, repo, hooks); err != nil {
			return nil, err
		}
	}
	if err := f.prepare(repo); err != nil {
		return nil, unwritable(err, f.path)
	}
	report := &Report{Folder: f.path}
	for _, hook := range hooks {
		s := slot{f.path, hook}
		outcome, err := s.install(o.Program, func(path string) error { return f.share(repo, path) })
		if err != nil {
			return report, unwritable(err, f.path)
		}
		report.add(s, outcome)
	}
	return report, nil
}

func (r *Report) add(s slot, outcome Outcome) {
	result := Result{Hook: s.hook, Outcome: outcome, Path: s.path()}
	if s.holds() {
		result.Kept = s.kept()
	}
	r.Hooks = append(r.Hooks, result)
	note := ""
	switch m := managed(s.kept()); {
	case isHusky(s.dir):
		note = huskyNote
	case m >= 0:
		note = managers[m].note
	}
	if note != "" && (outcome == Installed || outcome == Chained) && (len(r.Notes) == 0 || r.Notes[0] != note) {
		r.Notes = append(r.Notes, note)
	}
}

func (s slot) install(program string, share func(string) error) (Outcome, error) {
	text, err := render(s.hook, program)
	if err != nil {
		return "", err
	}
	now, err := s.look()
	if err != nil {
		return "", err
	}
	outcome := Installed
	switch {
	case now.missing && s.holds():
		outcome = Chained
	case now.missing:
	case now.author == edited:
		return Edited, nil
	case now.author == ours && now.executable && string(now.text) == string(text):
		return Present, nil
	case now.author == ours:
		outcome = Renewed
	case s.runsAside():
		return Present, nil
	default:
		if s.holds() && !s.unmoved() && !s.sameManager() {
			return Replaced, nil
		}
		if err := s.keep(share); err != nil {
			return "", err
		}
		outcome = Chained
	}
	return outcome, s.write(text, share)
}

// Ungit takes the hooks away and puts back what was there before, also where the
// repository looked for hooks before core.hooksPath was set.
func Ungit(ctx context.Context, repo *refs.Repo) (*Report, error) {
	if repo.OwnedByOther() {
		return nil, &RefusedError{"this repository belongs to another user: ask them to remove its hooks"}
	}
	f, err := findFolder(ctx, repo)
	if err != nil {
		return nil, err
	}
	folders := []folder{f}
	if usual, err := examine(filepath.Join(repo.CommonDir, "hooks")); err == nil && usual.path != f.path {
		folders = append(folders, usual)
	}
	report := &Report{Folder: f.path}
	for _, f := range folders {
		if f.missing {
			continue
		}
		for _, hook := range allHooks {
			s := slot{f.path, hook}
			outcome, err := s.uninstall()
			if err != nil {
				return report, unwritable(err, f.path)
			}
			if outcome != Untouched {
				report.add(s, outcome)
			}
		}
		f.tidy()
	}
	return report, nil
}

func (s slot) uninstall() (Outcome, error) {
	now, err := s.look()
	if err != nil {
		return "", err
	}
	switch {
	case now.author == edited:
		return Edited, nil
	case now.author == ours || now.missing && s.holds():
		if s.holds() {
			return Restored, s.restore(s.path())
		}
		return Removed, s.restore(s.path())
	case s.aside() != "":
		return s.putAside(s.aside())
	case !s.holds():
		return Untouched, nil
	case s.unmoved():
		// Half way here before, or half way installed.
		return Restored, os.Remove(s.kept())
	}
	return Replaced, nil
}
