package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkWholeProcessStatusLine times the status line as whole processes against
// `git rev-parse HEAD`, from either program, and beside it the start of a session
// after /clear, which looks for the task that came before:
//
//	go test -run '^$' -bench WholeProcessStatusLine -benchtime 30x ./cmd/chatrail-hook
func BenchmarkWholeProcessStatusLine(b *testing.B) {
	w := benchWorld(b, 10, 0)
	if out, err := w.send("UserPromptSubmit-plain.json", 0).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	w.run("chatrail", "statusline", "--look", "bench")
	line := func(program string) func(int) *exec.Cmd {
		return func(int) *exec.Cmd {
			cmd := w.command(w.project, program, "statusline")
			cmd.Stdin = strings.NewReader(`{"session_id":"bench","cwd":"` + w.project + `","model":{"display_name":"Claude"}}`)
			return cmd
		}
	}
	if out, err := line("chatrail-hook")(0).Output(); err != nil || !strings.HasPrefix(string(out), "N Move") {
		b.Fatalf("%v: %q", err, out)
	}
	rows := []*row{
		{name: "git rev-parse HEAD", do: func(int) *exec.Cmd { return w.command(w.project, "git", "rev-parse", "HEAD") }},
		{name: "chatrail-hook statusline", bound: 2, do: line("chatrail-hook")},
		{name: "chatrail statusline", bound: 5, do: line("chatrail")},
		{name: "session start after clear", do: func(i int) *exec.Cmd { return w.send("SessionStart-clear.json", i) }},
	}
	for i := range 3 { // warm
		for _, r := range rows {
			r.run(b, -1-i)
		}
	}
	for _, r := range rows {
		r.times = nil
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
