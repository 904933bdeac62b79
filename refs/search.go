package refs

import (
	"fmt"
	"os"
	"path/filepath"
)

// finding is where the way upward ended, before the configuration was read.
type finding struct {
	dir      string   // the folder that it was found in, "" where GIT_DIR named it
	gitDir   string   // without links
	owned    []string // paths whose owner git checks
	standsIn bool     // dir is the git dir itself
}

// examine looks at one folder. A .git file that leads nowhere is an error, as in
// git: the way upward ends there.
func examine(dir string, env environ) (finding, bool, error) {
	dotGit := filepath.Join(dir, ".git")
	switch fi, err := os.Stat(dotGit); {
	case err != nil:
	case fi.Mode().IsRegular():
		gitDir, err := followGitfile(dotGit, env)
		if err != nil {
			return finding{}, false, err
		}
		return finding{dir: dir, gitDir: gitDir, owned: []string{dotGit, dir, gitDir}}, true, nil
	case fi.IsDir() && isGitDir(dotGit, env):
		gitDir := resolved(dotGit)
		owned := []string{dir, gitDir}
		if gitDir != dotGit {
			owned = append(owned, dotGit)
		}
		return finding{dir: dir, gitDir: gitDir, owned: owned}, true, nil
	}
	if isGitDir(dir, env) {
		return finding{dir: dir, gitDir: dir, owned: []string{dir}, standsIn: true}, true, nil
	}
	return finding{}, false, nil
}

// search goes from a folder upward. It ends at the border of the file system
// unless GIT_DISCOVERY_ACROSS_FILESYSTEM says otherwise, and below a folder that
// GIT_CEILING_DIRECTORIES names.
func search(start string, env environ) (finding, error) {
	device, err := os.Stat(start)
	if err != nil {
		return finding{}, err
	}
	across := envBool(env, "GIT_DISCOVERY_ACROSS_FILESYSTEM", false)
	ceilings := ceilingDirs(env("GIT_CEILING_DIRECTORIES"))
	for dir := start; ; {
		f, ok, err := examine(dir, env)
		if ok || err != nil {
			return f, err
		}
		up := filepath.Dir(dir)
		if up == dir || ceilings[up] {
			return finding{}, fmt.Errorf("%w: %s", ErrNotRepo, start)
		}
		if !across {
			fi, err := os.Stat(up)
			if err != nil {
				return finding{}, err
			}
			if !sameDevice(device, fi) {
				return finding{}, fmt.Errorf("%w: %s, up to the file system of %s", ErrNotRepo, start, up)
			}
		}
		dir = up
	}
}

// repo reads the configuration and places the work tree. cwd is what relative
// answers count from.
func (f finding) repo(cwd string, env environ) (*Repo, error) {
	common, linked, err := commonDirOf(f.gitDir, env)
	if err != nil {
		return nil, err
	}
	conf, err := readFormat(common)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", common, err)
	}
	if conf.worktreeConfig {
		conf.addWorktreeConfig(f.gitDir)
	}
	r := &Repo{
		GitDir: f.gitDir, CommonDir: common,
		ObjectFormat: conf.objectFormat, RefStorage: conf.refStorage,
		shared: conf.shared, owned: f.owned,
	}
	placed := conf
	if linked && !conf.worktreeConfig {
		// What the main work tree is says nothing about a linked one.
		placed.bare, placed.worktree = nil, ""
	}
	r.WorkTree = f.workTree(cwd, placed, env)
	r.Bare = r.WorkTree == "" && (conf.bare == nil || *conf.bare)
	return r, nil
}

func (f finding) workTree(cwd string, conf format, env environ) string {
	bare := conf.bare != nil && *conf.bare
	switch {
	case env("GIT_WORK_TREE") != "":
		return resolved(join(cwd, env("GIT_WORK_TREE")))
	case bare:
		return ""
	case conf.worktree != "":
		return resolved(join(f.gitDir, conf.worktree))
	case f.dir == "" && !envBool(env, "GIT_IMPLICIT_WORK_TREE", true):
		return ""
	case f.dir == "":
		return cwd
	case f.standsIn:
		return ""
	}
	return f.dir
}
