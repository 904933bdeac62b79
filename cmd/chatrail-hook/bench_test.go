package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatrail/bundle/dir/dirtest"
	"chatrail/hooks/task"
)

// BenchmarkWholeProcess times whole processes, all in turn, against
// `git rev-parse HEAD` in the same repository and the same run, and prints a
// table of medians. One iteration is one round of all of them:
//
//	go test -run '^$' -bench WholeProcess -benchtime 30x ./cmd/chatrail-hook
//
// CHATRAIL_BENCH_OBJECTS is the number of objects in the large repository.
func BenchmarkWholeProcess(b *testing.B) {
	few, many, large := benchWorld(b, 10, 0), benchWorld(b, 10_000, 0), benchWorld(b, 10, objects(b))
	crowded := benchWorld(b, 10, 0)
	surround(b, crowded.world, 5_000)
	folder := benchFolder(b)
	rows := []*row{
		{name: "git rev-parse HEAD, 10 revisions", do: func(int) *exec.Cmd { return few.command(few.project, "git", "rev-parse", "HEAD") }},
		{name: "git rev-parse HEAD, large repository", do: func(int) *exec.Cmd { return large.command(large.project, "git", "rev-parse", "HEAD") }},
		{name: "prompt hook, 10 revisions", bound: 2.0, do: few.prompt},
		{name: "prompt hook, 10,000 revisions", bound: 2.0, do: many.prompt},
		{name: "prompt hook, large repository", bound: 2.0, do: large.prompt},
		{name: "prompt hook, beside 5,000 bundles", bound: 2.0, do: crowded.prompt},
		{name: "prompt hook, bundle in a folder", do: folder.prompt},
		{name: "session start", bound: 2.5, do: few.start},
		{name: "session start without a cache, 10 revisions", do: few.cold},
		{name: "session start without a cache, 10,000 revisions", do: many.cold},
		{name: "session start without a cache, beside 5,000 bundles", do: crowded.cold},
		{name: "stop", do: few.stop},
		{name: "reconcile with a patch, 10 revisions", bound: 8, do: few.reconcile},
		{name: "reconcile with a patch, 10,000 revisions", bound: 8, do: many.reconcile},
		{name: "reconcile with a patch, large repository", bound: 8, do: large.reconcile},
	}
	for i := range 3 { // warm
		for _, r := range rows {
			r.run(b, -1-i)
		}
	}
	for _, r := range rows {
		r.times = nil
		for i := range 5 {
			r.watch(b, -100-i)
		}
	}
	i := 0
	for b.Loop() {
		for _, r := range rows {
			r.run(b, i)
		}
		i++
	}
	reportAgainst(b, os.Stdout, rows, "git rev-parse HEAD", i)
}

func objects(b *testing.B) int {
	n := 1_000_000
	if s := os.Getenv("CHATRAIL_BENCH_OBJECTS"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

// row is one command of the table.
type row struct {
	name  string
	bound float64 // what it may take, as a multiple of git rev-parse HEAD; 0: none stated
	do    func(i int) *exec.Cmd
	times []time.Duration
	cpu   []time.Duration // of the process and of those that it waited for
	peak  int64
}

func (r *row) run(b *testing.B, i int) {
	cmd := r.do(i)
	var errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &errOut
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		b.Fatalf("%s: %v\n%s", r.name, err, errOut.String())
	}
	r.times = append(r.times, took)
	r.cpu = append(r.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}

// watch runs the command once outside the clock and looks at its memory.
func (r *row) watch(b *testing.B, i int) {
	cmd := r.do(i)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				b.Fatalf("%s: %v", r.name, err)
			}
			return
		default:
			r.peak = max(r.peak, peakMemory(cmd.Process.Pid))
		}
	}
}

func (r *row) median() time.Duration { return median(r.times) }

func median(times []time.Duration) time.Duration {
	s := slices.Clone(times)
	slices.Sort(s)
	return s[len(s)/2]
}

// reportAgainst prints a table of medians, as multiples of the first row.
func reportAgainst(b *testing.B, out io.Writer, rows []*row, what string, rounds int) {
	one := rows[0].median()
	fmt.Fprintf(out, "\n| whole process, median of %d in turn | ms | of %s | stated bound | peak MiB |\n| --- | ---: | ---: | ---: | ---: |\n", rounds, what)
	for _, r := range rows {
		bound := ""
		if r.bound > 0 {
			bound = strconv.FormatFloat(r.bound, 'f', -1, 64)
		}
		ratio := float64(r.median()) / float64(one)
		fmt.Fprintf(out, "| %s | %.1f | %.2f | %s | %.1f |\n", r.name, float64(r.median().Microseconds())/1000, ratio, bound, float64(r.peak)/(1<<20))
		b.ReportMetric(ratio, strings.NewReplacer(" ", "-", ",", "").Replace(r.name)+"/git")
	}
}

