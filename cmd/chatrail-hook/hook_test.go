package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"chatrail/bundle/temptest"
	"chatrail/hooks"
	"chatrail/hooks/agent"
)

// bin is the folder with the two real programs.
var bin string

func TestMain(m *testing.M) {
	temptest.InMemory()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "chatrail-bin-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if err := os.Chmod(dir, 0o755); err != nil { // for tests as another user
			panic(err)
		}
		build := exec.Command("go", "build", "-o", dir, "chatrail/cmd/chatrail", "chatrail/cmd/chatrail-hook")
		if out, err := build.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v\n%s", err, out))
		}
		bin = dir
		return m.Run()
	}())
}

// world is a user with a home, a state home and a project.
type world struct {
	t                          testing.TB
	root, home, state, project string
	env                        []string
	as                         func(*exec.Cmd) // another user, nil for this one
}

// newWorld makes an empty one. init says whether the project is a repository
// with an orientation.
func newWorld(t testing.TB, init bool) *world {
	t.Helper()
	root, err := os.MkdirTemp("", "chatrail-world-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				_ = os.Chmod(path, 0o755)
			}
			return nil
		})
		_ = os.RemoveAll(root)
	})
	w := &world{t: t, root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "project")}
	w.state = filepath.Join(w.home, "state")
	for _, dir := range []string{root, w.home, w.project, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	w.env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + w.home, "CHATRAIL_HOME=" + w.state,
		"TMPDIR=" + filepath.Join(root, "tmp"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"CLAUDE_CODE_SESSION_ATTENDED=1", hooks.Patience + "=20000", "SystemRoot=" + os.Getenv("SystemRoot"),
	}
	if init {
		w.run("git", "init", "-q", "-b", "main", ".")
		w.run("chatrail", "init")
	}
	return w
}

// with replaces or, with an empty value, removes a variable.
func (w *world) with(pairs ...string) *world {
	c := *w
	c.env = nil
	for _, e := range w.env {
		keep := true
		for _, p := range pairs {
			name, _, _ := strings.Cut(p, "=")
			keep = keep && !strings.HasPrefix(e, name+"=")
		}
		if keep {
			c.env = append(c.env, e)
		}
	}
	for _, p := range pairs {
		if _, value, _ := strings.Cut(p, "="); value != "" {
			c.env = append(c.env, p)
		}
	}
	return &c
}

func (w *world) command(dir, name string, args ...string) *exec.Cmd {
	path := name
	if name == "chatrail" || name == "chatrail-hook" {
		path = filepath.Join(bin, name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, w.env
	if w.as != nil {
		w.as(cmd)
	}
	return cmd
}

// run carries out a command in the project and returns what it printed.
func (w *world) run(name string, args ...string) string {
	w.t.Helper()
	out, err := w.command(w.project, name, args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// hook sends bytes to the hook, which has to exit 0 and keep standard error
// empty, and returns what it printed.
func (w *world) hook(host string, in io.Reader) []byte {
	w.t.Helper()
	return w.call([]string{host}, in)
}

// call is hook with all the arguments of the command.
func (w *world) call(args []string, in io.Reader) []byte {
	w.t.Helper()
	cmd := w.command(w.project, "chatrail-hook", args...)
	cmd.Stdin = in
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("the hook failed: %v\n%s", err, errOut.String())
	}
	if errOut.Len() > 0 {
		w.t.Errorf("the hook wrote to standard error: %s", errOut.String())
	}
	return out.Bytes()
}

// payload is a captured payload with some keys replaced.
func payload(t testing.TB, file string, set map[string]any) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "testdata", "agents", file))
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	for k, v := range set {
		p[k] = v
	}
	return p
}

// event sends a captured payload of the project and checks that the host
// accepts the answer.
func (w *world) event(host, file string, set map[string]any) said {
	w.t.Helper()
	all := map[string]any{"cwd": w.project}
	for k, v := range set {
		all[k] = v
	}
	p := payload(w.t, file, all)
	in, err := json.Marshal(p)
	if err != nil {
		w.t.Fatal(err)
	}
	name, ok := p["hook_event_name"].(string)
	if !ok {
		name, _, _ = strings.Cut(filepath.Base(file), "-")
	}
	out := w.call(agent.Host(host).Arguments(name), bytes.NewReader(in))
	if err := agent.Accepts(agent.Host(host), name, out); err != nil {
		w.t.Errorf("%s does not accept %q: %v", host, out, err)
	}
	var s said
	switch {
	case len(out) == 0:
	case out[0] != '{': // plain text, for whoever sums the context up
		s.HookSpecificOutput.AdditionalContext = string(out)
	default:
		if err := json.Unmarshal(out, &s); err != nil {
			w.t.Fatal(err)
		}
	}
	return s
}

