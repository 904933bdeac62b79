package objects

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// git follows a chain of alternates this far.
const maxAlternateDepth = 5

// objectDirs lists the objects directory of a repository and those it borrows
// from, nearest first.
func objectDirs(commonDir string) []string {
	dirs := []string{filepath.Join(commonDir, "objects")}
	level := dirs
	for range maxAlternateDepth {
		var next []string
		for _, dir := range level {
			for _, alternate := range alternatesOf(dir) {
				if !slices.Contains(dirs, alternate) {
					dirs = append(dirs, alternate)
					next = append(next, alternate)
				}
			}
		}
		level = next
	}
	return dirs
}

// alternatesOf reads info/alternates of one objects directory: a path a line,
// relative to that directory, quoted where it holds odd characters.
func alternatesOf(dir string) []string {
	data, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if err != nil {
		return nil
	}
	var found []string
	for line := range strings.SplitSeq(string(data), "\n") {
		if strings.HasPrefix(line, `"`) {
			if unquoted, err := strconv.Unquote(line); err == nil {
				line = unquoted
			}
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		found = append(found, filepath.Clean(line))
	}
	return found
}
