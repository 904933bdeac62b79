package chronicle_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
)

var transitions = map[string]func(note []byte, who chronicle.Who, at time.Time) ([]byte, error){
	"spec": func(note []byte, who chronicle.Who, at time.Time) ([]byte, error) {
		return chronicle.Spec(note, "docs/design.md", who, at)
	},
	"start": chronicle.Start,
	"finish": func(note []byte, who chronicle.Who, at time.Time) ([]byte, error) {
		return chronicle.Finish(note, "abcdef1", who, at)
	},
	"drop": func(note []byte, who chronicle.Who, at time.Time) ([]byte, error) {
		return chronicle.Drop(note, "superseded", who, at)
	},
}

func TestAWorkItemMovesOnlyForward(t *testing.T) {
	const refused = chronicle.Status("")
	for from, row := range map[chronicle.Status]map[string]chronicle.Status{
		chronicle.Todo:    {"spec": chronicle.Specced, "start": chronicle.Doing, "finish": chronicle.Done, "drop": chronicle.Cut},
		chronicle.Specced: {"spec": chronicle.Specced, "start": chronicle.Doing, "finish": chronicle.Done, "drop": chronicle.Cut},
		chronicle.Doing:   {"spec": chronicle.Doing, "start": chronicle.Doing, "finish": chronicle.Done, "drop": chronicle.Cut},
		chronicle.Done:    {"spec": refused, "start": refused, "finish": chronicle.Done, "drop": refused},
		chronicle.Cut:     {"spec": refused, "start": refused, "finish": refused, "drop": chronicle.Cut},
	} {
		for name, want := range row {
			note := []byte("---\ntitle: a\nstatus: " + string(from) + "\nmine: kept\n---\nbody\n")
			got, err := transitions[name](note, claude, at)
			if want == refused {
				var rule *bundle.RuleError
				if !errors.As(err, &rule) {
					t.Errorf("%s of a %s one: got %v", name, from, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := chronicle.Read(got); n.Status != want || string(n.Body) != "body\n" || !bytes.Contains(got, []byte("\nmine: kept\n")) {
				t.Errorf("%s of a %s one:\n%s", name, from, got)
			}
			if again, err := transitions[name](got, chronicle.Who{Agent: "codex"}, at.Add(time.Hour)); err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second %s of a %s one is a change: %v\n%s", name, from, err, again)
			}
		}
	}
}

func TestAWorkItemSaysWhoMovedItAndWhen(t *testing.T) {
	item := must(chronicle.NewWorkItem(chronicle.Meta{Title: "Stream the import", Effort: "a day"}, chronicle.Who{}, at, nil))(t)
	item.Data = must(chronicle.Spec(item.Data, "docs/stream.md", claude, at.Add(time.Hour)))(t)
	const want = `---
title: Stream the import
date: 2026-11-30
status: specced
by: claude 3f9a1c0b7d2e
moved: 2026-11-30T15:05:09.25Z
effort: a day
spec: docs/stream.md
---
`
	if item.Path != "tasks/stream-the-import.md" || string(item.Data) != want {
		t.Errorf("got %s\n%s", item.Path, item.Data)
	}
	item.Data = must(chronicle.Spec(item.Data, "docs/other.md", claude, at.Add(2*time.Hour)))(t)
	if n := chronicle.Read(item.Data); n.Spec != "docs/other.md" || n.Moved != "2026-11-30T15:05:09.25Z" {
		t.Errorf("another reference made\n%s", item.Data)
	}
}

func TestAnActorHasAName(t *testing.T) {
	for who, want := range map[chronicle.Who]string{{}: "a person", claude: "claude 3f9a1c0b7d2e", {Agent: "codex"}: "codex", {Task: "3f9a1c0b7d2e"}: "task 3f9a1c0b7d2e"} {
		if got := who.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhatClosedAWorkItemMayBeNamedLater(t *testing.T) {
	note := must(chronicle.Finish([]byte("---\ntitle: a\n---\n"), "", claude, at))(t)
	note = must(chronicle.Finish(note, "abcdef1", claude, at.Add(time.Hour)))(t)
	if n := chronicle.Read(note); n.ClosedBy != "abcdef1" || n.Status != chronicle.Done {
		t.Errorf("got\n%s", note)
	}
	note = must(chronicle.Finish(note, "abcdef2", claude, at))(t)
	if n := chronicle.Read(note); n.ClosedBy != "abcdef1" {
		t.Errorf("the first name was replaced:\n%s", note)
	}
}

func TestAWorkItemThatCannotBeUnderstoodIsNotMoved(t *testing.T) {
	for _, note := range []string{"---\nstatus: soon\n---\n", "---\nstatus: [\n---\n", "---\nstatus: todo\n"} {
		for name, move := range transitions {
			if got, err := move([]byte(note), claude, at); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s of %q made %q, %v", name, note, got, err)
			}
		}
	}
	if got, err := chronicle.Spec([]byte("---\nstatus: todo\n---\n"), "", claude, at); err == nil {
		t.Errorf("specced without a reference:\n%s", got)
	}
}