// said is what a hook answered.
type said struct {
	Reason, Block      string
	SystemMessage      string
	AdditionalContext  string
	HookSpecificOutput struct{ AdditionalContext string }
}

func (s said) text() string {
	return s.HookSpecificOutput.AdditionalContext + s.AdditionalContext + s.Reason + s.Block
}

// command is the line with the review's command, "" where there is none.
func (s said) command() string {
	for _, line := range strings.Split(s.text(), "\n") {
		if strings.Contains(line, " reconcile ") {
			return line
		}
	}
	return ""
}

// files lists all files below a folder.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

const (
	claudeDir = "claude-2.1.332/"
	codexDir  = "codex-0.171.0/"
)

func TestEveryCapturedPayloadIsAnsweredInTheWayItsHostAccepts(t *testing.T) {
	t.Parallel()
	for _, init := range []bool{true, false} {
		w := newWorld(t, init)
		if init { // something to say
			command := w.event("claude", claudeDir+"UserPromptSubmit-plain.json", map[string]any{"session_id": "first"}).command()
			w.run("sh", "-c", command+" --reason agreed --north 'Ship it'")
		}
		n := 0
		for _, h := range agent.Hosts() {
			host := string(h)
			found, err := filepath.Glob("../../testdata/agents/" + host + "-*/*.json")
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				if filepath.Base(path) == "env.json" {
					continue
				}
				n++
				file, long := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), os.Getenv("CHATRAIL_LONG") != ""
				if init || long {
					w.event(host, file, nil)
				}
				// As it was captured, in a folder that is not there.
				if !init || long {
					w.event(host, file, map[string]any{"cwd": "/home/user/project"})
				}
			}
		}
		if n < 90 {
			t.Errorf("only %d payloads", n)
		}
	}
}

func TestBadInputIsSilentAndLeavesNoFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	good := func(prompt string) string {
		return `{"session_id":"s","cwd":` + quote(w.project) + `,"hook_event_name":"UserPromptSubmit","prompt":"` + prompt + `"}`
	}
	for name, in := range map[string]string{
		"empty":                    "",
		"white space":              " \t\r\n ",
		"only a line break":        "\r\n",
		"null":                     "null",
		"a number":                 "7",
		"a string":                 `"UserPromptSubmit"`,
		"an array":                 `[` + good("x") + `]`,
		"an empty object":          `{}`,
		"truncated":                good("x")[:60],
		"without the last brace":   strings.TrimSuffix(good("x"), "}"),
		"BOM":                      "\xef\xbb\xbf" + good("x"),
		"BOM alone":                "\xef\xbb\xbf",
		"UTF-16":                   "{\x00\"\x00s\x00",
		"broken UTF-8":             good("\xff\xfe"),
		"broken UTF-8 in the id":   strings.Replace(good("x"), `"s"`, "\"s\xc3\"", 1),
		"lone surrogate":           good(`\ud83d`),
		"lone low surrogate":       good(`\ude00 x`),
		"lone surrogate in the id": strings.Replace(good("x"), `"s"`, `"\ud800"`, 1),
		"two documents":            good("x") + good("x"),
		"words behind":             good("x") + "!",
		"a control character":      good("a\nb"),
		"no session":               strings.Replace(good("x"), `"session_id":"s",`, "", 1),
		"an empty session":         strings.Replace(good("x"), `"s"`, `""`, 1),
		"a null session":           strings.Replace(good("x"), `"s"`, `null`, 1),
		"a session of blanks":      strings.Replace(good("x"), `"s"`, `"  "`, 1),
		"a session that is a list": strings.Replace(good("x"), `"s"`, `["s"]`, 1),
		"an unknown event":         strings.Replace(good("x"), "UserPromptSubmit", "Whatever", 1),
		"deep nesting":             strings.Repeat("[", 200_000),
	} {
		for _, h := range agent.Hosts() {
			if out := w.call(h.Arguments("userPromptSubmitted"), strings.NewReader(in)); len(out) > 0 {
				t.Errorf("%s, %s: printed %q", h, name, out)
			}
		}
		for _, file := range append(files(t, w.home), files(t, w.project)...) {
			if name == "an unknown event" && strings.Contains(file, string(filepath.Separator)+"seen"+string(filepath.Separator)) {
				continue
			}
			t.Errorf("%s: made %s", name, file)
		}
		_ = os.RemoveAll(w.state)
	}
	if out := w.hook("claude", strings.NewReader(strings.ReplaceAll(good("x"), ",", ",\r\n")+"\r\n")); len(out) == 0 {
		t.Error("line breaks of the other kind are white space in JSON")
	}
	if out := w.hook("nobody", strings.NewReader(good("x"))); len(out) > 0 {
		t.Errorf("an unknown host was told %q", out)
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestPipeThatNeverClosesEndsTheHookInSilence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false).with(hooks.Patience + "=")
	for _, text := range []string{"", `{"session_id":"s","cwd":` + quote(w.project) + `,"hook_event_name":"UserPromptSubmit","prompt":"x"}`} {
		r, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		defer r.Close()
		if _, err := out.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if said := w.hook("claude", r); len(said) > 0 {
			t.Errorf("said %q before the input ended", said)
		}
	}
	if made := files(t, w.home); len(made) > 0 {
		t.Errorf("made %q", made)
	}
}