// benchmarked is a world with prepared events.
type benchmarked struct{ *world }

func (w *benchmarked) send(file string, i int) *exec.Cmd {
	p := payload(w.t, claudeDir+file, map[string]any{"cwd": w.project, "session_id": "bench", "prompt_id": fmt.Sprintf("%s-%d-%d", file, os.Getpid(), i)})
	if strings.HasPrefix(file, "SessionStart-") { // each a session of its own: what was said is not said again
		p["session_id"] = fmt.Sprintf("start-%d-%d", os.Getpid(), i)
	}
	in, _ := json.Marshal(p)
	cmd := w.command(w.project, "chatrail-hook", "claude")
	cmd.Stdin = bytes.NewReader(in)
	return cmd
}

func (w *benchmarked) prompt(i int) *exec.Cmd { return w.send("UserPromptSubmit-plain.json", i) }
func (w *benchmarked) start(i int) *exec.Cmd  { return w.send("SessionStart-startup.json", i) }

// cold is a session start of a user whose caches are gone; it makes them
// anew for the rows that follow.
func (w *benchmarked) cold(i int) *exec.Cmd {
	cmd := w.start(1_000_000 + i)
	if err := os.RemoveAll(filepath.Join(w.state, "cache")); err != nil {
		panic(err)
	}
	return cmd
}

func (w *benchmarked) stop(i int) *exec.Cmd { return w.send("Stop-active.json", i) }

// reconcile answers a review that it opens first, outside the clock.
func (w *benchmarked) reconcile(i int) *exec.Cmd {
	out, err := w.send("UserPromptSubmit-plain.json", 1_000_000+i).Output()
	if err != nil {
		panic(err)
	}
	var s said
	if err := json.Unmarshal(out, &s); err != nil {
		panic(fmt.Sprintf("%s: %q", err, out))
	}
	words := strings.Fields(s.command())
	return w.command(w.project, "chatrail", "reconcile", words[len(words)-1], "--reason", "measured", "--now", fmt.Sprintf("Round %d-%d.", os.Getpid(), i))
}

// benchWorld makes a repository with that many revisions of its bundle and, in
// its pack, that many other objects.
func benchWorld(b *testing.B, revisions, objects int) *benchmarked {
	w := &benchmarked{newWorld(b, false)}
	w.run("git", "init", "-q", "-b", "main", ".")
	if objects > 0 {
		fastImport(b, w, objects)
	}
	w.run("git", "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "--allow-empty", "-m", "first")
	fillFolder(b, filepath.Join(w.project, ".chatrail"), revisions)
	w.run("chatrail", "init")
	return w
}

func benchFolder(b *testing.B) *benchmarked {
	w := &benchmarked{newWorld(b, false)}
	fillFolder(b, filepath.Join(w.project, ".chatrail"), 10)
	w.run("chatrail", "trust")
	return w
}

// fillFolder makes a directory bundle with that many events.
func fillFolder(b testing.TB, path string, events int) {
	if err := dirtest.Fill(path, events); err != nil {
		b.Fatal(err)
	}
}

// fastImport fills a repository with one pack of small blobs.
func fastImport(b *testing.B, w *benchmarked, n int) {
	cmd := w.command(w.project, "git", "-c", "core.compression=0", "fast-import", "--quiet", "--depth=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var buf bytes.Buffer
	for i := range n {
		body := fmt.Sprintf("object %d\n", i)
		fmt.Fprintf(&buf, "blob\ndata %d\n%s\n", len(body), body)
		if buf.Len() > 1<<16 {
			if _, err := in.Write(buf.Bytes()); err != nil {
				b.Fatal(err)
			}
			buf.Reset()
		}
	}
	if _, err := in.Write(buf.Bytes()); err != nil {
		b.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

// surround adds roads of other tasks to the repository, and the receipts and
// private bundles of others to the state home.
func surround(t testing.TB, w *world, n int) {
	tip := strings.TrimSpace(w.run("git", "rev-parse", "refs/chatrail/project"))
	var list strings.Builder
	home := task.Home{Dir: w.state}
	for i := range n {
		fmt.Fprintf(&list, "create refs/chatrail/task/road-%d %s\n", i, tip)
		key := task.Key(fmt.Sprint("other ", i))
		for _, folder := range []string{"receipts", "pins", "cache"} {
			if err := home.ReplaceFile(folder, key+".json", []byte("{}")); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(home.PrivateDir(key), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := w.command(w.project, "git", "update-ref", "--stdin")
	cmd.Stdin = strings.NewReader(list.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
