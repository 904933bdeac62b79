//go:build unix

package refs

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAndFoldersGetTheModesThatGitGives(t *testing.T) {
	for _, shared := range []string{"", "umask", "false", "0", "group", "true", "1", "all", "world", "2", "0640", "0660", "0666", "0600"} {
		t.Run("shared "+shared, func(t *testing.T) {
			t.Parallel()
			dir := newRepo(t)
			if shared != "" {
				git(t, dir, "config", "core.sharedRepository", shared)
			}
			c := commits(t, dir, 1)
			r := found(t, dir)
			must(t, r.Swap(t.Context(), Swap{Name: Task("x"), New: c[0]}))
			git(t, dir, "update-ref", "--create-reflog", "refs/gits/task/x", c[0])
			mode := func(path string) os.FileMode {
				t.Helper()
				fi, err := os.Lstat(filepath.Join(dir, ".git", path))
				must(t, err)
				return fi.Mode()
			}
			for _, path := range []string{"refs/%", "refs/%/task", "refs/%/task/x", "logs/refs/%", "logs/refs/%/task", "logs/refs/%/task/x"} {
				ours, gits := mode(replaceMark(path, "chatrail")), mode(replaceMark(path, "gits"))
				if ours != gits {
					t.Errorf("%s: ours is %v, git's %v", path, ours, gits)
				}
			}
			if ours, gits := mode("chatrail"), mode("refs/gits"); ours != gits {
				t.Errorf("our folder is %v, git's %v", ours, gits)
			}
			for _, name := range []string{"id", Encode(Task("x")) + ".flock"} {
				if ours, gits := mode("chatrail/"+name), mode("refs/gits/task/x"); ours != gits {
					t.Errorf("%s is %v, git's %v", name, ours, gits)
				}
			}
		})
	}
}

func replaceMark(path, name string) string {
	for i := range path {
		if path[i] == '%' {
			return path[:i] + name + path[i+1:]
		}
	}
	return path
}
