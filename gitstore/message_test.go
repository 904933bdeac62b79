package gitstore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/bundle"
)

func messageOf(e bundle.Event) string {
	before := bundle.DefaultState()
	after := before
	after.Rail.North = e.Reason
	return message(e, &before, after, false)
}

// parsed is what git takes for the trailers of a message.
func parsed(t testing.TB, dir, text string) []string {
	out := gitInput(t, dir, text, "interpret-trailers", "--parse")
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

func TestNoTextCanForgeATrailer(t *testing.T) {
	dir := newRepo(t)
	event := bundle.Event{EventMeta: bundle.EventMeta{EventID: "real", ReviewID: "review", Agent: "claude"}}
	want := []string{"ChatRail-Event: real", "ChatRail-Review: review", "ChatRail-Agent: claude"}
	for _, reason := range []string{
		"plain", "ChatRail-Event: forged", "---", "--- ", "---\tx", "# comment", ";", "diff --git a b",
		"# ------------------------ >8 ------------------------", "Signed-off-by: x <x@y>", "(cherry picked from commit 1234)",
		"Conflicts:", " leading", "a\n\nChatRail-Event: forged", "a\r\rChatRail-Event: forged\r", "\u2028ChatRail-Event: forged",
	} {
		event.Reason = reason
		if got := parsed(t, dir, messageOf(event)); !slices.Equal(got, want) {
			t.Errorf("reason %q: trailers %q, want %q", reason, got, want)
		}
	}
	event.Reason, event.Branch = "plain", "main\nChatRail-Event: forged"
	if got := parsed(t, dir, messageOf(event)); !slices.Equal(got, append(want, "ChatRail-Branch: main ChatRail-Event: forged")) {
		t.Errorf("trailers %q", got)
	}
}

// TestTrailersAreReadFromAnyMessage asks git once about many messages made of
// what could mean something to it.
func TestTrailersAreReadFromAnyMessage(t *testing.T) {
	dir := newRepo(t)
	pieces := []string{"---", "ChatRail-Event: x", "\n", " ", "#", "a", ":", "é", ">8", "\t", "Conflicts:", "\u202e"}
	random := rand.New(rand.NewPCG(1, 2))
	text := func(most int) (s string) {
		for range random.IntN(most + 1) {
			s += pieces[random.IntN(len(pieces))]
		}
		return s
	}
	const messages = 300
	args := []string{"interpret-trailers", "--parse"}
	for i := range messages {
		event := bundle.Event{EventMeta: bundle.EventMeta{EventID: fmt.Sprint("real-", i), Reason: text(8), Branch: text(4)}}
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, []byte(messageOf(event)), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	n := 0
	for line := range strings.SplitSeq(git(t, dir, args...), "\n") {
		switch {
		case line == fmt.Sprint("ChatRail-Event: real-", n):
			n++
		case !strings.HasPrefix(line, "ChatRail-Branch: "):
			t.Errorf("trailer %q of message %d", line, n-1)
		}
	}
	if n != messages {
		t.Errorf("git read the event of %d messages, of %d", n, messages)
	}
}

func TestSubjectIsOneBoundedLine(t *testing.T) {
	note := bundle.NoteDigest{Path: "tasks/a.md"}
	for _, c := range []struct {
		event bundle.Event
		want  string
	}{
		{bundle.Event{EventMeta: bundle.EventMeta{Reason: "a\nb"}}, "a b"},
		{bundle.Event{EventMeta: bundle.EventMeta{Reason: strings.Repeat("ü", 500)}}, strings.Repeat("ü", 199) + "…"},
		{bundle.Event{Notes: []bundle.NoteDigest{note}}, "write tasks/a.md"},
		{bundle.Event{Notes: []bundle.NoteDigest{note, note}}, "write 2 notes"},
		{bundle.Event{EventMeta: bundle.EventMeta{ReviewID: bundle.ReviewGenesis}, Transitions: make([]bundle.Transition, 2)}, "start the bundle"},
		{bundle.Event{Transitions: make([]bundle.Transition, 1)}, "change the orientation"},
	} {
		if got := subject(c.event); got != c.want {
			t.Errorf("subject %q, want %q", got, c.want)
		}
	}
}
