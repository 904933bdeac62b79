// Package demo replays a captured day in a scratch repository, through the same
// programs and payloads that agents use, and prints what the agent would see.
// It needs git and nothing else, and leaves nothing behind.
package demo

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"chatrail/hooks/words"
)

//go:embed payloads
var payloads embed.FS

// Options of a run.
type Options struct {
	Self string    // the chatrail executable
	Out  io.Writer // where the day is told
	Keep string    // folder to play in and to keep; "" plays in a temporary one
}

// stage is where the day is played.
type stage struct {
	Options
	root, project, home string
	review              string // the command the hook printed last
	program             string // how that calls chatrail
}

// Run plays the day. It returns the first thing that went wrong.
func Run(ctx context.Context, o Options) error {
	if _, err := exec.LookPath("git"); err != nil {
		return errors.New("the demo needs the git program; install git")
	}
	root := o.Keep
	if root == "" {
		dir, err := os.MkdirTemp("", "chatrail-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		root = dir
	} else if entries, err := os.ReadDir(root); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; name a new folder", root)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	s := &stage{Options: o, root: root, project: filepath.Join(root, "importer"), home: filepath.Join(root, "home")}
	if err := s.build(ctx); err != nil {
		return err
	}
	for _, step := range day {
		if err := s.play(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.title, err)
		}
	}
	return s.history(ctx)
}

// build makes a small repository with one commit.
func (s *stage) build(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(s.project, "src", "reader"), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.project, "src", "reader", "reader.go"), []byte("package reader\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "reader: an empty package"}} {
		if out, err := s.command(ctx, s.project, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(out))
		}
	}
	return nil
}

// command prepares a program in an environment of the day's own: no
// configuration of the user's is read or written.
func (s *stage) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "CHATRAIL_HOME=" + filepath.Join(s.home, "chatrail"),
		"TMPDIR=" + s.root, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@localhost", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@localhost",
	}
	if root := os.Getenv("SystemRoot"); root != "" {
		cmd.Env = append(cmd.Env, "SystemRoot="+root)
	}
	return cmd
}

func (s *stage) play(ctx context.Context, st step) error {
	fmt.Fprintf(s.Out, "\n● %s\n", st.title)
	switch {
	case st.event != "":
		return s.hook(ctx, st)
	case st.person != nil:
		fmt.Fprintf(s.Out, "  $ chatrail %s\n", strings.Join(st.person, " "))
		return s.show(s.command(ctx, s.project, s.Self, st.person...))
	default:
		if s.review == "" {
			return errors.New("the hook printed no command to answer")
		}
		line := s.review
		for _, w := range st.agent {
			line += " " + words.ShellQuote(w)
		}
		fmt.Fprintf(s.Out, "  $ %s\n", s.brief(line))
		return s.show(s.command(ctx, s.project, "sh", "-c", line))
	}
}

// hook sends one captured payload to the hook and tells what came back.
func (s *stage) hook(ctx context.Context, st step) error {
	raw, err := payloads.ReadFile("payloads/" + st.event)
	if err != nil {
		return err
	}
	var payload map[string]any
	if err := json.Unmarshal(raw, &payload); err != nil {
		return err
	}
	dir := filepath.Join(s.project, filepath.FromSlash(st.folder))
	payload["session_id"] = fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", st.session)
	payload["cwd"] = dir
	payload["transcript_path"] = filepath.Join(s.home, "transcript.jsonl")
	for k, v := range st.set {
		payload[k] = v
	}
	input, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	host, _, _ := strings.Cut(st.event, "/")
	cmd := s.command(ctx, dir, s.Self, "hook", host)
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_SESSION_ATTENDED=1")
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	return s.heard(out)
}

// heard prints what a hook's answer puts before the agent and remembers the
// command in it.
func (s *stage) heard(out []byte) error {
	if len(out) == 0 {
		fmt.Fprintln(s.Out, "  (the hook says nothing)")
		return nil
	}
	var answer struct {
		Reason             string `json:"reason"`
		HookSpecificOutput struct {
			AdditionalContext string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("the hook printed %q: %w", out, err)
	}
	for _, text := range []string{answer.HookSpecificOutput.AdditionalContext, answer.Reason} {
		for _, line := range strings.Split(text, "\n") {
			if line == "" {
				continue
			}
			if program, id, ok := strings.Cut(line, " reconcile "); ok && !strings.Contains(id, " ") {
				s.review, s.program = line, program
			}
			fmt.Fprintf(s.Out, "  │ %s\n", s.brief(line))
		}
	}
	return nil
}

// brief writes the program by its name, wherever it is.
func (s *stage) brief(line string) string {
	if rest, ok := strings.CutPrefix(line, s.program+" "); ok && s.program != "" {
		return "chatrail " + rest
	}
	return line
}

func (s *stage) show(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	for _, line := range strings.Split(strings.TrimRight(string(out), "\n"), "\n") {
		fmt.Fprintf(s.Out, "  │ %s\n", line)
	}
	return err
}

func (s *stage) history(ctx context.Context) error {
	args := []string{"log", "--format=%h %s%n%w(0,4,4)%b", "refs/chatrail/project"}
	fmt.Fprintf(s.Out, "\n● What git has of it\n  $ git log --format='%%h %%s%%n%%b' refs/chatrail/project\n")
	if err := s.show(s.command(ctx, s.project, "git", args...)); err != nil {
		return err
	}
	if s.Keep != "" {
		fmt.Fprintf(s.Out, "\nKept in %s\n", s.root)
	}
	return nil
}

// Limit bounds a run: the day takes well under five seconds.
const Limit = 60 * time.Second
