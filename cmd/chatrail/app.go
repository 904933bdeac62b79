package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"chatrail/bundle"
	"chatrail/gitstore/worktree/fallback"
	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

// Exit codes. Each stands for one thing that a caller can do something about.
const (
	exitDone    = 0
	exitRefused = 1 // refused, or something was found
	exitUsage   = 2 // bad usage, or JSON that cannot be read
	exitStale   = 3 // somebody moved it first
	exitFrozen  = 4 // a state that no history explains
)

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// quietError ends a command with a code after it has said all there is to say.
type quietError struct{ code int }

func (e *quietError) Error() string { return fmt.Sprintf("exit %d", e.code) }

// app is what every command is given.
type app struct {
	ctx context.Context
	in  io.Reader
	out *output
	err io.Writer
	env func(string) string
}

// desk is the place where commands do their work: this user, here.
func (a *app) desk() (*work.Desk, error) {
	home, err := task.FindHome(a.env)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // gone: what names its task or its place needs none
	}
	return newDesk(home, a.env, dir), nil
}

// newDesk is a desk that copes without a git program.
func newDesk(home task.Home, env func(string) string, dir string) *work.Desk {
	d := work.NewDesk(home, env, dir)
	d.Fallback = fallback.Status
	d.Carry = carrier(d)
	return d
}

// carrier is what takes the orientation along with a push, nil for nothing. The
// tests of the scripts put one of their own in its place.
var carrier = func(d *work.Desk) work.Carrier { return d.BySync }

// scope is the bundle that a reading command means.
func (a *app) scope(session string) (*work.Scope, error) {
	d, err := a.desk()
	if err != nil {
		return nil, err
	}
	return d.Scope(a.ctx, session)
}

// fail says what went wrong, in one line, and returns the exit code: the one
// place where the meaning of an error becomes words and a number.
func (a *app) fail(err error) int {
	if err == nil {
		return exitDone
	}
	var quiet *quietError
	if errors.As(err, &quiet) {
		return quiet.code
	}
	text := "chatrail: " + work.ErrorLine(err)
	if exitCode(err) == exitFrozen {
		text += "; see `chatrail status`"
	}
	fmt.Fprintln(a.err, text)
	return exitCode(err)
}

// output remembers that something could not be written: a command that was not
// heard has not done its work.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

func exitCode(err error) int {
	var (
		usage  *usageError
		syntax *bundle.SyntaxError
		bad    *work.UsageError
		stale  *work.StaleError
		frozen *bundle.FrozenError
	)
	switch {
	case errors.As(err, &usage), errors.As(err, &syntax), errors.As(err, &bad):
		return exitUsage
	case errors.As(err, &stale):
		return exitStale
	case errors.As(err, &frozen):
		return exitFrozen
	}
	return exitRefused
}

// lines prints lines.
func (a *app) lines(lines ...string) {
	for _, l := range lines {
		fmt.Fprintln(a.out, l)
	}
}

// json prints a value as indented JSON.
func (a *app) json(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// document prints a note as it is; on a terminal without the characters that
// could make it do something.
func (a *app) document(text string) error {
	if f, ok := a.out.Writer.(*os.File); ok {
		if info, err := f.Stat(); err == nil && isTerminal(info) {
			text = strings.Map(func(r rune) rune {
				if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
					return '\uFFFD'
				}
				return r
			}, text)
		}
	}
	_, err := io.WriteString(a.out, text)
	return err
}
