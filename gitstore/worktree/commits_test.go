package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// task is a repository in which a task begins, with a history from before.
type task struct {
	*testing.T
	dir   string
	since Since
}

func newTask(t *testing.T) *task {
	dir := newRepo(t)
	commit(t, dir, "old", "1", "before 1")
	commit(t, dir, "old", "2", "before 2")
	since, err := Now(t.Context(), found(t, dir))
	must(t, err)
	return &task{T: t, dir: dir, since: since}
}

func (k *task) git(args ...string) string { k.Helper(); return git(k.T, k.dir, args...) }

func (k *task) commit(file, text, subject string) {
	k.Helper()
	commit(k.T, k.dir, file, text, subject)
}

func (k *task) made() Made {
	k.Helper()
	made, err := Commits(k.Context(), found(k.T, k.dir), k.since)
	must(k.T, err)
	return made
}

// want compares "how subject" of what was made.
func (k *task) want(lines ...string) {
	k.Helper()
	made := k.made()
	var got []string
	for _, c := range made.Commits {
		got = append(got, c.How+" "+c.Subject)
		if k.git("show", "-s", "--format=%s", c.ID) != c.Subject || time.Since(c.When) > time.Hour {
			k.Errorf("%+v has not this subject or time", c)
		}
		if k.git("rev-list", "--max-count=1", c.ID, "--not", "HEAD", "--branches") != "" {
			k.Errorf("%+v is neither in HEAD nor on a branch", c)
		}
	}
	if !slices.Equal(got, lines) || made.Partial || made.Approximate {
		k.Errorf("got %q %+v, want %q", got, made, lines)
	}
}

func TestOnlyCommitsMadeSinceTheTaskBeganCount(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	k.want()
	k.commit("a", "1", "one")
	k.commit("a", "2", "two: with a colon")
	k.want("commit one", "commit two: with a colon")
	k.git("commit", "-q", "--amend", "-m", "two, amended")
	k.want("commit one", "amend two, amended")
	// A branch that was left is not gone, and what only HEAD had is.
	k.git("checkout", "-q", "-b", "side", "HEAD~1")
	k.want("commit one", "amend two, amended")
	k.commit("b", "1", "on the side")
	k.git("checkout", "-q", "main")
	k.want("commit one", "amend two, amended", "commit on the side")
	k.git("merge", "-q", "-m", "joined", "side")
	k.want("commit one", "amend two, amended", "commit on the side", "merge joined")
	k.git("reset", "-q", "--hard", "HEAD~1")
	k.want("commit one", "amend two, amended", "commit on the side")
	k.git("cherry-pick", "side")
	k.git("branch", "-q", "-D", "side")
	k.want("commit one", "amend two, amended", "cherry-pick on the side")
	k.git("revert", "--no-edit", "HEAD")
	k.want("commit one", "amend two, amended", "cherry-pick on the side", `revert Revert "on the side"`)
	k.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
	all := []string{"commit one", "amend two, amended", "cherry-pick on the side", `revert Revert "on the side"`, "commit "}
	k.want(all...)
	k.git("checkout", "-q", "--orphan", "elsewhere")
	k.git("commit", "-q", "-m", "another root")
	k.want(append(all, "commit another root")...)
}

func TestAmendingWhatWasThereBeforeIsWorkOfTheTask(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	k.git("commit", "-q", "--amend", "-m", "said better")
	k.want("amend said better")
}

func TestAPullBringsNoCommitOfTheTask(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	theirs := filepath.Join(filepath.Dir(k.dir), "theirs")
	k.git("clone", "-q", ".", theirs)
	k.git("remote", "add", "origin", theirs)
	pull := func(args ...string) {
		k.Helper()
		k.git(append(append([]string{"pull", "-q"}, args...), "origin", "main")...)
	}
	commit(t, theirs, "t", "1", "theirs 1")
	pull("--ff-only")
	k.want()
	k.commit("a", "1", "mine 1")
	commit(t, theirs, "t", "2", "theirs 2")
	pull("--no-rebase")
	made := k.made()
	if len(made.Commits) != 1 || made.Commits[0].Subject != "mine 1" {
		t.Errorf("got %+v", made)
	}
	k.git("reset", "-q", "--hard", "HEAD~1")
	commit(t, theirs, "t", "3", "theirs 3")
	pull("--rebase")
	k.want("rebase mine 1")
	// The commit comes back as a part of what others merged.
	git(t, theirs, "pull", "-q", "--no-rebase", k.dir, "main")
	commit(t, theirs, "t", "4", "theirs 4")
	k.git("checkout", "-q", "-b", "next", "HEAD~1")
	k.git("branch", "-q", "-D", "main")
	k.want()
	pull("--ff-only")
	k.want("rebase mine 1")
}

func TestARebaseKeepsWhatIsOwnAndAddsNothing(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"--merge", "--apply"} {
		k := newTask(t)
		k.git("checkout", "-q", "-b", "feature", "HEAD~1")
		k.commit("x", "1", "before, on the feature")
		var err error
		k.since, err = Now(t.Context(), found(t, k.dir))
		must(t, err)
		k.commit("a", "1", "mine 1")
		k.commit("a", "2", "mine 2")
		k.git("rebase", "-q", backend, "main")
		k.want("rebase mine 1", "rebase mine 2")
		k.git("rebase", "-q", "--force-rebase", backend, "HEAD~3")
		k.want("rebase mine 1", "rebase mine 2")
	}
}

