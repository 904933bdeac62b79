package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatrail/hooks/turn"
)

// record writes a transcript of Gemini CLI, a line an element.
func record(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	all := append([]string{`{"sessionId":"s","kind":"main"}`}, lines...)
	if err := os.WriteFile(path, []byte(strings.Join(all, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// message is a message of a conversation, said by type.
func message(id, kind, text string) string {
	quoted, _ := json.Marshal(text) // a string always encodes
	return `{"id":"` + id + `","timestamp":"t","type":"` + kind + `","content":[{"text":` + string(quoted) + `}]}`
}

func rewrite(messages ...string) string {
	return `{"$set":{"messages":[` + strings.Join(messages, ",") + `],"lastUpdated":"t"}}`
}

func TestCompressionShowsInTheRecordOfTheConversation(t *testing.T) {
	setting := message("s", "user", "<session_context>\n{\"$set\":{\"messages\":[")
	summed := func(id string) string {
		return rewrite(setting, message("m", "user", "<state_snapshot>"), message(id, "gemini", acknowledged), message("k", "user", "kept"))
	}
	said := message("u", "user", "hello")
	far := message("f", "user", strings.Repeat("x", 3*searchBlock))
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"not compressed":               {[]string{rewrite(setting), said}, ""},
		"compressed":                   {[]string{rewrite(setting), said, summed("a"), said}, "a"},
		"compressed again":             {[]string{summed("a"), said, summed("b"), said}, "b"},
		"resumed, it keeps the name":   {[]string{summed("a"), said, summed("a"), said}, "a"},
		"far back":                     {[]string{summed("a"), far, said}, "a"},
		"the last line":                {[]string{summed("a")}, "a"},
		"rewound to before it":         {[]string{summed("a"), rewrite(setting, said), said}, ""},
		"a person says it":             {[]string{rewrite(setting, said, message("p", "user", acknowledged))}, ""},
		"quoted in a prompt":           {[]string{message("u", "user", "x\n"+summed("a"))}, ""},
		"the model says it much later": {[]string{rewrite(setting, said, said, said, message("p", "gemini", acknowledged))}, ""},
		"a long summary":               {[]string{rewrite(setting, message("m", "user", strings.Repeat("x", 3*searchBlock)), message("a", "gemini", acknowledged))}, "a"},
		"an odd name":                  {[]string{rewrite(setting, message(strings.Repeat("a", 999), "gemini", acknowledged))}, ""},
		"cut off":                      {[]string{summed("a")[:80]}, ""},
		"other shapes":                 {[]string{`{"$set":{"messages":[1,"x",null]}}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := geminiSummary(record(t, c.lines...)); got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
	for _, path := range []string{"", t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if got := geminiSummary(path); got != "" {
			t.Errorf("%q: %q", path, got)
		}
	}
}

// Three compressions and four restarts of the client, as it wrote them down.
func TestCompressionsOfTheRealClientShow(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(captured, "records", "gemini-0.61.0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	path := filepath.Join(t.TempDir(), "record")
	for i := range lines {
		if err := os.WriteFile(path, []byte(strings.Join(lines[:i+1], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		if name := geminiSummary(path); len(names) == 0 || name != names[len(names)-1] {
			names = append(names, name)
		}
	}
	if len(names) != 4 || names[0] != "" || slices.Contains(names[1:], "") {
		t.Errorf("%q", names)
	}
}

func TestRewritingIsFoundAcrossTheBorderOfABlock(t *testing.T) {
	begin := `{"$set":{"messages":[` + message("a", "gemini", acknowledged) + `]}}`
	for shift := range len(rewriting) + 2 {
		fill := `{"x":"` + strings.Repeat("y", searchBlock-len(begin)-len(`{"x":""}`)-2+len(begin)-shift) + `"}`
		if got := geminiSummary(record(t, begin, fill)); got != "a" {
			t.Errorf("%d: %q", shift, got)
		}
	}
}

func TestPromptSaysWhichSummaryItsContextGoesOnFrom(t *testing.T) {
	path, _ := json.Marshal(record(t, rewrite(message("a", "gemini", acknowledged))))
	for event, want := range map[string]string{"SessionStart": "a", "BeforeAgent": "a", "AfterAgent": "", "SessionEnd": ""} {
		p := parse(t, Gemini, `{"session_id":"s","hook_event_name":"`+event+`","prompt":"x","transcript_path":`+string(path)+`}`)
		if p.Event.Summary != want {
			t.Errorf("%s: %q", event, p.Event.Summary)
		}
	}
	p := parse(t, Claude, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"x","transcript_path":`+string(path)+`}`)
	if p.Event.Summary != "" {
		t.Errorf("%+v", p.Event)
	}
}

func FuzzRecordOfAnyKindIsRead(f *testing.F) {
	f.Add([]byte(rewrite(message("a", "gemini", acknowledged))))
	f.Add([]byte(`{"$set":{"messages":[{"id":1},[],{"content":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := geminiSummary(record(t, string(data))); len(got) > keepKey {
			t.Errorf("%q", got)
		}
	})
}

func TestPromptIsToldBehindWhatHooksPutInFront(t *testing.T) {
	for prompt, want := range map[string]turn.PromptClass{
		`<hook_context>said</hook_context>\n\nhello`:                                     turn.Words,
		`<hook_context>said</hook_context>\n\n` + BlockPrefix + ` Run this.`:             turn.Echo,
		`<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n` + BlockPrefix: turn.Echo,
		`<hook_context>` + strings.Repeat("x", 9000) + `</hook_context>\n` + BlockPrefix: turn.Echo,
		`<hook_context>said</hook_context>\n `:                                           turn.Empty,
		`<hook_context>said</hook_context>` + strings.Repeat(" ", keepPrompt) + `x`:      turn.Words,
		`<hook_context>never closed`:                                                     turn.Words,
		BlockPrefix + ` <hook_context>x</hook_context>`:                                  turn.Echo,
	} {
		got := parse(t, Gemini, `{"session_id":"s","hook_event_name":"BeforeAgent","prompt":"`+prompt+`"}`).Event.Prompt
		if got != want {
			t.Errorf("%.60s is %s", prompt, got)
		}
	}
	claude := parse(t, Claude, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"<hook_context></hook_context>"}`)
	if claude.Event.Prompt != turn.Words {
		t.Error("another client does not wrap")
	}
}

func TestPromptDeliveredTwiceIsToldFromTwoEqualPrompts(t *testing.T) {
	for _, at := range []string{`"2026-01-01T00:00:00.000Z"`, `1767225600000`} {
		again := func(h Host, event, timestamp string) string {
			p, err := ParseEvent(h, event, strings.NewReader(`{"session_id":"s","hook_event_name":"`+event+`","prompt":"x","timestamp":`+timestamp+`}`), noEnv)
			if err != nil {
				t.Fatal(err)
			}
			return p.Event.Turn
		}
		for h, event := range map[Host]string{Gemini: "BeforeAgent", Copilot: "userPromptSubmitted"} {
			if one := again(h, event, at); one == "" || one != again(h, event, at) || one == again(h, event, `1767225600001`) {
				t.Errorf("%s: %s is %q", h, at, one)
			}
		}
	}
	for _, none := range []string{`null`, `true`, `{}`, `""`, strings.Repeat("1", 2*keepWord)} {
		if got := parse(t, Gemini, `{"session_id":"s","hook_event_name":"BeforeAgent","prompt":"x","timestamp":`+none+`}`).Event.Turn; got != "" {
			t.Errorf("%.40s is %q", none, got)
		}
	}
}

func TestStandInForAnAnswerIsNone(t *testing.T) {
	for answer, empty := range map[string]bool{`""`: true, `"[no response text]"`: true, `null`: true, `"done"`: false} {
		p := parse(t, Gemini, `{"session_id":"s","hook_event_name":"AfterAgent","prompt_response":`+answer+`}`)
		if p.Event.EmptyAnswer != empty {
			t.Errorf("%s: %+v", answer, p.Event)
		}
	}
}
