package agent

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"chatrail/hooks/turn"
)

// ErrPayload says that the input is not a payload to act on: not exactly one
// well-formed JSON object, or without a session. A hook answers it with
// silence.
var ErrPayload = errors.New("not a hook payload")

// BlockPrefix begins every reason that a stop is held up with. A prompt that
// begins with it is that reason coming back.
const BlockPrefix = "ChatRail: the review of this turn is still open."

// notificationPrefix begins a prompt that carries the result of background work.
const notificationPrefix = "<task-notification>"

// The tag that a client puts around what hooks said.
const (
	hooksOpen  = "<hook_context>"
	hooksClose = "</hook_context>"
)

// Payload is what a client said about one event.
type Payload struct {
	Host Host `json:"host"`
	// EventName is the client's own name of the event, Event what it means. At
	// and NewReview of the event are the caller's to fill in.
	EventName string     `json:"event_name"`
	Event     turn.Event `json:"event"`
	// SessionID names the task and is never empty. The others are "" where the
	// client gave none.
	SessionID      string `json:"session_id"`
	CWD            string `json:"cwd,omitempty"`
	TranscriptPath string `json:"transcript_path,omitempty"`
	AgentID        string `json:"agent_id,omitempty"`
	Reason         string `json:"reason,omitempty"` // of a session end, in the client's words
}

// Parse reads a payload to the end of r, in bounded memory whatever its size.
// env looks up an environment variable, "" for an unset one. At a prompt and a
// stop it may read a part of the transcript, to learn whether somebody watches and
// whether the context was summed up. The error is ErrPayload for every input that a
// hook is to ignore.
func Parse(h Host, r io.Reader, env func(string) string) (Payload, error) {
	return ParseEvent(h, "", r, env)
}

// ParseEvent is Parse with the event that the command names, for a client whose
// payload does not.
func ParseEvent(h Host, eventName string, r io.Reader, env func(string) string) (Payload, error) {
	row := h.host()
	if row == nil {
		_, _ = io.Copy(io.Discard, r)
		return Payload{}, fmt.Errorf("unknown client %q: use one of %q", h, Hosts())
	}
	f := newFields()
	if err := scanObject(r, f.want); err != nil {
		return Payload{}, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	p := Payload{
		Host:           h,
		EventName:      f.event.word(),
		SessionID:      f.session.id(),
		CWD:            f.cwd.word(),
		TranscriptPath: f.transcript.word(),
		AgentID:        f.agent.id(),
		Reason:         f.reason.word(),
	}
	switch {
	case f.session.seen > 1:
		return Payload{}, fmt.Errorf("%w: two session ids", ErrPayload)
	case p.SessionID == "":
		return Payload{}, fmt.Errorf("%w: no session id", ErrPayload)
	case h == Claude && f.timestamp.seen > 0 && env("COPILOT_CLI") != "":
		// Copilot runs the hooks of a repository's Claude settings with a
		// payload much like Claude's, and drops most of the answer.
		return Payload{}, fmt.Errorf("%w: of another client", ErrPayload)
	}
	if row.nameless && f.event.seen == 0 {
		p.EventName = eventName
	}
	e := row.event(p.EventName)
	if e.trigger != "" && f.trigger.word() != e.trigger {
		e.kind = turn.Other
	}
	p.Event = f.neutral(row, e.kind)
	p.Event.Deaf = e.kind == turn.SessionStart && slices.Contains(e.deaf, p.Event.Source)
	if row.summary != nil && (e.kind == turn.SessionStart || e.kind == turn.Prompt) && !p.Event.Child {
		p.Event.Summary = row.summary(p.TranscriptPath)
	}
	// What a prompt finds is remembered for the stop, when the record of the
	// turn can be far from the end of the transcript.
	if e := &p.Event; (e.Kind == turn.Prompt || e.Kind == turn.Stop && !e.StopActive) && !e.Child {
		e.Unattended = row.unattended(&p, f, env)
	}
	return p, nil
}

// neutral is the event without what only the caller knows.
func (f *fields) neutral(row *host, kind turn.Kind) turn.Event {
	e := turn.Event{
		Kind:  kind,
		Child: f.agent.given(),
		Turn:  row.turn(f),
		Plan:  f.mode.word() == "plan",
	}
	switch kind {
	case turn.SessionStart:
		e.Source = source(f.source.word())
	case turn.Prompt:
		e.Prompt, e.PromptHash = f.promptClass(row.wrapsHooks), f.prompt.digest()
	case turn.Stop:
		e.StopActive = f.stopActive.truthy()
		e.Background = f.background.filled()
		// A client that knows answers says null where there was none; one that
		// does not know them says nothing.
		e.EmptyAnswer = f.answer.kind == kindNull || f.answer.kind == kindString && (f.answer.blank || row.noAnswer != "" && f.answer.word() == row.noAnswer)
	}
	return e
}

func (f *fields) promptClass(wrapped bool) turn.PromptClass {
	if f.prompt.kind != kindString || f.prompt.blank {
		return turn.Empty
	}
	head := strings.TrimSpace(string(f.prompt.text))
	if wrapped {
		if head = behindHooks(head); head == "" && !f.prompt.cut {
			return turn.Empty
		}
	}
	switch {
	case strings.HasPrefix(head, notificationPrefix):
		return turn.Notification
	case strings.HasPrefix(head, BlockPrefix):
		return turn.Echo
	}
	return turn.Words
}

// behindHooks is a prompt without what hooks put in front of it.
func behindHooks(prompt string) string {
	for strings.HasPrefix(prompt, hooksOpen) {
		_, rest, closed := strings.Cut(prompt, hooksClose)
		if !closed {
			return prompt
		}
		prompt = strings.TrimSpace(rest)
	}
	return prompt
}

// source reads the reason for a session start. One that this version does not
// know starts a context like any other.
func source(name string) turn.Source {
	switch s := turn.Source(name); s {
	case turn.Resume, turn.Clear, turn.Compact, turn.Fork:
		return s
	}
	return turn.Startup
}
