package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pair is one thing done by us, or beside us, and by git alone.
type pair struct {
	ours, git row
	more      float64 // milliseconds that ours may take more, where no multiple is stated
}

// measure runs all pairs in turn, each in the other order than before, and
// prints their medians.
func measure(b *testing.B, out io.Writer, what string, pairs []*pair) {
	i := 0
	once := func() {
		for _, p := range pairs {
			first, second := &p.ours, &p.git
			if i%2 == 1 {
				first, second = second, first
			}
			first.run(b, i)
			second.run(b, i)
		}
		i++
	}
	for range 2 { // warm
		once()
	}
	for _, p := range pairs {
		p.ours.times, p.git.times = nil, nil
		p.ours.cpu, p.git.cpu = nil, nil
	}
	for b.Loop() {
		once()
	}
	fmt.Fprintf(out, "\n| %s, median of %d in turn | ms | git alone, ms | ratio | of processor time | stated bound |\n| --- | ---: | ---: | ---: | ---: | ---: |\n", what, len(pairs[0].ours.times))
	for _, p := range pairs {
		bound := ""
		switch {
		case p.ours.bound > 0:
			bound = fmt.Sprint(p.ours.bound)
		case p.more > 0:
			bound = fmt.Sprintf("%.0f ms more", p.more)
		}
		us, git := p.ours.median(), p.git.median()
		ratio := float64(us) / float64(git)
		cpu := float64(median(p.ours.cpu)) / float64(median(p.git.cpu)) // which other processes disturb less
		fmt.Fprintf(out, "| %s | %.1f | %.1f | %.2f | %.2f | %s |\n", p.ours.name, float64(us.Microseconds())/1000, float64(git.Microseconds())/1000, ratio, cpu, bound)
		b.ReportMetric(ratio, strings.NewReplacer(" ", "-", ",", "").Replace(p.ours.name)+"/git")
	}
}

// BenchmarkWholeProcessShare times the exchange of a thousand new revisions with a
// repository in another folder, against git with the same references.
func BenchmarkWholeProcessShare(b *testing.B) {
	w := benchWorld(b, 1_010, 0) // the repository that has all of them
	const ref = "refs/chatrail/project"
	tip := strings.TrimSpace(w.run("git", "rev-parse", ref))
	old := strings.TrimSpace(w.run("git", "rev-parse", ref+"~1000"))
	at := func(name string) string { return filepath.Join(w.root, name) }
	w.run("git", "init", "-q", "--bare", at("few.git"))
	w.run("git", "init", "-q", "--bare", at("all.git"))
	w.run("git", "push", "-q", at("few.git"), "main", old+":"+ref)
	w.run("git", "push", "-q", at("all.git"), "main", ref)
	w.run("git", "remote", "add", "origin", at("hub.git"))
	w.run("git", "clone", "-q", at("few.git"), at("few"))
	w.run("git", "-C", at("few"), "remote", "set-url", "origin", at("all.git"))
	w.run("git", "-C", at("few"), "fetch", "-q", at("few.git"), ref+":"+ref, ref+":refs/chatrail-remote/origin/project")

	// Each run begins from a copy of what was there before.
	fresh := func(from, to string) {
		if err := os.RemoveAll(at(to)); err != nil {
			b.Fatal(err)
		}
		if err := os.CopyFS(at(to), os.DirFS(at(from))); err != nil {
			b.Fatal(err)
		}
	}
	push := func(args ...string) func(int) *exec.Cmd {
		return func(int) *exec.Cmd {
			fresh("few.git", "hub.git")
			w.run("git", "update-ref", "refs/chatrail-remote/origin/project", old)
			return w.command(w.project, args[0], args[1:]...)
		}
	}
	fetch := func(args ...string) func(int) *exec.Cmd {
		return func(int) *exec.Cmd {
			fresh("few", "here")
			return w.command(at("here"), args[0], args[1:]...)
		}
	}
	gitFetch := fetch("git", "fetch", "-q", "--no-tags", "origin", "+refs/chatrail/*:refs/chatrail-remote/origin/*")
	pairs := []*pair{
		{ours: row{name: "push of 1,000 revisions", bound: 1.3, do: push("chatrail", "push")},
			git: row{do: push("git", "push", "-q", "origin", ref)}},
		{ours: row{name: "fetch of 1,000 revisions", bound: 1.3, do: fetch("chatrail", "fetch")}, git: row{do: gitFetch}},
		{ours: row{name: "sync that takes 1,000 revisions, each checked", do: fetch("chatrail", "sync")}, git: row{do: gitFetch}},
	}
	measure(b, os.Stdout, "sharing", pairs)
	if got := strings.TrimSpace(w.run("git", "-C", at("hub.git"), "rev-parse", ref)); got != tip {
		b.Fatalf("the push came to %s", got)
	}
	if got := strings.TrimSpace(w.run("git", "-C", at("here"), "rev-parse", "refs/chatrail-remote/origin/project")); got != tip {
		b.Fatalf("the fetch came to %s", got)
	}
}

