//go:build agents

package clients

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"chatrail/hooks/agent"
)

// terminal is a client that a person watches.
type terminal struct {
	run    *run
	client *client
	host   agent.Host
	file   *os.File
	cmd    *exec.Cmd
	ended  chan struct{}

	mu     sync.Mutex
	output []byte
	last   time.Time
}

// attend starts the client in a terminal and waits until it takes a prompt.
func (r *run) attend(c *client, o options) *terminal {
	r.t.Helper()
	te := r.open(c, o)
	te.sees(c.ready)
	return te
}

// open starts the client in a terminal.
func (r *run) open(c *client, o options) *terminal {
	r.t.Helper()
	cmd := exec.Command(installed(r.t, c.host), c.attended(o)...)
	cmd.Dir, cmd.Env = r.work, r.environment(append(c.env(r), o.env...)...)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 170})
	must(r.t, err)
	te := &terminal{run: r, client: c, host: c.host, file: file, cmd: cmd, ended: make(chan struct{})}
	r.terms = append(r.terms, te)
	go te.read()
	return te
}

// queries are what programs ask a terminal, with the answers of a plain one.
var queries = []struct{ ask, answer string }{
	{"\x1b[6n", "\x1b[1;1R"},
	{"\x1b[c", "\x1b[?62;22c"},
	{"\x1b]10;?", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"},
	{"\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
}

func (te *terminal) read() {
	defer close(te.ended)
	buf := make([]byte, 1<<16)
	for {
		n, err := te.file.Read(buf)
		te.mu.Lock()
		te.output, te.last = append(te.output, buf[:n]...), time.Now()
		te.mu.Unlock()
		for _, q := range queries {
			for range bytes.Count(buf[:n], []byte(q.ask)) {
				_, _ = te.file.WriteString(q.answer) // the client may have gone
			}
		}
		if err != nil {
			_ = te.cmd.Wait() // how it ended is not asked
			return
		}
	}
}

// escapes are the sequences that move and paint. Clients step over blanks with
// them, so each leaves one.
var escapes = regexp.MustCompile("\x1b\\[[0-9;:?<>=!]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|\x1b[PX^_][^\x1b]*\x1b\\\\|\x1b[()*+].|\x1b.")

func plain(output []byte) string {
	s := escapes.ReplaceAllString(string(output), " ")
	return regexp.MustCompile(`[ \t\r]*\n[\s]*`).ReplaceAllString(regexp.MustCompile(` {2,}`).ReplaceAllString(strings.ReplaceAll(s, "\r\n", "\n"), " "), "\n")
}

// text is all that the terminal showed, without the painting.
func (te *terminal) text() string {
	te.mu.Lock()
	defer te.mu.Unlock()
	return plain(te.output)
}

// since is what it showed from an offset on, without any blanks: clients paint
// only what changed and wrap lines.
func (te *terminal) since(offset int) string {
	te.mu.Lock()
	defer te.mu.Unlock()
	return strings.Join(strings.Fields(plain(te.output[offset:])), "")
}

func (te *terminal) offset() int {
	te.mu.Lock()
	defer te.mu.Unlock()
	return len(te.output)
}

// calm says that nothing was painted for a moment. Clients take keys that come
// in one burst for a paste, and the end of a line in it for a line of the paste.
func (te *terminal) calm() bool {
	te.mu.Lock()
	defer te.mu.Unlock()
	return time.Since(te.last) > 250*time.Millisecond
}

// sees waits until the screen shows something, looked for without blanks.
func (te *terminal) sees(what *regexp.Regexp) {
	te.run.t.Helper()
	te.run.until("the screen to show "+what.String(), func() bool { return what.MatchString(te.since(0)) || te.gone() })
	if te.gone() {
		te.run.t.Fatal("the client has gone")
	}
}

// answer presses a key that answers a question, until it was taken: what has just
// been painted may not listen yet.
func (te *terminal) answer(key string, taken func() bool) {
	te.run.t.Helper()
	for range 6 {
		te.run.waits(3*time.Second, te.calm)
		te.keys(key)
		if te.run.waits(4*time.Second, taken) {
			return
		}
	}
	te.run.t.Fatalf("the question was not answered by %q", key)
}

func (te *terminal) gone() bool {
	select {
	case <-te.ended:
		return true
	default:
		return false
	}
}

// keys types.
func (te *terminal) keys(s string) {
	te.run.t.Helper()
	_, err := te.file.WriteString(s)
	must(te.run.t, err)
}

// enter types a line and the key that sends it, until the client has taken it.
// A client that has just painted its prompt may not listen yet.
func (te *terminal) enter(line string, taken func() bool) {
	te.run.t.Helper()
	squeezed := strings.Join(strings.Fields(line), "")
	shown := false
	for range 5 {
		from := te.offset()
		te.keys(line)
		if shown = te.run.waits(4*time.Second, func() bool { return strings.Contains(te.since(from), squeezed) || te.gone() }); shown {
			break
		}
		te.keys("\x15") // takes back what was typed
	}
	if te.gone() {
		te.run.t.Fatalf("the client has gone before %q", line)
	}
	for range 6 {
		te.run.waits(3*time.Second, te.calm)
		te.keys("\r")
		if te.run.waits(5*time.Second, taken) {
			return
		}
	}
	te.run.t.Fatalf("the client does not take %q (shown: %t)", line, shown)
}

// ask sends a prompt and waits for the end of its turn: a stop that is not held
// up.
func (te *terminal) ask(prompt string) *turn {
	r, c := te.run, te.client
	r.t.Helper()
	m := r.mark()
	te.enter(prompt, func() bool {
		for _, call := range r.calls()[m.calls:] {
			if call.payload.Event == c.prompt && strings.Contains(call.payload.Prompt, prompt) {
				return true
			}
		}
		return false
	})
	r.until("the end of the turn "+prompt, func() bool {
		ended := false
		for _, call := range r.calls()[m.calls:] {
			if call.payload.Event == c.stop && call.payload.Agent == "" {
				ended = call.Done && call.block() == ""
			}
		}
		return ended || te.gone()
	})
	tu := r.since(m)
	tu.host, tu.prompt = c.host, prompt
	return tu
}

// leave has the client quit.
func (te *terminal) leave() {
	te.run.t.Helper()
	te.enter(te.client.quit, te.gone)
	te.run.allEnded()
}

// kill ends the client and all that it started.
func (te *terminal) kill() {
	if !te.gone() {
		_ = syscall.Kill(-te.cmd.Process.Pid, syscall.SIGKILL) // it may have gone just now
	}
	_ = te.file.Close()
}
