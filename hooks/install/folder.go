package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chatrail/refs"
)

// RefusedError says, in one line, why nothing was installed and what helps.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// folder is where git looks for the hooks of a work tree.
type folder struct {
	path    string // absolute, without links
	missing bool
}

// findFolder asks git where its hooks are, so that core.hooksPath counts
// wherever it is set. A relative one is counted from the top of the work tree,
// as git does when it runs them.
func findFolder(ctx context.Context, repo *refs.Repo) (folder, error) {
	cmd := repo.Git(ctx, "rev-parse", "--git-path", "hooks")
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return folder{}, refs.GitError(err, complaint.Bytes())
	}
	path := filepath.FromSlash(strings.TrimSuffix(out.String(), "\n"))
	if !filepath.IsAbs(path) {
		from := repo.WorkTree
		if from == "" {
			from = repo.GitDir
		}
		path = filepath.Join(from, path)
	}
	return examine(path)
}

func examine(path string) (folder, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return folder{}, &RefusedError{"the hooks folder " + path + " is a link that leads nowhere: mend or remove it"}
		}
		up, err := examine(filepath.Dir(path))
		return folder{filepath.Join(up.path, filepath.Base(path)), true}, err
	}
	if err != nil {
		return folder{}, err
	}
	if fi, err := os.Stat(real); err != nil || !fi.IsDir() {
		return folder{}, &RefusedError{"git looks for hooks in " + path + ", which is no folder: core.hooksPath switches hooks off here"}
	}
	return folder{path: real}, nil
}

// own refuses a folder in which a hook would not be of this repository on this
// machine alone: one outside of it is used by other repositories, and a file
// that the project keeps under version control is everybody's.
func (f folder) own(ctx context.Context, repo *refs.Repo, hooks []string) error {
	if within(f.path, repo.CommonDir) || within(f.path, repo.GitDir) {
		return nil
	}
	if !within(f.path, repo.WorkTree) {
		return &RefusedError{fmt.Sprintf("git's hooks are in %s, outside this repository, and others may use them too: --shared installs there all the same", f.path)}
	}
	var names []string
	for _, hook := range hooks {
		s := slot{f.path, hook}
		names = append(names, s.path(), s.kept())
	}
	cmd := repo.Git(ctx, "check-ignore", "-z", "--stdin")
	cmd.Stdin = strings.NewReader(strings.Join(names, "\x00") + "\x00")
	out, err := cmd.Output()
	if err == nil && bytes.Count(out, []byte{0}) == len(names) {
		return nil // as the folder that husky makes
	}
	return &RefusedError{fmt.Sprintf("git's hooks are files of the project here, in %s, and everybody gets them: --shared installs there all the same", f.path)}
}

// unwritable says what an error of the file system means for a hooks folder.
func unwritable(err error, dir string) error {
	var at *fs.PathError
	if refs.Unwritable(err) && errors.As(err, &at) {
		return &RefusedError{"the hooks folder " + dir + " cannot be written: " + at.Err.Error()}
	}
	return err
}

// within tells whether path is top or lies below it. Both are without links.
func within(path, top string) bool {
	rel, err := filepath.Rel(top, path)
	return top != "" && err == nil && filepath.IsLocal(rel)
}

// madeMark is a file beside what is kept that says that the hooks folder was
// missing before.
const madeMark = "folder-was-missing"

// prepare makes the folder where it is missing.
func (f folder) prepare(repo *refs.Repo) error {
	if !refs.Owned(f.path) && !f.missing {
		return &RefusedError{"the hooks folder " + f.path + " belongs to another user: ask them to install there"}
	}
	if !f.missing {
		Sweep(f.path)
		Sweep(filepath.Join(f.path, keptFolder))
		return nil
	}
	if err := os.MkdirAll(filepath.Join(f.path, keptFolder), 0o777); err != nil {
		return err
	}
	mark := filepath.Join(f.path, keptFolder, madeMark)
	if err := os.WriteFile(mark, nil, 0o666); err != nil {
		return err
	}
	return f.share(repo, f.path, filepath.Join(f.path, keptFolder), mark)
}

// share gives what was made in a repository the modes that it shares by.
func (f folder) share(repo *refs.Repo, paths ...string) error {
	if !within(f.path, repo.CommonDir) {
		return nil
	}
	for _, path := range paths {
		if err := repo.ApplySharing(path); err != nil {
			return err
		}
	}
	return nil
}

// tidy removes what only the installation needed.
func (f folder) tidy() {
	kept := filepath.Join(f.path, keptFolder)
	mark := filepath.Join(kept, madeMark)
	_, err := os.Lstat(mark)
	left, _ := os.ReadDir(kept)
	if err != nil {
		_ = os.Remove(kept) // refused while something is in it
		return
	}
	if len(left) == 1 && os.Remove(mark) == nil && os.Remove(kept) == nil {
		_ = os.Remove(f.path)
	}
}