// BenchmarkWholeProcessBeside times the user's own git in a repository with ten
// thousand revisions, here and at the remote, against one without; and where the
// remote has twenty thousand roads.
func BenchmarkWholeProcessBeside(b *testing.B) {
	with, without := benchBeside(b, 10_000), benchBeside(b, 0)
	roads := benchBeside(b, 0)
	var names strings.Builder
	head := strings.TrimSpace(roads.run("git", "rev-parse", "HEAD"))
	for i := range 20_000 {
		fmt.Fprintf(&names, "create refs/chatrail/task/road-%05d %s\n", i, head)
	}
	cmd := roads.command(filepath.Join(roads.root, "hub.git"), "git", "update-ref", "--stdin")
	cmd.Stdin = strings.NewReader(names.String())
	roads.in(b, cmd)
	roads.run("git", "-C", filepath.Join(roads.root, "hub.git"), "pack-refs", "--all")

	do := func(w *benchmarked, args ...string) row {
		return row{do: func(int) *exec.Cmd { return w.command(w.project, "git", args...) }}
	}
	clone := func(w *benchmarked) row {
		return row{do: func(int) *exec.Cmd {
			if err := os.RemoveAll(filepath.Join(w.root, "clone")); err != nil {
				b.Fatal(err)
			}
			return w.command(w.root, "git", "clone", "-q", "file://"+filepath.Join(w.root, "hub.git"), "clone")
		}}
	}
	two := func(name string, bound, more float64, ours, git row) *pair {
		ours.name, ours.bound = name, bound
		return &pair{ours: ours, git: git, more: more}
	}
	measure(b, os.Stdout, "the user's own git", []*pair{
		two("git fetch, 10,000 revisions", 1.02, 0, do(with, "fetch", "-q"), do(without, "fetch", "-q")),
		two("git status, 10,000 revisions", 1.02, 0, do(with, "status"), do(without, "status")),
		two("git clone, 10,000 revisions", 1.02, 0, clone(with), clone(without)),
		two("git fetch, 20,000 roads at the remote", 0, 100, do(roads, "fetch", "-q"), do(without, "fetch", "-q")),
		two("nothing but noise: git status, both without", 0, 0, do(roads, "status"), do(without, "status")),
	})
}

// benchBeside is a repository of 2,000 files with a remote, and that many
// revisions of a bundle here and there.
func benchBeside(b *testing.B, revisions int) *benchmarked {
	w := &benchmarked{newWorld(b, false)}
	w.run("git", "init", "-q", "-b", "main", ".")
	fillWorkTree(b, w, 2_000)
	hub := filepath.Join(w.root, "hub.git")
	w.run("git", "init", "-q", "--bare", "-b", "main", hub)
	w.run("git", "remote", "add", "origin", hub)
	w.run("git", "push", "-q", "-u", "origin", "main")
	if revisions > 0 {
		fillFolder(b, filepath.Join(w.project, ".chatrail"), revisions)
		w.run("chatrail", "init", "--apart")
		if err := os.RemoveAll(filepath.Join(w.project, ".chatrail")); err != nil {
			b.Fatal(err)
		}
		w.run("chatrail", "sync")
	}
	w.run("git", "gc", "-q")
	w.run("git", "-C", hub, "gc", "-q")
	w.run("git", "fetch", "-q")
	return w
}