func TestClosedPipesAreNoError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	cmd := w.command(w.project, "sh", "-c", `chatrail-hook claude <&-; echo "exit $?"`)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "exit 0\n" {
		t.Errorf("closed standard input: %q, %v", out, err)
	}
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd = w.command(w.project, "chatrail-hook", "claude")
	in, err := json.Marshal(payload(t, claudeDir+"UserPromptSubmit-plain.json", map[string]any{"cwd": w.project}))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(in), out
	if err := cmd.Run(); err != nil {
		t.Errorf("closed standard output: %v", err)
	}
	out.Close()
}

// megabytes is a prompt that is never in memory whole.
func megabytes(head, tail string, n int) io.Reader {
	chunk := strings.Repeat(`words and \"quotes\" \u00e9 é `, 1<<20/30)
	parts := []io.Reader{strings.NewReader(head)}
	for range n {
		parts = append(parts, strings.NewReader(chunk))
	}
	return io.MultiReader(append(parts, strings.NewReader(tail))...)
}

func TestPromptOf64MiBIsANormalPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	cmd := w.command(w.project, "chatrail-hook", "claude")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The keys that matter stand behind it.
	prompt := megabytes(`{"prompt":"`, `","session_id":"big","prompt_id":"p","cwd":`+quote(w.project)+`,"hook_event_name":"UserPromptSubmit"`, 66)
	if _, err := io.Copy(in, prompt); err != nil {
		t.Fatal(err)
	}
	if peak := peakMemory(cmd.Process.Pid); peak > 24<<20 {
		t.Errorf("%d KiB resident, more than 24 MiB", peak>>10)
	}
	if _, err := io.WriteString(in, "}"); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out.Bytes(), []byte(" reconcile ")) {
		t.Fatalf("said %q", out.String())
	}
}

func TestHostileSessionIDIsSafeToPasteAndStaysInTheStateHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	for _, id := range []string{
		`x'"; touch ` + w.root + `/owned; "'`, "$(touch " + w.root + "/owned)", "`touch " + w.root + "/owned`", "a\nb\r\n c",
		"../../../../../../" + w.root + "/owned", "/etc/passwd", strings.Repeat("x", 200), "-rf", "Größe\u202e", "\\", "%s%n", "C:\\x",
	} {
		s := w.event("claude", claudeDir+"UserPromptSubmit-plain.json", map[string]any{"session_id": id, "prompt_id": "p"})
		command := s.command()
		if command == "" {
			t.Fatalf("%.40q: no review", id)
		}
		if out, err := w.command(w.project, "sh", "-c", command).CombinedOutput(); err != nil {
			t.Errorf("%.40q: %s: %v\n%s", id, command, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(w.root, "owned")); err == nil {
		t.Error("a session id was run as a command")
	}
	entries, err := os.ReadDir(w.root)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 3 {
		t.Errorf("something was made outside the state home: %v", entries)
	}
}

func TestSameEventTwiceInParallelHasOneEffectAndOneAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	command := w.event("claude", claudeDir+"UserPromptSubmit-plain.json", map[string]any{"session_id": "first"}).command()
	w.run("sh", "-c", command+" --reason agreed --north 'Ship it'")
	for _, e := range []struct{ file, word string }{
		{"SessionStart-startup.json", "North: Ship it"},
		{"UserPromptSubmit-plain.json", " reconcile "},
		{"Stop-plain.json", "still open"},
		{"SessionStart-compact.json", "North: Ship it"},
	} {
		in, err := json.Marshal(payload(t, claudeDir+e.file, map[string]any{"cwd": w.project, "session_id": "twice", "prompt_id": "p1"}))
		if err != nil {
			t.Fatal(err)
		}
		const copies = 8
		outs := make([]bytes.Buffer, copies)
		cmds := make([]*exec.Cmd, copies)
		for i := range cmds {
			cmds[i] = w.command(w.project, "chatrail-hook", "claude")
			cmds[i].Stdin, cmds[i].Stdout = bytes.NewReader(in), &outs[i]
			if err := cmds[i].Start(); err != nil {
				t.Fatal(err)
			}
		}
		spoke := 0
		for i, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v", e.file, err)
			}
			if strings.Contains(outs[i].String(), e.word) {
				spoke++
			}
		}
		if spoke != 1 {
			t.Errorf("%s: %d of %d copies spoke", e.file, spoke, copies)
		}
	}
}

