package doctor

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"chatrail/hooks/task"
	"chatrail/hooks/words"
	"chatrail/hooks/work"
	"chatrail/refs"
)

// project looks at the bundle of this place, or of the caller's task.
func (v Visit) project(st *work.Status) (lines []Line) {
	if st.OtherPlace != "" {
		lines = append(lines, warning("the agent's environment names "+st.OtherPlace+" as its project; commands go by this folder, hooks by what the client sends",
			"start the agent in this folder, or run the command there"))
	}
	if st.Bundle == "" {
		if len(st.Remotes) > 0 {
			name, _, _ := strings.Cut(st.Remotes[0], ": ")
			return append(lines, warning("no orientation here, and "+oneLine(name)+" has one", "chatrail sync "+quote(name)))
		}
		return append(lines, ok("no orientation here: a task keeps a private one; `chatrail init` makes one for the project"))
	}
	text := words.Harmless(st.Bundle) + ", " + st.Backend
	if st.Ref != "" {
		text += " on " + st.Ref
	}
	switch {
	case st.Frozen != "":
		next := st.Repair
		if next == "" {
			next = "chatrail validate"
		}
		lines = append(lines, problem(text+" is frozen, nothing is written: "+oneLine(st.Frozen), next))
	default:
		if at, err := time.Parse(time.RFC3339, st.Moved); err == nil {
			text += ", last moved " + words.Age(time.Since(at))
		}
		lines = append(lines, ok(text))
	}
	if !st.Trusted && st.Frozen == "" {
		lines = append(lines, warning("its words are not shown to agents: nobody trusted them", "look at them with `chatrail show`, then run `chatrail trust`"))
	}
	if st.Elsewhere != "" {
		lines = append(lines, ok("this task goes by another bundle than the folder: "+st.Elsewhere))
	}
	if st.Unread != "" {
		lines = append(lines, warning(st.Unread+" is no longer read: the reference is the bundle", "move it away when no older version of ChatRail reads it any more"))
	}
	if len(st.Unsettled) > 0 {
		lines = append(lines, warning(plural(len(st.Unsettled), "word")+" that a merge set aside "+map[bool]string{true: "waits", false: "wait"}[len(st.Unsettled) == 1]+" to be settled", "chatrail status"))
	}
	for _, remote := range st.Remotes {
		lines = append(lines, farEnd(remote))
	}
	for _, o := range st.Owed {
		lines = append(lines, owed(o.Name, o.Reason))
	}
	return lines
}

// farEnd is what status says of a remote, and what helps where the two do not go
// together.
func farEnd(said string) Line {
	name, how, _ := strings.Cut(said, ": ")
	text := "remote " + oneLine(said)
	switch {
	case strings.HasPrefix(how, work.NotTaken):
		return warning(text, "nothing here depends on it: have whoever may push there put it right, then run `chatrail sync "+quote(name)+"`")
	case strings.HasPrefix(how, work.AnotherHistory):
		return warning(text, "if it is the same work: chatrail sync --join "+quote(name))
	}
	return ok(text)
}

// owed says that a remote is behind. What the reason itself advises comes first.
func owed(name, reason string) Line {
	next := "chatrail sync " + quote(name)
	if why, help, found := strings.Cut(reason, "): "); found {
		reason, next = why+")", oneLine(help)+", then run `"+next+"`"
	}
	return warning("it did not get to "+oneLine(name)+": "+oneLine(reason), next)
}

// staleLock is how old a lock of git's has to be before it is in nobody's hand.
const staleLock = time.Minute

// repository looks at what stands around the bundle in git's folder.
func (v Visit) repository(ctx context.Context) (lines []Line) {
	repo, err := v.repo()
	switch {
	case v.Desk.Dir == "":
		return nil
	case errors.Is(err, refs.ErrBrokenGitfile):
		return []Line{problem("the repository that a .git file here names is gone: "+oneLine(strings.TrimPrefix(err.Error(), refs.ErrNotRepo.Error()+": ")),
			"bring it back, or, where it has moved, run `git worktree repair "+quote(v.Desk.Dir)+"` in it")}
	case errors.Is(err, refs.ErrNotRepo):
		return headless(v.Desk.Dir)
	case err != nil:
		return []Line{problem("the repository cannot be read: "+oneLine(err.Error()), "git status")}
	case repo.OwnedByOther():
		return []Line{warning("this repository belongs to another user: ChatRail passes it over", "work in a clone of your own")}
	}
	if repo.WorkTree == "" {
		lines = append(lines, ok("no work tree: a bare repository, or inside a git directory"))
	} else {
		text := "work tree " + repo.WorkTree
		if top, inside := task.Superproject(repo); inside {
			text += ", a submodule of " + top
		} else if repo.GitDir != repo.CommonDir {
			text += ", linked to " + repo.CommonDir
		}
		lines = append(lines, ok(text))
	}
	if !mayWrite(repo.CommonDir) {
		lines = append(lines, warning(repo.CommonDir+" cannot be written here: changes wait in the drop box", "as it should be in an agent's sandbox; elsewhere let yourself write there"))
	}
	lines = append(lines, refused(ctx, repo)...)
	lines = append(lines, gitLocks(repo)...)
	return append(lines, gitHooks(ctx, repo)...)
}

