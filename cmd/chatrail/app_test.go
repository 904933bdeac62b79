package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"chatrail/bundle"
	"chatrail/hooks/work"
)

func TestEveryRefusalIsOneLineAndOneExitCode(t *testing.T) {
	t.Parallel()
	frozen := &bundle.FrozenError{Cause: "the cause"}
	stale := &work.StaleError{Fields: []bundle.Field{bundle.FieldNorth}}
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, exitDone},
		{errors.New("anything"), exitRefused},
		{&work.RefusedError{Text: "unknown review"}, exitRefused},
		{&bundle.RuleError{Field: "rail.north", Rule: "is empty"}, exitRefused},
		{&work.NoBundleError{Where: "/somewhere"}, exitRefused},
		{&usageError{"bad flag"}, exitUsage},
		{&work.UsageError{Text: "a change needs --reason"}, exitUsage},
		{stale, exitStale},
		{errors.Join(stale, errors.New("could not be remembered")), exitStale},
		{frozen, exitFrozen},
		{&work.SpooledError{Err: frozen, Path: "/spool/item"}, exitFrozen},
		{fmt.Errorf("over\ntwo lines: %w", frozen), exitFrozen},
	} {
		var out bytes.Buffer
		a := &app{err: &out}
		if code := a.fail(c.err); code != c.code {
			t.Errorf("%v: exit code %d, not %d", c.err, code, c.code)
		}
		if lines := strings.Count(out.String(), "\n"); c.err != nil && lines != 1 || c.err == nil && lines != 0 {
			t.Errorf("%v: printed %q", c.err, out.String())
		}
	}
	var out bytes.Buffer
	if code := (&app{err: &out}).fail(&quietError{exitFrozen}); code != exitFrozen || out.Len() > 0 {
		t.Errorf("a command that has said all: code %d, printed %q", code, out.String())
	}
}

func TestAHeadingIsTwoNumbers(t *testing.T) {
	t.Parallel()
	if x, y, err := heading(" -30, 70"); err != nil || x != -30 || y != 70 {
		t.Errorf("%d, %d, %v", x, y, err)
	}
	for _, text := range []string{"", "30", "30;70", "north", "30,70,0", "1.5,98.5", "0x1e,70"} {
		var usage *usageError
		if _, _, err := heading(text); !errors.As(err, &usage) || !strings.Contains(err.Error(), "30,70") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
