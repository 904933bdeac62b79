package refs

import (
	"fmt"
	"os"
	"path/filepath"
)

// DiscoverEnv is Discover for a command run by hand or by git itself: getenv,
// usually os.Getenv, is asked for GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR,
// GIT_IMPLICIT_WORK_TREE, GIT_OBJECT_DIRECTORY, GIT_CEILING_DIRECTORIES and
// GIT_DISCOVERY_ACROSS_FILESYSTEM, and they mean what they mean to git. An
// agent's hook must not use it: there the variables are left over from another
// repository.
func DiscoverEnv(dir string, getenv func(string) string) (*Repo, error) {
	dir, err := startAt(dir)
	if err != nil {
		return nil, err
	}
	env := func(name string) string {
		value := getenv(name)
		if name == "GIT_COMMON_DIR" && value != "" {
			return join(dir, value)
		}
		return value
	}
	named := env("GIT_DIR")
	if named == "" {
		f, err := search(dir, env)
		if err != nil {
			return nil, err
		}
		return f.repo(dir, env)
	}
	f, err := namedDir(join(dir, named), env)
	if err != nil {
		return nil, err
	}
	return f.repo(dir, env)
}

func namedDir(path string, env environ) (finding, error) {
	if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
		gitDir, err := followGitfile(path, env)
		return finding{gitDir: gitDir}, err
	}
	if !isGitDir(path, env) {
		return finding{}, fmt.Errorf("%w: %s, which GIT_DIR names", ErrNotRepo, path)
	}
	return finding{gitDir: resolved(path)}, nil
}

// ceilingDirs reads GIT_CEILING_DIRECTORIES: absolute paths whose links are
// followed, up to an empty entry, after which they are taken as they stand.
func ceilingDirs(list string) map[string]bool {
	if list == "" {
		return nil
	}
	ceilings := map[string]bool{}
	follow := true
	for _, dir := range filepath.SplitList(list) {
		switch {
		case dir == "":
			follow = false
		case !filepath.IsAbs(dir):
		case follow:
			ceilings[resolved(dir)] = true
		default:
			ceilings[filepath.Clean(dir)] = true
		}
	}
	return ceilings
}
