package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chatrail/bundle/temptest"
	"chatrail/hooks"
	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

func TestMain(m *testing.M) {
	temptest.InMemory()
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		os.Unsetenv(name)
	}
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Exit(m.Run())
}

// world is a user with a project in a repository.
type world struct {
	t             *testing.T
	root, project string
	home          task.Home
	mu            sync.Mutex
	vars          map[string]string
	prompts       atomic.Int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, project: filepath.Join(root, "home", "project")}
	w.home.Dir = filepath.Join(root, "home", "state")
	w.vars = map[string]string{
		"HOME": filepath.Join(root, "home"), "TMPDIR": filepath.Join(root, "tmp"), "CHATRAIL_HOME": w.home.Dir, hooks.Patience: "20000",
	}
	for _, dir := range []string{w.project, w.vars["TMPDIR"]} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.git("init", "-q", "-b", "main")
	w.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "--allow-empty", "-m", "Begin")
	if _, err := w.desk(w.project).Init(t.Context(), work.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) git(args ...string) {
	w.t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", w.project}, args...)...).CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w *world) env(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.vars[name]
}

func (w *world) set(name, value string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.vars[name] = value
}

func (w *world) desk(dir string) *work.Desk { return work.NewDesk(w.home, w.env, dir) }

var reviewLine = regexp.MustCompile(`reconcile (\S+\.[a-z2-7]{8})`)

// prompt delivers a prompt of a session and returns the id of its review.
func (w *world) prompt(session string) string {
	w.t.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": session, "hook_event_name": "UserPromptSubmit", "cwd": w.project, "prompt": "Go on", "prompt_id": fmt.Sprint(session, w.prompts.Add(1)),
		"transcript_path": "", "permission_mode": "default",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var out bytes.Buffer
	hooks.Run(hooks.Call{
		Host: "claude", In: bytes.NewReader(payload), Out: &out, Env: w.env, Program: "chatrail",
		Store: func(h task.Home) hooks.Store { return work.NewDesk(h, w.env, "") },
	})
	m := reviewLine.FindStringSubmatch(out.String())
	if m == nil {
		w.t.Fatalf("no review in %q", out.String())
	}
	return m[1]
}

// client is one that is connected to a server in memory.
type client struct {
	*mcp.ClientSession
	t *testing.T
}

func (w *world) options() Options {
	return Options{Version: "test", Env: w.env, Dir: w.project, Desk: w.desk}
}

func (w *world) connect(o Options, as *mcp.ClientOptions, roots ...string) *client {
	w.t.Helper()
	return w.connectAt("", o, as, roots...)
}

// connectAt asks for a version of the protocol.
func (w *world) connectAt(version string, o Options, as *mcp.ClientOptions, roots ...string) *client {
	w.t.Helper()
	there, here := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	s := newServer(ctx, o)
	if _, err := s.mcp.Connect(ctx, draining{there}, nil); err != nil {
		w.t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, as)
	for _, r := range roots {
		//lint:ignore SA1019 older protocols, which today's clients speak, say so where they work
		c.AddRoots(&mcp.Root{URI: "file://" + filepath.ToSlash(r)})
	}
	session, err := c.Connect(ctx, here, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { session.Close() })
	return &client{session, w.t}
}

// args are the arguments of a call; a key "_meta" is its metadata.
type args map[string]any

// heard is what a call came to.
type heard struct {
	text   string
	failed bool
	value  map[string]any
	raw    []byte
}

func (c *client) call(tool string, a args) heard {
	c.t.Helper()
	p := &mcp.CallToolParams{Name: tool, Arguments: a}
	if meta, ok := a["_meta"]; ok {
		p.Meta = meta.(map[string]any)
		delete(a, "_meta")
	}
	res, err := c.CallTool(c.t.Context(), p)
	if err != nil {
		c.t.Fatalf("%s %v: an error of the protocol: %v", tool, a, err)
	}
	var s heard
	s.failed = res.IsError
	for _, content := range res.Content {
		s.text += content.(*mcp.TextContent).Text
	}
	if res.StructuredContent != nil {
		s.raw, err = json.Marshal(res.StructuredContent)
		if err == nil {
			err = json.Unmarshal(s.raw, &s.value)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
	return s
}

// do is a call that has to succeed.
func (c *client) do(tool string, a args) heard {
	c.t.Helper()
	s := c.call(tool, a)
	if s.failed {
		c.t.Fatalf("%s %v: %s", tool, a, s.text)
	}
	return s
}

// refused is a call that has to be refused, in one line.
func (c *client) refused(tool string, a args) string {
	c.t.Helper()
	s := c.call(tool, a)
	if !s.failed {
		c.t.Fatalf("%s %v was not refused: %s", tool, a, s.text)
	}
	return s.text
}

// names are the tools that are listed.
func (c *client) names() (names []string) {
	c.t.Helper()
	list, err := c.ListTools(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names
}
