package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/agent"
)

// BenchmarkWholeProcessOfEachAgent times the hook for every event that is
// registered with an agent, in a clean repository of a few files, against
// `git rev-parse HEAD` there. An event that may clear a context runs git itself, to
// see what would be lost with it.
func BenchmarkWholeProcessOfEachAgent(b *testing.B) {
	w := benchWorld(b, 10, 0)
	rows := []*row{{name: "git rev-parse HEAD", do: func(int) *exec.Cmd { return w.command(w.project, "git", "rev-parse", "HEAD") }}}
	for _, h := range agent.Hosts() {
		for _, r := range h.Wired() {
			file := captureOf(b, h, r.Event)
			rows = append(rows, &row{name: string(h) + " " + r.Event, bound: 3, do: func(i int) *exec.Cmd { return w.eventOf(h, r.Event, file, i, sessions(r.Event)) }})
		}
	}
	auto := filepath.Join("gemini-0.61.0", "PreCompress-auto.json")
	rows = append(rows, &row{name: "gemini PreCompress, of every request", bound: 3, do: func(i int) *exec.Cmd { return w.eventOf(agent.Gemini, "PreCompress", auto, i, "bench-") }})
	for _, h := range agent.Hosts() { // sessions that lose their context again and again
		for _, r := range h.Wired() {
			if file := captureOf(b, h, r.Event); strings.Contains(strings.ToLower(r.Event), "prompt") || r.Event == "BeforeAgent" {
				w.in(b, w.eventOf(h, r.Event, file, -1, "cleared-"))
			}
		}
	}
	for i := range 3 { // warm, and every session has begun
		for _, r := range rows {
			r.run(b, -1-i)
		}
	}
	for _, r := range rows {
		r.times = nil
		r.watch(b, -100)
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

// captureOf is a captured payload of an event by the root of a session.
func captureOf(b *testing.B, h agent.Host, event string) string {
	for _, kind := range []string{"plain", "startup", "new", "manual", "exit", "other", "complete", "subagent"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", "agents", string(h)+"-*", event+"-"+kind+".json"))
		if err != nil {
			b.Fatal(err)
		}
		if len(found) == 1 {
			return filepath.Join(filepath.Base(filepath.Dir(found[0])), filepath.Base(found[0]))
		}
	}
	b.Fatalf("no payload of %s %s", h, event)
	return ""
}

// sessions keeps the sessions that lose their context apart: their next prompt has
// more to say.
func sessions(event string) string {
	switch strings.ToLower(event) {
	case "precompact", "precompress", "postcompact", "sessionend":
		return "cleared-"
	}
	return "bench-"
}

// eventOf is a call for an event that is no repetition of another one.
func (w *benchmarked) eventOf(h agent.Host, event, file string, i int, sessions string) *exec.Cmd {
	session, once := sessions+string(h), fmt.Sprintf("%s-%d-%d", event, os.Getpid(), i)
	if event == "SessionStart" || event == "sessionStart" { // what was said is not said again
		session = once
	}
	p := payload(w.t, file, map[string]any{"cwd": w.project})
	for _, key := range []string{"session_id", "sessionId"} {
		if _, ok := p[key]; ok {
			p[key] = session
		}
	}
	for _, key := range []string{"prompt_id", "turn_id", "timestamp"} {
		if _, ok := p[key]; ok {
			p[key] = once
		}
	}
	in, _ := json.Marshal(p)
	cmd := w.command(w.project, "chatrail-hook", h.Arguments(event)...)
	cmd.Stdin = bytes.NewReader(in)
	return cmd
}
