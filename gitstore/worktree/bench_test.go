package worktree

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkRead measures the whole state of a repository of 100,000 files, of
// which a few are changed and some commits were made lately, beside the one git
// command that it cannot do without. "x-git" is the ratio of the two, which run
// by turns.
func BenchmarkRead(b *testing.B) {
	dir := large(b, 100_000)
	repo := found(b, dir)
	since, err := Now(b.Context(), repo)
	must(b, err)
	for i := range 3 {
		commit(b, dir, "made", fmt.Sprint(i), "made")
	}
	for i := range 5 {
		write(b, filepath.Join(dir, fmt.Sprint("changed", i)), "x")
	}
	var ours, theirs time.Duration
	for b.Loop() {
		start := time.Now()
		cmd := exec.Command("git", "status", "--porcelain=v2")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
		out, err := cmd.Output()
		theirs += time.Since(start)
		if err != nil || len(out) == 0 {
			b.Fatal(err)
		}
		start = time.Now()
		s, err := Read(b.Context(), dir, Options{})
		must(b, err)
		made, err := Commits(b.Context(), repo, since)
		must(b, err)
		ours += time.Since(start)
		if len(s.Changed) != 5 || len(made.Commits) != 3 {
			b.Fatalf("%d changed, %d made", len(s.Changed), len(made.Commits))
		}
	}
	b.ReportMetric(float64(ours)/float64(theirs), "x-git")
}

// large is a repository of many small files, committed.
func large(b *testing.B, files int) string {
	dir := newRepo(b)
	for i := range files {
		folder := filepath.Join(dir, fmt.Sprint("d", i/1000), fmt.Sprint("e", i/50%20))
		if i%50 == 0 {
			must(b, os.MkdirAll(folder, 0o777))
		}
		must(b, os.WriteFile(filepath.Join(folder, fmt.Sprint("f", i)), fmt.Appendf(nil, "%d\n", i), 0o666))
	}
	git(b, dir, "config", "gc.auto", "0") // nothing is to run beside the measurement
	git(b, dir, "add", "-A")
	git(b, dir, "commit", "-q", "-m", "many")
	time.Sleep(time.Second) // no file is as young as the index
	git(b, dir, "status")
	return dir
}

// BenchmarkContents digests a thousand changed files of 16 KiB.
func BenchmarkContents(b *testing.B) {
	dir := b.TempDir()
	var changes []Change
	for i := range 1000 {
		name := fmt.Sprintf("d%d/f%d", i/50, i)
		write(b, filepath.Join(dir, name), fmt.Sprintf("%16384d", i))
		changes = append(changes, Change{Path: name, State: "??"})
	}
	for b.Loop() {
		if contents, partial := Contents(b.Context(), dir, changes, Bounds{}); len(contents) != 1000 || partial {
			b.Fatal(len(contents), partial)
		}
	}
}
