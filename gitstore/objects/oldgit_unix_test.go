//go:build unix

package objects

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// oldGit puts a git first on the search path that knows no --batch-command, as
// those before 2.36, and notes how often it is started.
func oldGit(t *testing.T) (starts string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	starts = filepath.Join(bin, "starts")
	script := fmt.Sprintf("#!/bin/sh\necho start >>'%s'\nfor arg; do\n\tcase $arg in --batch-command) echo 'usage: git cat-file' >&2; exit 129 ;; esac\ndone\nexec '%s' \"$@\"\n", starts, real)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return starts
}

func TestAGitWithoutBatchCommandIsAskedWithBatch(t *testing.T) {
	ways := map[string]func(t *testing.T, r *Reader, ids []string){
		"one at a time": func(t *testing.T, r *Reader, ids []string) {},
		"ahead": func(t *testing.T, r *Reader, ids []string) {
			if r.Ahead(t.Context(), ids); len(r.ahead) != len(ids) {
				t.Errorf("%d of %d were read ahead", len(r.ahead), len(ids))
			}
		},
	}
	for name, ahead := range ways {
		t.Run(name, func(t *testing.T) {
			objs, ids := many(20, 100)
			_, db := packed(t, objs...)
			starts := oldGit(t)
			r := db.Reader(nil)
			defer r.Close()
			ahead(t, r, ids)
			for _, o := range objs {
				if data, err := r.Get(t.Context(), o.ID, Blob); err != nil || string(data) != string(o.Data) {
					t.Fatalf("%q, %v", data, err)
				}
			}
			if r.library != nil {
				t.Error("the library was asked")
			}
			if n, _ := os.ReadFile(starts); string(n) != "start\nstart\n" {
				t.Errorf("git was started so often: %q", n)
			}
		})
	}
}
