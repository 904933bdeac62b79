package refs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// environ looks up git's environment variables; Discover and At have an empty
// one.
type environ func(string) string

func noEnviron(string) string { return "" }

func envBool(env environ, name string, otherwise bool) bool {
	if value := env(name); value != "" {
		return gitBool(value, otherwise)
	}
	return otherwise
}

// isGitDir applies git's test: a HEAD that could be one, and objects and refs
// in the common directory.
func isGitDir(dir string, env environ) bool {
	if !isHead(filepath.Join(dir, "HEAD")) {
		return false
	}
	common, _, err := commonDirOf(dir, env)
	if err != nil || !isDir(filepath.Join(common, "refs")) {
		return false
	}
	return env("GIT_OBJECT_DIRECTORY") != "" || isDir(filepath.Join(common, "objects"))
}

// isHead accepts a symbolic link below refs/, a symbolic reference below refs/,
// and an id of either length.
func isHead(path string) bool {
	if target, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(target, "refs/")
	}
	data, err := readSmall(path, 256)
	if err != nil {
		return false
	}
	text := string(data)
	if rest, ok := strings.CutPrefix(text, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(rest, " \t\n\v\f\r"), "refs/")
	}
	return len(text) >= 40 && isHex(text[:40])
}

// commonDirOf follows the commondir file of a linked work tree's git dir.
// linked says that there was one.
func commonDirOf(gitDir string, env environ) (dir string, linked bool, err error) {
	if dir := env("GIT_COMMON_DIR"); dir != "" {
		return resolved(dir), true, nil
	}
	data, err := readSmall(filepath.Join(gitDir, "commondir"), 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, false, nil
	}
	if err != nil {
		return "", false, err
	}
	dir = strings.TrimRight(string(data), "\r\n")
	if dir == "" {
		return "", false, fmt.Errorf("%w: %s is empty", ErrNotRepo, filepath.Join(gitDir, "commondir"))
	}
	return resolved(join(gitDir, dir)), true, nil
}

// followGitfile reads a "gitdir: <path>" file. A relative path counts from the
// folder that the file is seen in, even where the file is a link.
func followGitfile(path string, env environ) (string, error) {
	data, err := readSmall(path, 1<<20)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(data), "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" {
		return "", fmt.Errorf("%w: %w: %s names no folder", ErrNotRepo, ErrBrokenGitfile, path)
	}
	target = join(filepath.Dir(path), target)
	if !isGitDir(target, env) {
		return "", fmt.Errorf("%w: %w: %s leads to %s", ErrNotRepo, ErrBrokenGitfile, path, target)
	}
	return resolved(target), nil
}

// join places a path that may be absolute already.
func join(base, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// resolved is the path without links, or as it stands where that cannot be
// told, because a part of it is missing.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// readSmall reads at most limit bytes of a file.
func readSmall(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}