func TestARebaseThatChangesCommitsIsWork(t *testing.T) {
	needs(t, "sed")
	t.Parallel()
	k := newTask(t)
	k.commit("a", "1", "one")
	k.commit("b", "1", "two")
	k.commit("c", "1", "three")
	rebase := func(edit, onto string, env ...string) {
		k.Helper()
		cmd := gitCommand(k.dir, "rebase", "-q", "-i", onto)
		cmd.Env = append(os.Environ(), append(env, "GIT_SEQUENCE_EDITOR=sed -i.bak "+edit)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			k.Fatalf("%v: %s", err, out)
		}
	}
	rebase("2s/pick/fixup/", "HEAD~3")
	k.want("rebase one", "rebase three")
	rebase("1s/pick/reword/", "HEAD~1", `GIT_EDITOR=sed -i.bak 1s/^/re/`)
	k.want("rebase one", "rebase rethree")
	rebase("1s/pick/drop/", "HEAD~1")
	k.want("rebase one")
	// A commit from before that a fixup of the task went into.
	k.commit("old", "3", "to be melted")
	k.git("reset", "-q", "--hard", "HEAD~2")
	k.want()
	k.commit("old", "3", "to be melted")
	rebase("2s/pick/fixup/", "HEAD~2")
	k.want("rebase before 2")
}

func TestAConflictThatWasSettledStillTellsWhoseCommitItIs(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	k.git("checkout", "-q", "-b", "feature", "HEAD~1")
	k.commit("old", "feature", "before, on the feature")
	var err error
	k.since, err = Now(t.Context(), found(t, k.dir))
	must(t, err)
	k.commit("mine", "1", "mine")
	stop(t, k.dir, "", "rebase", "main")
	write(t, k.dir+"/old", "settled")
	k.git("add", "old")
	k.git("rebase", "--continue")
	k.want("rebase mine")
	stop(t, k.dir, "", "cherry-pick", "feature@{1}~1")
	write(t, k.dir+"/old", "settled again")
	k.git("commit", "-q", "-a", "-m", "picked by hand")
	if c := k.made().Commits; len(c) != 2 || c[1].How != CherryPick {
		t.Errorf("got %+v", c)
	}
}

func TestALinkedWorkTreeHasCommitsOfItsOwn(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	linked := &task{T: t, dir: filepath.Join(filepath.Dir(k.dir), "linked")}
	k.git("worktree", "add", "-q", "-b", "side", linked.dir)
	var err error
	linked.since, err = Now(t.Context(), found(t, linked.dir))
	must(t, err)
	linked.commit("a", "1", "in the linked one")
	linked.want("commit in the linked one")
	k.want()
	k.git("merge", "-q", "side")
	k.want()
}

func TestCommitsThatWerePrunedAreNotMissed(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	k.commit("a", "1", "one")
	k.git("commit", "-q", "--amend", "-m", "one, amended")
	gone := k.git("rev-parse", "HEAD@{1}")
	must(t, os.Remove(filepath.Join(k.dir, ".git", "objects", gone[:2], gone[2:])))
	k.want("amend one, amended")
}

func TestAnExpiredLogLeavesTheTimeToDecide(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	dated := func(subject string, age time.Duration) {
		k.Helper()
		cmd := gitCommand(k.dir, "commit", "-q", "--allow-empty", "-m", subject)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+time.Now().Add(-age).Format(time.RFC3339))
		out, err := cmd.CombinedOutput()
		if err != nil {
			k.Fatalf("%v: %s", err, out)
		}
	}
	k.git("reflog", "expire", "--expire=all", "--all")
	k.since = Since{Time: time.Now().Add(-10 * time.Minute)}
	dated("too early", 20*time.Minute)
	dated("in time", 5*time.Minute)
	k.want("commit in time")
	k.since.Entry = "3f9a1c.0.0"
	k.want("commit in time")
	k.since.Time = time.Now().Add(-30 * time.Minute)
	if made := k.made(); len(made.Commits) != 2 || !made.Partial {
		t.Errorf("a log that begins too late: %+v", made)
	}
	k.git("reflog", "expire", "--expire=all", "--all")
	if made := k.made(); len(made.Commits) != 0 || !made.Partial {
		t.Errorf("an empty log: %+v", made)
	}
}

func TestATaskThatBeganWithoutAnyCommitCountsAll(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	git(t, dir, "init", "-q")
	since, err := Now(t.Context(), found(t, dir))
	must(t, err)
	k := &task{T: t, dir: dir, since: since}
	k.want()
	k.commit("a", "1", "the first")
	k.commit("a", "2", "the second")
	k.want("commit the first", "commit the second")
}

func TestABrokenLineIsSaid(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	k.commit("a", "1", "one")
	f, err := os.OpenFile(k.dir+"/.git/logs/HEAD", os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("torn")
	must(t, err)
	must(t, f.Close())
	if made := k.made(); len(made.Commits) != 1 || !made.Partial {
		t.Errorf("got %+v", made)
	}
}

func TestWithoutAGitProgramTheLogAloneSpeaks(t *testing.T) {
	k := newTask(t)
	k.commit("a", "1", "one")
	k.commit("a", "2", "two")
	k.git("commit", "-q", "--amend", "-m", "two, amended")
	t.Setenv("PATH", "")
	made := k.made()
	var got []string
	for _, c := range made.Commits {
		got = append(got, c.How+" "+c.Subject)
	}
	if !made.Approximate || strings.Join(got, ", ") != "commit one, amend two, amended" {
		t.Errorf("got %+v", made)
	}
}

func TestAskingForCommitsChangesNothing(t *testing.T) {
	t.Parallel()
	k := newTask(t)
	k.commit("a", "1", "one")
	k.git("checkout", "-q", "-b", "side", "HEAD~1")
	before := footprint(t, k.dir)
	k.made()
	if footprint(t, k.dir) != before {
		t.Error("asking changed something")
	}
}
