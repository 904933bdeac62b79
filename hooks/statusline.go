package hooks

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"chatrail/hooks/task"
	"chatrail/hooks/words"
)

// Bounds of a status line.
const (
	lineWait  = 500 * time.Millisecond // for a client that says nothing
	lineInput = 1 << 20
	// LookAgain is how old what is known of open loops may be before somebody
	// looks again, beside the status line and not in its time.
	LookAgain = 20 * time.Second
)

// LineCall is one call of a status line by a client.
type LineCall struct {
	In      io.Reader
	Out     io.Writer
	Env     func(string) string
	Dir     string // the working directory, "" where it is unknown
	Program string // the full program, "" for none: then nobody looks again
}

// lineFields are what matters of the client's JSON.
type lineFields struct {
	Session   string `json:"session_id"`
	CWD       string `json:"cwd"`
	Workspace struct {
		Current string `json:"current_dir"`
	} `json:"workspace"`
}

// StatusLine prints one line about the task of a session, from caches alone, or
// nothing. It never fails and does not wait for an input that does not end.
func StatusLine(c LineCall) {
	Lighten()
	in := make(chan lineFields, 1)
	go func() {
		var f lineFields
		// The object ends the input, whatever follows it.
		if json.NewDecoder(io.LimitReader(c.In, lineInput)).Decode(&f) == nil {
			in <- f
		}
		close(in)
	}()
	select {
	case f, ok := <-in:
		if line := c.line(f); ok && line != "" {
			io.WriteString(c.Out, line+"\n")
		}
	case <-time.After(lineWait):
	}
}

func (c LineCall) line(f lineFields) string {
	home, err := task.FindHome(c.Env)
	if err != nil || task.Off(c.Env) {
		return ""
	}
	cwd := f.CWD
	if cwd == "" {
		cwd = f.Workspace.Current
	}
	if cwd == "" {
		cwd = c.Dir
	}
	var receipt task.Receipt
	key := ""
	if f.Session != "" {
		key = task.Key(f.Session)
		if receipt, err = home.LoadReceipt(key); err != nil {
			return ""
		}
	}
	if home.Paused(c.Env, receipt) != task.NotPaused {
		return ""
	}
	place := task.Place{}
	if receipt.Pin != nil {
		place = receipt.Pin.Place
	} else if place, err = discover(home, c.Env, cwd); err != nil || home.PlaceOff(place) {
		return ""
	}
	view, known := home.LoadView(place)
	if !known || view.Frozen != "" || !view.Named || !home.Trusted(place, view.Root) {
		return ""
	}
	loops, seen := home.LoadLoops(key)
	if key != "" && receipt.Pin != nil && (!seen || time.Since(loops.At).Abs() > LookAgain) {
		c.lookAgain(f.Session, cwd)
	}
	width, _ := strconv.Atoi(c.Env("COLUMNS"))
	return words.StatusLine(lineOf(view, "rail.north", "North: "), heading(view), loops.Count, width)
}

func discover(home task.Home, env func(string) string, cwd string) (task.Place, error) {
	if cwd == "" {
		return task.Place{}, task.ErrNone
	}
	user, _ := task.UserHome(env) // unknown: the search ends at the root
	return task.Discover(cwd, task.DiscoverOptions{State: home, UserHome: user})
}

// lineOf is a field as a view has prepared it, without its name.
func lineOf(v task.View, field, name string) string {
	for _, l := range v.Lines {
		if l.Field == field {
			return strings.TrimPrefix(l.Text, name)
		}
	}
	return ""
}

// heading is where the work points, without its context.
func heading(v task.View) string {
	points, _, _ := strings.Cut(lineOf(v, "compass.heading", "Now: "), ": ")
	return points
}

// lookAgain starts a look at the open loops, which nobody waits for.
func (c LineCall) lookAgain(session, cwd string) {
	if c.Program == "" || len(session) > 1024 {
		return
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() || !filepath.IsAbs(cwd) {
		return
	}
	cmd := exec.Command(c.Program, "statusline", "--look", session)
	cmd.Dir = cwd
	apart(cmd)
	cmd.Cancel = nil // there is no context to end it: it has a deadline of its own
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}

// LeanStatusLine is the status line as a client calls it.
func LeanStatusLine(full string) {
	dir, err := os.Getwd()
	if errors.Is(err, fs.ErrNotExist) {
		dir = ""
	}
	StatusLine(LineCall{In: os.Stdin, Out: os.Stdout, Env: os.Getenv, Dir: dir, Program: full})
}
