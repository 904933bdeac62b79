package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"chatrail/hooks/agent"
	"chatrail/hooks/task"
	"chatrail/hooks/words"
	"chatrail/refs"
)

// Cached answers from caches alone, which is what nearly every event needs.
type Cached struct {
	Home task.Home
	Env  func(string) string
}

// View returns the cached view while it still is what the bundle is.
func (c Cached) View(_ context.Context, p task.Place) (task.View, error) {
	v, ok := c.Home.LoadView(p)
	if !ok {
		return task.View{}, ErrAway
	}
	now, err := c.Home.Check(p)
	if err != nil || !v.Fresh(now) {
		return task.View{}, ErrAway
	}
	return v, nil
}

// Private is always for the full program.
func (c Cached) Private(context.Context, string) (task.Place, error) {
	return task.Place{}, ErrAway
}

// Drain has nothing to do unless something waits.
func (c Cached) Drain(_ context.Context, p agent.Payload, _ *task.Receipt) error {
	key := task.Key(p.SessionID)
	if task.PendingDrop(c.Env, key) {
		return ErrAway
	}
	if waiting, err := c.Home.SpoolOf(key); err != nil || len(waiting) > 0 {
		return ErrAway
	}
	return nil
}

// Successor is seen from outside; whether it is the same history is not.
func (c Cached) Successor(_ context.Context, p task.Place, _ string) (task.Place, bool, error) {
	if _, ok := task.SuccessorOf(p); ok {
		return p, false, ErrAway
	}
	return p, false, nil
}

// Baseline is for the full program where a folder may lie in a repository.
func (c Cached) Baseline(_ context.Context, _ task.Place, dir string) (json.RawMessage, error) {
	if _, err := refs.Discover(dir); errors.Is(err, refs.ErrNotRepo) {
		return nil, nil
	}
	return nil, ErrAway
}

// Loop is always for the full program.
func (c Cached) Loop(context.Context, agent.Payload, *task.Receipt) (Loop, error) {
	return Loop{}, ErrAway
}

// Before is always for the full program: a new context is a rare event.
func (c Cached) Before(context.Context, agent.Payload, []string) ([]words.Earlier, error) {
	return nil, ErrAway
}

// Lean is the whole of the program that hosts call: one event, answered from
// caches, or by the full program beside it. event is its name where the host's
// payload does not say it, else "".
func Lean(host, event string) {
	full := FullProgram()
	Run(Call{
		Host: host, Event: event, In: os.Stdin, Out: os.Stdout, Env: os.Getenv,
		Program: AgentCommand(full, host),
		Store:   func(h task.Home) Store { return Cached{h, os.Getenv} },
		Away: func(ctx context.Context, host string, reduced []byte) ([]byte, error) {
			left := Limit
			if end, ok := ctx.Deadline(); ok {
				left = time.Until(end)
			}
			cmd := exec.CommandContext(ctx, full, "hook", "--reduced", "--within", strconv.Itoa(int(left.Milliseconds())), host)
			cmd.Stdin = bytes.NewReader(reduced)
			return answerOf(cmd)
		},
	})
}

// afterAnswer is how long the output of the full program may stay open when it has
// ended: on a busy machine the last of it takes a while to be read.
const afterAnswer = 250 * time.Millisecond

// answerOf is what the full program printed. It has kept that as said, so a whole
// line counts also where something that it started still holds its output open.
func answerOf(cmd *exec.Cmd) ([]byte, error) {
	cmd.WaitDelay = afterAnswer
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrWaitDelay) && bytes.HasSuffix(out, []byte("\n")) {
		return out, nil
	}
	return out, err
}

// Usage says how a host calls a hook, for a person who tried it.
func Usage() string {
	var names []string
	for _, h := range agent.Hosts() {
		names = append(names, strings.Join(h.Arguments("EVENT"), " "))
	}
	return strings.Join(names, "|")
}

// FullProgram finds chatrail: beside this program, else on the search path. It
// returns "" where there is none.
func FullProgram() string { return program("chatrail") }

// ServerProgram finds chatrail-mcp in the same way.
func ServerProgram() string { return program("chatrail-mcp") }

func program(name string) string {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if beside := filepath.Join(filepath.Dir(self), file); executable(beside) {
			return beside
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return found
	}
	return ""
}

// HookProgram is the path of chatrail-hook for scripts to call: as the search
// path leads to the one beside this program, since that name stays when a new
// version is installed, else beside this program, else on the search path.
func HookProgram() (string, error) {
	name := "chatrail-hook"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	found, err := exec.LookPath("chatrail-hook")
	if err == nil {
		found, err = filepath.Abs(found)
	}
	onPath := err == nil
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), name); executable(beside) && !(onPath && sameFile(found, beside)) {
			return filepath.ToSlash(beside), nil
		}
	}
	if onPath {
		return filepath.ToSlash(found), nil
	}
	return "", errors.New("chatrail-hook is neither beside chatrail nor on the search path: install both programs")
}

// AgentCommand is how the shell of a host's agent calls the full program: by
// its name where the search path leads to that very file, else by its quoted
// path. Where the agent's commands have another search path than its hooks, only
// the path is sure to work.
func AgentCommand(full, host string) string {
	if full == "" {
		return ""
	}
	if found, err := exec.LookPath("chatrail"); err == nil && !agent.Host(host).OwnPath() && filepath.IsAbs(found) && sameFile(found, full) {
		return "chatrail"
	}
	if runtime.GOOS == "windows" {
		full = filepath.ToSlash(full) // the agents' shell there is a POSIX one
	}
	return words.ShellQuote(full)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
