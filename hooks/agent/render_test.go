package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"chatrail/hooks/turn"

	"pgregory.net/rapid"
)

// everyEvent lists the events of a client, those that Parse knows and others.
func everyEvent(h Host) []string {
	return append(h.Events(), "PreToolUse", "Notification", "Interrupt", "")
}

func TestWhateverIsPrintedIsAcceptedByItsClient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.Just(""), rapid.String(), rapid.StringMatching(`[{\[ ]["}a]*`), rapid.Just("\xff\xfe broken"),
			rapid.Map(rapid.IntRange(0, 20_000), func(n int) string { return strings.Repeat("x", n) }),
			rapid.Map(rapid.IntRange(0, 20_000), func(n int) string { return strings.Repeat("ü😀", n/4) }),
			rapid.Map(rapid.IntRange(0, 20_000), func(n int) string { return strings.Repeat("\x01\"\\\n", n) }),
		)
		w := Words{Context: text.Draw(t, "context"), Block: text.Draw(t, "block"), UserNote: text.Draw(t, "note")}
		for _, h := range append(Hosts(), "unknown") {
			for _, e := range everyEvent(h) {
				if err := Accepts(h, e, Render(h, e, w)); err != nil {
					t.Fatalf("%s %s: %v\n%.300q", h, e, err, Render(h, e, w))
				}
			}
		}
	})
}

func TestEachEventPrintsWhatItsClientCarries(t *testing.T) {
	w := Words{Context: "c", Block: "b", UserNote: "n"}
	context := func(event string) string {
		return `{"systemMessage":"n","hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"c"}}` + "\n"
	}
	// A tag that a client adds does not end up on the line of a command.
	ended := func(answer string) string { return strings.Replace(answer, `"c"`, `"c\n"`, 1) }
	// Where nothing else reaches the person, the note follows the context.
	const bare = `{"additionalContext":"c"}` + "\n"
	const top = `{"additionalContext":"c\n\nn"}` + "\n"
	const stop = `{"decision":"block","reason":"b","systemMessage":"n"}` + "\n"
	const child = `{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"c"}}` + "\n"
	for h, events := range map[Host]map[string]string{
		Claude: {
			"SessionStart": context("SessionStart"), "UserPromptSubmit": context("UserPromptSubmit"), "PreCompact": "c\n", "PostCompact": "",
			"Stop": stop, "SubagentStart": child, "SubagentStop": "", "SessionEnd": "", "PreToolUse": "", "": "",
		},
		Codex: {
			"SessionStart": context("SessionStart"), "UserPromptSubmit": context("UserPromptSubmit"), "PreCompact": "", "PostCompact": "",
			"Stop": stop, "SubagentStart": child, "SubagentStop": "", "SessionEnd": "", "PreToolUse": "", "": "",
		},
		Gemini: {
			"SessionStart": ended(context("SessionStart")), "BeforeAgent": ended(context("BeforeAgent")), "PreCompress": "", "AfterAgent": stop, "SessionEnd": "",
			"BeforeTool": "", "Stop": "", "": "",
		},
		Copilot: {
			"sessionStart": top, "userPromptSubmitted": top, "preCompact": "", "agentStop": `{"decision":"block","reason":"b"}` + "\n",
			"subagentStart": bare, "subagentStop": "", "sessionEnd": "", "SessionStart": "", "Stop": "", "": "",
		},
		OpenCode: {
			"SessionStart": top, "Prompt": top, "PreCompact": bare, "PostCompact": "", "Stop": `{"block":"b"}` + "\n", "ChildStart": bare, "SessionEnd": "", "": "",
		},
		"unknown": {"SessionStart": "", "Stop": ""},
	} {
		for event, want := range events {
			if got := string(Render(h, event, w)); got != want {
				t.Errorf("%s %s\n got %q\nwant %q", h, event, got, want)
			}
		}
	}
}

func TestNoWordsPrintNothing(t *testing.T) {
	for _, h := range Hosts() {
		for _, e := range everyEvent(h) {
			if out := Render(h, e, Words{Context: " \n", UserNote: "\t"}); len(out) > 0 {
				t.Errorf("%s %s: %q", h, e, out)
			}
		}
	}
}