// headless looks for a git folder above that git passes over for its HEAD, as a
// machine that went down may leave it.
func headless(dir string) []Line {
	for ; ; dir = filepath.Dir(dir) {
		head := filepath.Join(dir, ".git", "HEAD")
		if exists(filepath.Join(dir, ".git", "objects")) && exists(filepath.Join(dir, ".git", "refs")) {
			return []Line{problem("git takes "+filepath.Dir(head)+" for no repository: its HEAD is damaged", "put the branch back into "+head+", in one line: ref: refs/heads/BRANCH")}
		}
		if filepath.Dir(dir) == dir {
			return nil
		}
	}
}

// refused says what git itself has against the repository.
func refused(ctx context.Context, repo *refs.Repo) []Line {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	cmd := repo.Git(ctx, "rev-parse", "--git-dir")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	err := cmd.Run()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || ctx.Err() != nil {
		return nil // no git, which is said elsewhere
	}
	return []Line{problem("git cannot use the repository: "+oneLine(refs.GitError(err, complaint.Bytes()).Error()), "mend what it names, until `git status` works")}
}

// gitLocks looks for lock files that somebody left on our references.
func gitLocks(repo *refs.Repo) (lines []Line) {
	look := func(path string) {
		info, err := os.Lstat(path)
		if err != nil || time.Since(info.ModTime()) < staleLock {
			return
		}
		lines = append(lines, problem(path+" has been there since "+words.Age(time.Since(info.ModTime()))+", and nothing can be written while it is",
			"make sure that no git and no ChatRail runs there, then take it away by hand"))
	}
	look(filepath.Join(repo.CommonDir, "packed-refs.lock"))
	top := filepath.Join(repo.CommonDir, filepath.FromSlash(strings.TrimSuffix(refs.Namespace, "/")))
	seen := 0
	_ = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is no lock that is known
		}
		if seen++; seen > 10_000 {
			return fs.SkipAll
		}
		if !e.IsDir() && strings.HasSuffix(path, ".lock") {
			look(path)
		}
		return nil
	})
	return lines
}

// gitHooks looks whether git runs the hooks of ours that are installed: a setting
// can lead it to another folder.
func gitHooks(ctx context.Context, repo *refs.Repo) []Line {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	out, err := repo.Git(ctx, "rev-parse", "--git-path", "hooks").Output()
	if err != nil {
		return nil // without git no hook of git runs
	}
	folder := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(repo.WorkTree, folder)
		if repo.WorkTree == "" {
			folder = filepath.Join(repo.GitDir, filepath.Base(folder))
		}
	}
	usual := filepath.Join(repo.CommonDir, "hooks")
	used, here := ourHooks(folder), ourHooks(usual)
	switch {
	case len(used) > 0:
		return []Line{ok("git's hooks of ChatRail: " + strings.Join(used, ", ") + " in " + folder)}
	case len(here) > 0 && !sameFile(folder, usual):
		return []Line{problem("git runs the hooks in "+folder+" (core.hooksPath), and ChatRail's are in "+usual, installGit(folder, repo))}
	case !sameFile(folder, usual) && exists(folder):
		return []Line{ok("git's hooks are in " + folder + " (core.hooksPath); none of ChatRail's is installed")}
	}
	return nil
}

// installGit is the command that installs where git looks: in a folder that
// others use too only where it is asked for by name.
func installGit(folder string, repo *refs.Repo) string {
	for _, own := range []string{repo.CommonDir, repo.GitDir} {
		if rel, err := filepath.Rel(own, folder); err == nil && filepath.IsLocal(rel) {
			return "chatrail install git"
		}
	}
	return "chatrail install git --shared"
}

// ourHooks are the hooks in a folder that call ChatRail.
func ourHooks(folder string) (names []string) {
	for _, name := range []string{"pre-commit", "post-commit", "post-rewrite", "pre-push"} {
		path := filepath.Join(folder, name)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "chatrail") {
			names = append(names, name)
		}
	}
	return names
}
