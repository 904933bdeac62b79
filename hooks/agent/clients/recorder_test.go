//go:build agents

package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	realHook   = "real-hook" // beside the recorder
	callFolder = "calls"     // in the scenario: one file a call
	// spoilFile, in the scenario, is a call whose outcome stands in for that of each
	// call: for the control that the suite would see a client reject something.
	spoilFile = "spoilt"
)

// call is one call of the hook program.
type call struct {
	Began  time.Time
	Took   time.Duration
	Args   []string
	Stdin  string
	Stdout string
	Stderr string
	Exit   int
	Killed string // the signal that the client ended it with
	Done   bool

	payload payload
}

// payload is what a scenario looks at of what the client said.
type payload struct {
	Event     string `json:"hook_event_name"`
	Session   string `json:"session_id"`
	Agent     string `json:"agent_id"`
	Source    string `json:"source"`
	Trigger   string `json:"trigger"`
	Prompt    string `json:"prompt"`
	Active    bool   `json:"stop_hook_active"`
	ParentID  string `json:"parentAgentId"`
	SessionID string `json:"sessionId"`
	AgentID   string `json:"agentId"`
}

// recordVariable hands the arguments of the hook to the recorder.
const recordVariable = "CHATRAIL_CLIENTS_RECORD"

// becomeRecorder starts the program again without the arguments of the hook: a
// hook looks for its client by the command lines above it, and one that ends in
// the name of a client would be it.
func becomeRecorder() int {
	self, err := os.Executable()
	if err == nil {
		err = syscall.Exec(self, []string{"recorder"}, append(os.Environ(), recordVariable+"="+strings.Join(os.Args[1:], " ")))
	}
	return complain(err)
}

// record runs the real hook program with the same input and says what it said.
// It writes down that it began before it does anything else, so that a call
// that a client kills is known too.
func record(arguments string) int {
	if err := os.Unsetenv(recordVariable); err != nil {
		return complain(err)
	}
	self, err := os.Executable()
	if err != nil {
		return complain(err)
	}
	bin := filepath.Dir(self)
	killed := make(chan os.Signal, 4)
	signal.Notify(killed, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	c := call{Began: time.Now(), Args: strings.Fields(arguments)}
	file := filepath.Join(filepath.Dir(bin), callFolder, fmt.Sprintf("%d-%d.json", c.Began.UnixNano(), os.Getpid()))
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return complain(err)
	}
	c.Stdin = string(input)
	if err := c.write(file); err != nil {
		return complain(err)
	}
	var stdout, stderr bytes.Buffer
	hook := exec.Command(filepath.Join(bin, realHook), c.Args...)
	hook.Stdin, hook.Stdout, hook.Stderr = bytes.NewReader(input), &stdout, &stderr
	if err := hook.Start(); err != nil {
		return complain(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- hook.Wait() }()
	for waiting := true; waiting; {
		select {
		case err = <-ended:
			waiting = false
		case s := <-killed:
			c.Killed = s.String()
			_ = hook.Process.Signal(s) // it may have ended just now
		}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return complain(err)
	}
	c.Took, c.Exit, c.Done = time.Since(c.Began), hook.ProcessState.ExitCode(), true
	c.Stdout, c.Stderr = stdout.String(), stderr.String()
	if spoilt, err := os.ReadFile(filepath.Join(filepath.Dir(bin), spoilFile)); err == nil {
		var instead call
		if err := json.Unmarshal(spoilt, &instead); err != nil {
			return complain(err)
		}
		c.Stdout, c.Stderr, c.Exit = instead.Stdout, instead.Stderr, instead.Exit
	}
	if err := c.write(file); err != nil {
		return complain(err)
	}
	os.Stdout.WriteString(c.Stdout)
	os.Stderr.WriteString(c.Stderr)
	return c.Exit
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "recorder:", err)
	return 70
}

// write replaces the file, so that a reader finds a whole one.
func (c *call) write(file string) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	half := file + ".half"
	if err := os.WriteFile(half, data, 0o600); err != nil {
		return err
	}
	return os.Rename(half, file)
}

// calls are those so far, oldest first.
func (r *run) calls() []call {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, callFolder, "*.json"))
	must(r.t, err)
	var all []call
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(r.t, err)
		var c call
		must(r.t, json.Unmarshal(data, &c))
		c.payload = readPayload(c)
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b call) int { return a.Began.Compare(b.Began) })
	return all
}

// readPayload reads what a client said. A payload that is no JSON has no event.
func readPayload(c call) payload {
	var p payload
	_ = json.Unmarshal([]byte(c.Stdin), &p)
	if p.Session == "" {
		p.Session = p.SessionID
	}
	if p.Agent == "" {
		p.Agent = p.AgentID
	}
	if p.Event == "" && len(c.Args) > 1 {
		p.Event = c.Args[1]
	}
	return p
}

// printed is what the call printed, as the client reads it.
type printed struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Block    string `json:"block"`
	Context  string `json:"additionalContext"`
	Note     string `json:"systemMessage"`
	Specific struct {
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func (c call) printed() printed {
	var p printed
	if strings.HasPrefix(c.Stdout, "{") {
		_ = json.Unmarshal([]byte(c.Stdout), &p) // checked by Accepts
	}
	return p
}

// context is what the call gave to the model.
func (c call) context() string {
	if out := strings.TrimSpace(c.Stdout); !strings.HasPrefix(out, "{") {
		return out
	}
	p := c.printed()
	return p.Context + p.Specific.Context
}

// block is the reason for which the call holds up a stop, "" where it does not.
func (c call) block() string {
	if p := c.printed(); p.Decision == "block" || p.Decision == "deny" {
		return p.Reason
	}
	return c.printed().Block
}

func (c call) String() string {
	p := c.payload
	said := fmt.Sprintf("%s %s %s%s", c.Began.Format("15:04:05.000"), p.Event, p.Source, p.Trigger)
	if p.Agent != "" {
		said += " agent " + p.Agent
	}
	if p.Active {
		said += " active"
	}
	switch {
	case !c.Done:
		said += " HAS NOT ENDED"
	case c.Killed != "" || c.Exit != 0:
		said += fmt.Sprintf(" EXIT %d %s", c.Exit, c.Killed)
	}
	return said + fmt.Sprintf(" %dms: %s%s", c.Took.Milliseconds(), c.Stdout, c.Stderr)
}