func TestSurroundingsThatAreBrokenNeverStopAMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	prompt := claudeDir + "UserPromptSubmit-plain.json"
	all := []string{"SessionStart-startup.json", "UserPromptSubmit-plain.json", "Stop-plain.json", "PreCompact-auto.json",
		"SessionStart-compact.json", "SubagentStart-subagent.json", "SessionEnd-other.json"}
	quiet := func(name string, w *world) {
		t.Helper()
		for _, file := range all {
			if s := w.event("claude", claudeDir+file, nil); s.text() != "" || s.SystemMessage != "" {
				t.Errorf("%s, %s: %+v", name, file, s)
			}
		}
	}
	quiet("no HOME", w.with("HOME=", "CHATRAIL_HOME=", "CODEX_HOME="))
	quiet("a relative state home", w.with("CHATRAIL_HOME=state"))
	file := filepath.Join(w.root, "home", "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	quiet("a file for a state home", w.with("CHATRAIL_HOME="+file))
	quiet("a state home below a file", w.with("CHATRAIL_HOME="+file+"/below"))
	quiet("paused", w.with("CHATRAIL=off"))

	for _, folder := range []string{"receipts", "locks", "cache", "seen", "tasks"} {
		state := filepath.Join(w.root, "home", "with-"+folder)
		if err := os.MkdirAll(state, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(state, folder), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		broken := w.with("CHATRAIL_HOME=" + state)
		for _, file := range all {
			broken.event("claude", claudeDir+file, nil) // exit 0 and an acceptable answer
		}
	}

	gone := filepath.Join(w.root, "gone")
	if s := w.event("claude", prompt, map[string]any{"session_id": "gone", "cwd": gone}); s.command() == "" {
		t.Error("a working directory that is gone: a task has a private road all the same")
	}
	if runtime.GOOS != "windows" {
		if err := os.Mkdir(gone, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := w.command(gone, "sh", "-c", `rmdir "`+gone+`" && exec "$0" claude`, filepath.Join(bin, "chatrail-hook"))
		in, _ := json.Marshal(payload(t, prompt, map[string]any{"cwd": gone, "session_id": "deleted"}))
		cmd.Stdin = bytes.NewReader(in)
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("reconcile")) {
			t.Errorf("deleted working directory: %q, %v", out, err)
		}
	}
}

func TestSuppliedCommandWorksAsPrintedWhereTheProgramIsNotOnThePath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	odd := filepath.Join(w.root, `it's "here" $HOME`)
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"chatrail", "chatrail-hook"} {
		if err := os.Link(filepath.Join(bin, name), filepath.Join(odd, name)); err != nil {
			t.Fatal(err)
		}
	}
	var path []string // without the programs
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "chatrail")); err != nil {
			path = append(path, dir)
		}
	}
	away := w.with("PATH=" + strings.Join(path, string(os.PathListSeparator)))
	in, err := json.Marshal(payload(t, claudeDir+"UserPromptSubmit-plain.json", map[string]any{"cwd": w.project}))
	if err != nil {
		t.Fatal(err)
	}
	cmd := away.command(w.project, filepath.Join(odd, "chatrail-hook"), "claude")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var s said
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	if answer := away.run("sh", "-c", s.command()+" --reason agreed --north 'Ship it'"); !strings.Contains(answer, "Recorded") {
		t.Errorf("%s: %s", s.command(), answer)
	}
}
