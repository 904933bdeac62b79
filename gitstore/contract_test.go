package gitstore

import (
	"os"
	"path/filepath"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/storetest"
)

func TestContractHoldsInARepository(t *testing.T) {
	t.Parallel()
	storetest.Run(t, opener(func(t *testing.T) string { return newRepo(t) }))
}

func TestContractHoldsInALinkedWorkTree(t *testing.T) {
	t.Parallel()
	if !long() {
		t.Skip("the same as in its main work tree but for where the files lie: set CHATRAIL_LONG to run it")
	}
	storetest.Run(t, opener(func(t *testing.T) string {
		main := newRepo(t)
		linked := filepath.Join(t.TempDir(), "linked")
		git(t, main, "worktree", "add", "-q", linked)
		return linked
	}))
}

func TestContractHoldsInASHA256Repository(t *testing.T) {
	t.Parallel()
	if !long() {
		t.Skip("every write goes through the git program, which takes its time: set CHATRAIL_LONG to run it")
	}
	storetest.Run(t, opener(func(t *testing.T) string { return newRepo(t, "--object-format=sha256") }))
}

func opener(newDir func(*testing.T) string) storetest.Opener {
	return func(t *testing.T, genesis bundle.Draft) storetest.Fixture {
		dir := newDir(t)
		s := openAt(t, dir)
		create(t, s, genesis)
		return storetest.Fixture{
			Store:  s,
			Reopen: func(t *testing.T) bundle.Store { return openAt(t, dir) },
		}
	}
}

// long says that the runs were asked for that take more than a moment.
func long() bool { return os.Getenv("CHATRAIL_LONG") != "" }