func TestWordsArriveAsTheyWereSaid(t *testing.T) {
	for name, said := range map[string]string{
		"markup":    `<a href="x">'&'</a> \ / %`,
		"beyond":    "grün 😀 \u2028 \u200b\u0000\x7f",
		"CJK":       strings.Repeat("漢字", 1300),
		"many dots": strings.Repeat("é", 3000),
	} {
		out := Render(Claude, "SessionStart", Words{Context: said})
		var got answer
		if err := json.Unmarshal(out, &got); err != nil || got.Specific.Context != said {
			t.Errorf("%s: %v\n%.200q", name, err, out)
		}
		ascii := strings.IndexFunc(string(out), func(r rune) bool { return r >= utf8.RuneSelf }) < 0
		if small := len(said) < 1000; ascii != small {
			t.Errorf("%s: ASCII is %t", name, ascii)
		}
	}
	if out := string(Render(Codex, "Stop", Words{Block: "a < b && c > d"})); !strings.Contains(out, "a < b && c > d") {
		t.Errorf("%q", out)
	}
}

func TestTooLongWordsAreCutOnACharacterBorder(t *testing.T) {
	for shift := range utf8.UTFMax {
		said := strings.Repeat("x", shift) + strings.Repeat("😀", MaxContext)
		var got answer
		if err := json.Unmarshal(Render(Codex, "SessionStart", Words{Context: said, UserNote: said}), &got); err != nil {
			t.Fatal(err)
		}
		for most, text := range map[int]string{MaxContext: got.Specific.Context, MaxNote: got.Note} {
			if !strings.HasPrefix(said, text) || len(text) > most || len(text) <= most-utf8.UTFMax {
				t.Errorf("%d bytes of at most %d", len(text), most)
			}
		}
	}
}

func TestPlainTextCannotBeTakenForAnObject(t *testing.T) {
	for _, text := range []string{`{"decision":"block"}`, " \n[1]", "{"} {
		if out := Render(Claude, "PreCompact", Words{Context: text}); len(out) > 0 {
			t.Errorf("%q", out)
		}
	}
}

