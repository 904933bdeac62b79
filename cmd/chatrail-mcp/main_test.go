//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chatrail/bundle/temptest"
)

// bin is the folder with the three real programs.
var bin string

func TestMain(m *testing.M) {
	temptest.InMemory()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "chatrail-bin-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-o", dir, "chatrail/cmd/chatrail", "chatrail/cmd/chatrail-hook", "chatrail/cmd/chatrail-mcp")
		if out, err := build.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v\n%s", err, out))
		}
		bin = dir
		return m.Run()
	}())
}

// world is a user with a home and a project.
type world struct {
	t       *testing.T
	project string
	env     []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{t: t, project: filepath.Join(root, "project"), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "CHATRAIL_HOME=" + filepath.Join(root, "state"), "TMPDIR=" + filepath.Join(root, "tmp"),
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "CHATRAIL_HOOK_TIMEOUT=20000",
	}}
	for _, dir := range []string{w.project, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.run(nil, "git", "init", "-q", "-b", "main")
	w.run(nil, filepath.Join(bin, "chatrail"), "init")
	return w
}

func (w *world) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.project, w.env
	return cmd
}

func (w *world) run(in []byte, name string, args ...string) string {
	w.t.Helper()
	cmd := w.command(name, args...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		w.t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, exit.Stderr)
	}
	return string(out)
}

// json is what a command prints with --json, as compact as a tool says it.
func (w *world) json(args ...string) any {
	w.t.Helper()
	var v any
	if err := json.Unmarshal([]byte(w.run(nil, filepath.Join(bin, "chatrail"), append(args, "--json")...)), &v); err != nil {
		w.t.Fatal(err)
	}
	return v
}

var reviewLine = regexp.MustCompile(`reconcile (\S+\.[a-z2-7]{8})`)

// prompt is the review that a prompt of a session asks.
func (w *world) prompt(session string) string {
	w.t.Helper()
	payload := fmt.Sprintf(`{"session_id":%q,"hook_event_name":"UserPromptSubmit","cwd":%q,"prompt":"Go on","prompt_id":%q,"permission_mode":"default"}`,
		session, w.project, time.Now())
	out := w.run([]byte(payload), filepath.Join(bin, "chatrail-hook"), "claude")
	m := reviewLine.FindStringSubmatch(out)
	if m == nil {
		w.t.Fatalf("no review in %q", out)
	}
	return m[1]
}

// connect starts `chatrail mcp` as a client of its own kind does.
func (w *world) connect(args ...string) *mcp.ClientSession {
	w.t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(w.t.Context(), &mcp.CommandTransport{Command: w.command(filepath.Join(bin, "chatrail"), append([]string{"mcp"}, args...)...)}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.t.Errorf("the server did not end well: %v", err)
		}
	})
	return s
}

func call(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (text string, value any, failed bool) {
	t.Helper()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Content {
		text += c.(*mcp.TextContent).Text
	}
	return text, res.StructuredContent, res.IsError
}

func same(t *testing.T, what string, tool, command any) {
	t.Helper()
	a, _ := json.Marshal(tool)
	b, _ := json.Marshal(command)
	if !bytes.Equal(a, b) {
		t.Errorf("%s: the tool says\n%s\nand the command\n%s", what, a, b)
	}
}

func TestAnAgentWorksThroughTheRealServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connect()
	one, two := w.prompt("one"), w.prompt("two")
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 6 {
		t.Fatalf("%v, %v", list, err)
	}
	text, _, failed := call(t, s, "reconcile", map[string]any{"review": one, "reason": "Agreed", "north": "Stream the import"})
	if failed || !strings.HasPrefix(text, "Recorded as ") {
		t.Fatal(text)
	}
	text, _, failed = call(t, s, "reconcile", map[string]any{"review": two, "reason": "Too late", "north": "Something else"})
	if !failed || !strings.HasPrefix(text, "stale: rail.north changed since this review began") || !strings.Contains(text, "\nNorth: Stream the import\n") {
		t.Error(text)
	}
	if text, _, failed = call(t, s, "checkpoint", map[string]any{"text": "Half done.", "review": one}); failed || !strings.Contains(text, "entries/") {
		t.Error(text)
	}
	for _, tt := range []struct {
		tool    string
		args    map[string]any
		command []string
	}{
		{"orientation", nil, []string{"reorient"}},
		{"orientation", map[string]any{"view": "full"}, []string{"show"}},
	} {
		_, value, _ := call(t, s, tt.tool, tt.args)
		same(t, tt.tool, value, w.json(tt.command...))
	}
	_, value, _ := call(t, s, "notes", nil)
	same(t, "notes", value.(map[string]any)["notes"], w.json("list"))
	_, value, _ = call(t, s, "orientation", map[string]any{"view": "status"})
	delete(value.(map[string]any), "in")
	status := w.json("status")
	delete(status.(map[string]any), "last_seen")
	delete(value.(map[string]any), "last_seen")
	same(t, "status", value, status)
	read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "chatrail://orientation"})
	if err != nil || !strings.Contains(read.Contents[0].Text, "North: Stream the import") {
		t.Errorf("%v, %v", read, err)
	}
	log := w.run(nil, "git", "log", "--format=%s", "refs/chatrail/project")
	if !strings.Contains(log, "Agreed") || strings.Contains(log, "Too late") {
		t.Error(log)
	}
}

func TestAServerForAChildListsNothingThatWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	s := w.connect("--child")
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is listed", tool.Name)
		}
	}
	if text, _, failed := call(t, s, "reconcile", map[string]any{"review": review, "reason": "x", "north": "y"}); !failed || !strings.HasPrefix(text, "a sub-agent reads and never writes") {
		t.Error(text)
	}
}

func TestManyCallsAtOnceAreAllAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.connect("--session-id", "one")
	var all sync.WaitGroup
	for n := range 8 {
		all.Add(2)
		go func() {
			defer all.Done()
			if text, _, failed := call(t, s, "note", map[string]any{"do": "new", "title": fmt.Sprint("Note ", n)}); failed {
				t.Error(text)
			}
		}()
		go func() {
			defer all.Done()
			if text, _, failed := call(t, s, "orientation", nil); failed {
				t.Error(text)
			}
		}()
	}
	all.Wait()
	if n := len(w.json("list").([]any)); n != 8 {
		t.Errorf("%d notes", n)
	}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// lines are the messages of a server, which have to be all that it prints.
func lines(t *testing.T, out []byte) (all []map[string]any) {
	t.Helper()
	for _, line := range bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n")) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil || m["jsonrpc"] != "2.0" {
			t.Fatalf("%q is no message of the protocol", line)
		}
		all = append(all, m)
	}
	return all
}

func TestAClientThatHangsUpIsHeardAndTheServerEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	for _, version := range []string{"2024-11-05", "2025-06-18", "2099-01-01"} {
		in := fmt.Sprintf(hello, version) + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note","arguments":{"do":"new","title":"` + version + `","review":"` + review + `"}}}` + "\n"
		out := lines(t, []byte(w.run([]byte(in), filepath.Join(bin, "chatrail"), "mcp")))
		if len(out) != 2 || out[1]["result"].(map[string]any)["isError"] == true {
			t.Fatalf("%v", out)
		}
		if got := out[0]["result"].(map[string]any)["protocolVersion"]; version < "2026" && got != version || got == "" {
			t.Errorf("asked for %s, got %v", version, got)
		}
	}
	if n := len(w.json("list").([]any)); n != 3 {
		t.Errorf("%d notes", n)
	}
}

func TestASignalEndsTheServerQuietly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd := w.command(filepath.Join(bin, "chatrail"), "mcp")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var complaints bytes.Buffer
		cmd.Stderr = &complaints
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(in, hello, "2025-06-18")
		if _, err := out.Read(make([]byte, 1<<16)); err != nil { // it is up
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil || len(rest) > 0 || complaints.Len() > 0 {
			t.Errorf("%v: %v, %q, %q", sig, err, rest, complaints.String())
		}
	}
}

func TestAMessageWithoutEndDoesNotFillTheMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cmd := w.command(filepath.Join(bin, "chatrail"), "mcp")
	cmd.Stdin = io.MultiReader(strings.NewReader(fmt.Sprintf(hello, "2025-06-18")+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`),
		io.LimitReader(letters{}, 256<<20))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil || complaints.Len() > 0 || !bytes.Contains(out, []byte("larger than 16 MiB")) {
		t.Errorf("%v: %q %.300q", err, complaints.String(), out)
	}
	if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; runtime.GOOS == "linux" && used > 160<<10 {
		t.Errorf("%d KiB", used)
	}
	lines(t, out)
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestChatrailSaysWhatHelpsWhereTheServerIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alone := filepath.Join(t.TempDir(), "chatrail")
	data, err := os.ReadFile(filepath.Join(bin, "chatrail"))
	if err == nil {
		err = os.WriteFile(alone, data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.command(alone, "mcp").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "go install ./cmd/chatrail-mcp") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("%v: %s", err, out)
	}
}
