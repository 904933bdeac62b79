package task

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// realFolder is a working directory without links. Of one that is gone, or
// that cannot be reached any more, it is the nearest folder above that can.
func realFolder(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("the working directory %q is not an absolute path", dir)
	}
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil && isFolder(real) || filepath.Dir(dir) == dir {
			return real, nil
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// within tells whether path is top or lies below it. Both are clean.
func within(path, top string) bool {
	if top == "" {
		return false
	}
	if path == top {
		return true
	}
	return strings.HasPrefix(path, strings.TrimSuffix(top, string(filepath.Separator))+string(filepath.Separator))
}
