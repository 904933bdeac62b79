package agent

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"chatrail/hooks/turn"
)

func TestInputThatIsNoPayloadIsRefused(t *testing.T) {
	const ok = `{"session_id":"s","hook_event_name":"Stop"}`
	with := func(more string) string { return `{"session_id":"s",` + more + `}` }
	for name, input := range map[string]string{
		"empty": "", "white space": " \r\n\t", "null": "null", "array": "[" + ok + "]", "string": `"x"`, "number": "1",
		"byte order mark": "\uFEFF" + ok, "truncated": ok[:len(ok)-1], "cut in a string": `{"session_id":"s`,
		"two objects": ok + ok, "text behind": ok + "x", "NUL behind": ok + "\x00", "closed twice": ok + "}",

		"broken UTF-8":    with("\"prompt\":\"\xff\""),
		"cut UTF-8":       with("\"prompt\":\"\xc3\""),
		"overlong UTF-8":  with("\"prompt\":\"\xc0\xaf\""),
		"surrogate UTF-8": with("\"prompt\":\"\xed\xa0\x80\""),
		"in a key":        with("\"\xff\":1"),
		"deep down":       with("\"x\":[\"\xff\"]"),

		"lone high surrogate":         with(`"prompt":"\ud83d"`),
		"lone low surrogate":          with(`"prompt":"\ude00"`),
		"high surrogate, then text":   with(`"prompt":"\ud83dxxxxxx"`),
		"high surrogate, then escape": with(`"prompt":"\ud83d\nxxxx"`),
		"high surrogate, then letter": with(`"prompt":"\ud83d\u0041"`),
		"two high surrogates":         with(`"prompt":"\ud83d\ud83d"`),
		"surrogate deep down":         with(`"x":{"y":"\ud800"}`),
		"surrogate at the end":        `{"session_id":"s","prompt":"\ud83d`,

		"bad escape": with(`"x":"\x"`), "bad hex": with(`"x":"\u00g0"`), "raw line feed": with("\"x\":\"\n\""),
		"leading zero": with(`"x":01`), "bare minus": with(`"x":-`), "plus": with(`"x":+1`), "point": with(`"x":1.`),
		"exponent": with(`"x":1e`), "NaN": with(`"x":NaN`), "word": with(`"x":trux`), "long word": with(`"x":nullx`), "cut word": `{"session_id":"s","x":tru`,
		"trailing comma": `{"session_id":"s",}`, "trailing comma in array": with(`"x":[1,]`), "leading comma": `{,"session_id":"s"}`,
		"missing colon": `{"session_id" "s"}`, "missing comma": `{"session_id":"s" "x":1}`, "bare key": `{session_id:"s"}`,
		"single quotes": `{'session_id':'s'}`, "comment": `{"session_id":"s"/* */}`, "wrong bracket": with(`"x":[}]`),
		"too deep": with(`"x":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)),

		"no session": `{"hook_event_name":"Stop"}`, "null session": `{"session_id":null}`, "blank session": `{"session_id":" "}`,
		"session null": `{"session_id":"null"}`, "session undefined": `{"session_id":"undefined"}`, "session number": `{"session_id":1}`,
		"session object": `{"session_id":{"session_id":"s"}}`, "session deeper": `{"x":{"session_id":"s"}}`,
		"endless session": `{"session_id":"` + longer(1) + `"}`,
		"two sessions":    `{"session_id":"a","session_id":"s"}`, "two spellings": `{"session_id":"a","sessionId":"s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, h := range Hosts() {
				if p, err := Parse(h, strings.NewReader(input), noEnv); !errors.Is(err, ErrPayload) || p != (Payload{}) {
					t.Errorf("%s: %+v, %v", h, p, err)
				}
			}
		})
	}
}

func TestPayloadMayBeWrittenInAnyLegalWay(t *testing.T) {
	for _, input := range []string{
		"{\r\n  \"session_id\": \"s\",\r\n  \"hook_event_name\": \"Stop\"\r\n}\r\n",
		" \n{ \"hook_event_name\":\"Stop\" , \"session_id\":\"s\" } \t",
		`{"session\u005fid":"\u0073","hook_event_name":"St\u006fp"}`,
		`{"hook_event_name":"SessionStart","hook_event_name":"Stop","session_id":"s"}`,
		`{"session_id":"s","x":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `,"hook_event_name":"Stop"}`,
		`{"":{"session_id":"other","hook_event_name":[]},"session_id":"s","hook_event_name":"Stop","` + longer(1) + `":-0.5e+3}`,
	} {
		for _, r := range []io.Reader{strings.NewReader(input), iotest.OneByteReader(strings.NewReader(input)), iotest.DataErrReader(strings.NewReader(input))} {
			p, err := Parse(Claude, r, noEnv)
			if err != nil || p.SessionID != "s" || p.Event.Kind != turn.Stop {
				t.Errorf("%.60q: %+v, %v", input, p, err)
			}
		}
	}
}

func TestPayloadOfCopilotUnderClaudesSettingsIsRefused(t *testing.T) {
	const payload = `{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","prompt":"hello"}`
	copilot := func(key string) string { return map[string]string{"COPILOT_CLI": "1"}[key] }
	if p, err := Parse(Claude, strings.NewReader(payload), copilot); !errors.Is(err, ErrPayload) {
		t.Errorf("%+v, %v", p, err)
	}
	parse(t, Claude, payload) // a client that only adds a timestamp is not refused
	if p, err := Parse(Claude, strings.NewReader(`{"session_id":"s"}`), copilot); err != nil {
		t.Errorf("Claude started by Copilot: %+v, %v", p, err)
	}
}

func TestUnknownClientIsRefusedByNameAndReadToTheEnd(t *testing.T) {
	r := strings.NewReader(`{"session_id":"s"}`)
	if _, err := Parse("emacs", r, noEnv); err == nil || errors.Is(err, ErrPayload) || !strings.Contains(err.Error(), "emacs") {
		t.Errorf("%v", err)
	}
	if r.Len() > 0 {
		t.Error("the input was not read to its end")
	}
}
