package memory

import (
	"os"
	"path/filepath"
	"strings"
)

// Top is the folder that Claude Code names the memory of a session after, for a
// session that was started in dir: the top of the work tree around it, of a
// linked work tree that of the main one, and outside git dir itself. Whether
// git would accept what it finds is no question here, since Claude Code does not
// ask it either.
func Top(dir string) string {
	dir = resolved(dir)
	for at := dir; ; at = filepath.Dir(at) {
		if hasGit(at) {
			return mainTop(at)
		}
		if filepath.Dir(at) == at {
			return dir
		}
	}
}

// TopOfRepo is Top for a repository: for the work tree where it is still there,
// else for what the repository itself tells.
func TopOfRepo(workTree, commonDir string) string {
	if workTree != "" && hasGit(workTree) {
		return Top(workTree)
	}
	if common := resolved(commonDir); filepath.Base(common) != ".git" {
		return common
	}
	return filepath.Dir(resolved(commonDir))
}

// mainTop follows the .git of a linked work tree to the main one, as long as
// both sides name each other. A submodule, and a repository that was put
// somewhere else, stay what they are.
func mainTop(top string) string {
	target, ok := readLine(filepath.Join(top, ".git"))
	target, isLink := strings.CutPrefix(target, "gitdir:")
	if !ok || !isLink {
		return top
	}
	gitDir := place(top, strings.TrimSpace(target))
	common, ok := readLine(filepath.Join(gitDir, "commondir"))
	if !ok {
		return top
	}
	common = place(gitDir, common)
	if filepath.Dir(gitDir) != filepath.Join(common, "worktrees") {
		return top
	}
	back, ok := readLine(filepath.Join(gitDir, "gitdir"))
	if !ok || resolved(place(gitDir, back)) != filepath.Join(resolved(top), ".git") {
		return top
	}
	switch {
	case filepath.Base(common) == ".git":
		return filepath.Dir(common)
	case hasGit(common):
		return top
	}
	return common // a bare repository, or one in another place
}

func hasGit(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil && (info.IsDir() || info.Mode().IsRegular())
}

// readLine reads a small file that git wrote with one line.
func readLine(path string) (string, bool) {
	data, err := readPath(path, 64<<10)
	return strings.TrimSpace(string(data)), err == nil && len(data) > 0
}

func place(base, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// resolved is a path without links, as it stands where that cannot be told.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
