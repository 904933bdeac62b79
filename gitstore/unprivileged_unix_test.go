//go:build unix

package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"chatrail/bundle"
)

func init() { children["readonly"] = childReadonly }

// childReadonly tries to read and to write as a user who may only read.
func childReadonly() int {
	s, err := childStore()
	if err != nil {
		return fail(err)
	}
	tip, err := s.Tip(context.Background())
	if err != nil {
		return fail(err)
	}
	if _, changed, err := s.Apply(context.Background(), func(present *bundle.Revision) (bundle.Draft, error) {
		return bundle.Draft{State: present.State}, nil
	}); err != nil || changed {
		return fail(fmt.Errorf("no change: %v, %w", changed, err))
	}
	_, changed, err := s.Apply(context.Background(), drift("not allowed"))
	var unwritable *bundle.UnwritableError
	if !errors.As(err, &unwritable) || changed {
		return fail(fmt.Errorf("apply: %v, %w", changed, err))
	}
	other := Open(s.repo, Options{Ref: "refs/chatrail/task/other"})
	if _, err := other.Create(context.Background(), genesisDraft()); !errors.As(err, &unwritable) {
		return fail(fmt.Errorf("create: %w", err))
	}
	fmt.Println(tip.ID)
	return 0
}

func TestUserWhoMayOnlyReadIsToldSo(t *testing.T) {
	dir := newRepo(t)
	tip := apply(t, started(t, dir), drift("one")).ID
	git(t, dir, "gc", "-q") // git itself refuses to read a repository of somebody else
	chmodAll(t, dir, 0o555, 0o444)
	t.Cleanup(func() { chmodAll(t, dir, 0o755, 0o644) })
	// The way down to the repository and the test binary have to be open, too.
	for up := dir; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		os.Chmod(up, 0o755)
	}
	cmd := child("readonly", "CHATRAIL_TEST_DIR="+dir)
	if os.Getuid() == 0 {
		binary, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = filepath.Join(filepath.Dir(dir), "test-binary")
		if err := os.WriteFile(cmd.Path, binary, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.TrimSpace(string(out)) != tip {
		t.Errorf("the tip is %s, want %s", out, tip)
	}
}

func chmodAll(t *testing.T, dir string, dirMode, fileMode fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fileMode
		if d.IsDir() {
			mode = dirMode
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
}
