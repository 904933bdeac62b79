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
	out io.Writer
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
		return nil, errors.New("the working directory is gone; change to another one")
	}
	return work.NewDesk(home, a.env, dir), nil
}

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
	fmt.Fprintln(a.err, "chatrail: "+strings.Join(strings.Fields(err.Error()), " "))
	return exitCode(err)
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