// The validator has to refuse, or the test that nothing is refused says little.
func TestValidatorRefusesWhatAClientRefusesDropsOrCuts(t *testing.T) {
	const context = `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}`
	for _, c := range []struct {
		host          Host
		event, output string
	}{
		{Claude, "SessionStart", context}, // no line feed
		{Claude, "SessionStart", context + "\n\n"},
		{Claude, "SessionStart", context + context + "\n"},
		{Claude, "SessionStart", "\n"},
		{Claude, "SessionStart", "{\n}\n"},
		{Claude, "SessionStart", "[1]\n"},
		{Claude, "SessionStart", "{\"systemMessage\":\"\xff\"}\n"},
		{Claude, "SessionStart", `{"systemMessage":"a","systemMessage":"b"}` + "\n"},
		{Claude, "SessionStart", `{"systemMessage":""}` + "\n"},
		{Claude, "SessionStart", `{"systemMessage":1}` + "\n"},
		{Claude, "SessionStart", `{"systemMessage":null}` + "\n"},
		{Claude, "SessionStart", `{"continue":"no"}` + "\n"},
		{Claude, "SessionStart", `{"additionalContext":"c"}` + "\n"},
		{Claude, "SessionStart", `{"decision":"block","reason":"r"}` + "\n"},
		{Claude, "SessionStart", `{"hookSpecificOutput":{"additionalContext":"c"}}` + "\n"},
		{Claude, "SessionStart", `{"hookSpecificOutput":"c"}` + "\n"},
		{Claude, "SessionStart", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"` + strings.Repeat("x", 10_000) + `"}}` + "\n"},
		{Claude, "SessionStart", `{"systemMessage":"a"`[:15] + "\n"},
		{Claude, "UserPromptSubmit", context + "\n"}, // another event
		{Codex, "UserPromptSubmit", context + "\n"},
		{Codex, "SessionStart", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c","x":1}}` + "\n"},
		{Codex, "SessionStart", `{"x":1}` + "\n"},
		{Codex, "SessionStart", strings.Repeat("x", 10_000) + "\n"},
		{Codex, "Stop", `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}` + "\n"},
		{Claude, "Stop", `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}` + "\n"},
		{Codex, "Stop", `{"decision":"block"}` + "\n"},
		{Codex, "Stop", `{"reason":"r"}` + "\n"},
		{Codex, "Stop", `{"decision":"block","reason":" "}` + "\n"},
		{Codex, "Stop", `{"decision":"approve","reason":"r"}` + "\n"},
		{Codex, "Stop", "text\n"},
		{Claude, "PreCompact", `{"systemMessage":"a"}` + "\n"},
		{Codex, "PreCompact", `{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"c"}}` + "\n"},
		{Codex, "PreCompact", "text\n"},
		{Claude, "PostCompact", `{"systemMessage":"a"}` + "\n"},
		{Claude, "SubagentStart", "text\n"},
		{Claude, "SessionEnd", `{"systemMessage":"a"}` + "\n"},
		{Codex, "SessionEnd", "text\n"},
		{Gemini, "SessionStart", `{"additionalContext":"c"}` + "\n"},
		{Gemini, "SessionStart", "text\n"},
		{Gemini, "BeforeAgent", "text\n"},
		{Gemini, "AfterAgent", `{"hookSpecificOutput":{"hookEventName":"AfterAgent","additionalContext":"c"}}` + "\n"},
		{Gemini, "PreCompress", "text\n"},
		{Gemini, "PreCompress", `{"decision":"block","reason":"r"}` + "\n"},
		{Gemini, "SessionEnd", `{"systemMessage":"a"}` + "\n"},
		{Gemini, "BeforeAgent", `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"` + strings.Repeat("x", 60_001) + `"}}` + "\n"},
		{Copilot, "sessionStart", context + "\n"},
		{Copilot, "sessionStart", "text\n"},
		{Copilot, "userPromptSubmitted", `{"systemMessage":"a"}` + "\n"},
		{Copilot, "userPromptSubmitted", `{"additionalContext":" "}` + "\n"},
		{Copilot, "agentStop", `{"additionalContext":"c"}` + "\n"},
		{Copilot, "agentStop", `{"decision":"block"}` + "\n"},
		{Copilot, "preCompact", `{"additionalContext":"c"}` + "\n"},
		{Copilot, "sessionEnd", "text\n"},
		{Copilot, "Stop", `{"decision":"block","reason":"r"}` + "\n"},
		{OpenCode, "Stop", `{"decision":"block","reason":"r"}` + "\n"},
		{OpenCode, "Stop", `{"block":""}` + "\n"},
		{OpenCode, "Prompt", `{"block":"b"}` + "\n"},
		{OpenCode, "Prompt", context + "\n"},
		{OpenCode, "PostCompact", `{"additionalContext":"c"}` + "\n"},
		{"unknown", "SessionStart", context + "\n"},
	} {
		if Accepts(c.host, c.event, []byte(c.output)) == nil {
			t.Errorf("%s %s takes %.100q", c.host, c.event, c.output)
		}
	}
}

func TestReducedPayloadIsThePayload(t *testing.T) {
	for h, m := range meanings {
		for name := range m.events {
			p, _ := captures(t, h, name)
			back, err := ParseReduced(Reduce(p))
			if err != nil || back != p {
				t.Errorf("%s %s: %v\n%+v\n%+v", h, name, err, p, back)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := Payload{
			Host: Codex, EventName: rapid.String().Draw(t, "name"), SessionID: "s" + rapid.String().Draw(t, "session"),
			CWD: rapid.String().Draw(t, "cwd"), AgentID: rapid.String().Draw(t, "agent"),
			Event: turn.Event{Kind: turn.Stop, Child: rapid.Bool().Draw(t, "child"), Turn: rapid.String().Draw(t, "turn"), Unattended: rapid.Bool().Draw(t, "unattended")},
		}
		if back, err := ParseReduced(Reduce(p)); err != nil || back != p {
			t.Fatalf("%v\n%+v\n%+v", err, p, back)
		}
	})
}

func TestReducedPayloadIsReadStrictly(t *testing.T) {
	good := string(Reduce(Payload{Host: Claude, SessionID: "s"}))
	for _, data := range []string{
		"", "null", "[]", good + "x", good + good, good[:len(good)-1], `{"host":"claude","session_id":"s","x":1}`,
		`{"host":"claude","session_id":""}`, `{"host":"emacs","session_id":"s"}`, `{"session_id":"s"}`,
	} {
		if p, err := ParseReduced([]byte(data)); err == nil || p != (Payload{}) {
			t.Errorf("%q: %+v, %v", data, p, err)
		}
	}
}
