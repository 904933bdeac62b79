package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"chatrail/hooks/turn"
)

const captured = "../../testdata/agents"

func noEnv(string) string { return "" }

func parse(t *testing.T, h Host, payload string) Payload {
	t.Helper()
	p, err := Parse(h, strings.NewReader(payload), noEnv)
	if err != nil {
		t.Fatalf("%.200s: %v", payload, err)
	}
	return p
}

// id is one of the ids in the captured payloads.
func id(n int) string { return "00000000-0000-4000-8000-00000000000" + strconv.Itoa(n) }

type meaning struct {
	folder string
	events map[string]turn.Event
}

// meanings are the captured payloads and the events they mean, without the
// hash of a prompt.
var meanings = map[Host]meaning{
	Claude: {"claude-2.1.332", map[string]turn.Event{
		"PostCompact-auto":                   {Kind: turn.PostCompact, Turn: id(2)},
		"PostCompact-manual":                 {Kind: turn.PostCompact, Turn: id(2)},
		"PostToolBatch-plain":                {Kind: turn.Other, Turn: id(2)},
		"PostToolUse-Agent":                  {Kind: turn.Other, Turn: id(3)},
		"PostToolUse-Bash":                   {Kind: turn.Other, Turn: id(2)},
		"PreCompact-auto":                    {Kind: turn.PreCompact, Turn: id(2)},
		"PreCompact-manual":                  {Kind: turn.PreCompact, Turn: id(2)},
		"PreToolUse-Agent":                   {Kind: turn.Other, Turn: id(3)},
		"PreToolUse-Bash":                    {Kind: turn.Other, Turn: id(2)},
		"SessionEnd-clear":                   {Kind: turn.SessionEnd, Turn: id(3)},
		"SessionEnd-other":                   {Kind: turn.SessionEnd, Turn: id(2)},
		"SessionEnd-prompt_input_exit":       {Kind: turn.SessionEnd, Turn: id(5)},
		"SessionStart-clear":                 {Kind: turn.SessionStart, Source: turn.Clear},
		"SessionStart-compact":               {Kind: turn.SessionStart, Source: turn.Compact, Turn: id(2)},
		"SessionStart-fork":                  {Kind: turn.SessionStart, Source: turn.Fork},
		"SessionStart-resume":                {Kind: turn.SessionStart, Source: turn.Resume},
		"SessionStart-startup":               {Kind: turn.SessionStart, Source: turn.Startup},
		"Stop-active":                        {Kind: turn.Stop, Turn: id(2), StopActive: true},
		"Stop-plain":                         {Kind: turn.Stop, Turn: id(2)},
		"SubagentStart-subagent":             {Kind: turn.ChildStart, Turn: id(3), Child: true},
		"SubagentStop-active-subagent":       {Kind: turn.ChildStop, Turn: id(3), Child: true},
		"SubagentStop-internal":              {Kind: turn.ChildStop, Turn: id(2), Child: true},
		"SubagentStop-subagent":              {Kind: turn.ChildStop, Turn: id(3), Child: true},
		"UserPromptSubmit-plain":             {Kind: turn.Prompt, Turn: id(2), Prompt: turn.Words},
		"UserPromptSubmit-task_notification": {Kind: turn.Prompt, Turn: id(2), Prompt: turn.Notification},
	}},
	Codex: {"codex-0.171.0", map[string]turn.Event{
		"PostCompact-auto":                     {Kind: turn.PostCompact, Turn: id(2)},
		"PostCompact-manual":                   {Kind: turn.PostCompact, Turn: id(2)},
		"PostToolUse-Bash":                     {Kind: turn.Other, Turn: id(2)},
		"PostToolUse-multi_agent_v1wait_agent": {Kind: turn.Other, Turn: id(3)},
		"PostToolUse-spawn_agent":              {Kind: turn.Other, Turn: id(3)},
		"PreCompact-auto":                      {Kind: turn.PreCompact, Turn: id(2)},
		"PreCompact-manual":                    {Kind: turn.PreCompact, Turn: id(2)},
		"PreToolUse-Bash":                      {Kind: turn.Other, Turn: id(2)},
		"PreToolUse-multi_agent_v1wait_agent":  {Kind: turn.Other, Turn: id(3)},
		"PreToolUse-spawn_agent":               {Kind: turn.Other, Turn: id(3)},
		"SessionEnd-other":                     {Kind: turn.SessionEnd},
		"SessionStart-clear":                   {Kind: turn.SessionStart, Source: turn.Clear},
		"SessionStart-compact":                 {Kind: turn.SessionStart, Source: turn.Compact},
		"SessionStart-fork":                    {Kind: turn.SessionStart, Source: turn.Fork},
		"SessionStart-resume":                  {Kind: turn.SessionStart, Source: turn.Resume},
		"SessionStart-startup":                 {Kind: turn.SessionStart, Source: turn.Startup},
		"Stop-active":                          {Kind: turn.Stop, Turn: id(2), StopActive: true},
		"Stop-plain":                           {Kind: turn.Stop, Turn: id(2)},
		"SubagentStart-subagent":               {Kind: turn.ChildStart, Turn: id(5), Child: true},
		"SubagentStop-active-subagent":         {Kind: turn.ChildStop, Turn: id(3), Child: true},
		"SubagentStop-subagent":                {Kind: turn.ChildStop, Turn: id(5), Child: true},
		"UserPromptSubmit-plain":               {Kind: turn.Prompt, Turn: id(2), Prompt: turn.Words},
		"UserPromptSubmit-subagent":            {Kind: turn.Prompt, Turn: id(5), Prompt: turn.Words, Child: true},
	}},
}

const stamped = "2026-01-01T00:00:00.000Z"

func init() {
	meanings[Gemini] = meaning{"gemini-0.61.0", map[string]turn.Event{
		"AfterAgent-active":            {Kind: turn.Stop, Turn: stamped, StopActive: true},
		"AfterAgent-plain":             {Kind: turn.Stop, Turn: stamped, Unattended: true},
		"AfterTool-complete_task":      {Kind: turn.Other, Turn: stamped},
		"AfterTool-invoke_agent":       {Kind: turn.Other, Turn: stamped},
		"AfterTool-run_shell_command":  {Kind: turn.Other, Turn: stamped},
		"BeforeAgent-plain":            {Kind: turn.Prompt, Turn: stamped, Prompt: turn.Words, Unattended: true},
		"BeforeTool-complete_task":     {Kind: turn.Other, Turn: stamped},
		"BeforeTool-invoke_agent":      {Kind: turn.Other, Turn: stamped},
		"BeforeTool-run_shell_command": {Kind: turn.Other, Turn: stamped},
		"PreCompress-auto":             {Kind: turn.Other, Turn: stamped},
		"PreCompress-manual":           {Kind: turn.PreCompact, Turn: stamped},
		"SessionEnd-clear":             {Kind: turn.SessionEnd, Turn: stamped},
		"SessionEnd-exit":              {Kind: turn.SessionEnd, Turn: stamped},
		"SessionStart-clear":           {Kind: turn.SessionStart, Turn: stamped, Source: turn.Clear, Deaf: true},
		"SessionStart-resume":          {Kind: turn.SessionStart, Turn: stamped, Source: turn.Resume},
		"SessionStart-startup":         {Kind: turn.SessionStart, Turn: stamped, Source: turn.Startup},
	}}
	const at = "1767225600000"
	// What comes from a file of Claude's, or from events in its spelling, is for
	// another registration.
	meanings[Copilot] = meaning{"copilot-1.0.102", map[string]turn.Event{
		"agentStop-active":                  {Kind: turn.Stop, Turn: at, StopActive: true},
		"agentStop-plain":                   {Kind: turn.Stop, Turn: at, Unattended: true},
		"agentStop-subagent":                {Kind: turn.Stop, Turn: at, Child: true},
		"claudefile-SessionEnd-complete":    {Kind: turn.Other, Turn: stamped},
		"claudefile-SessionStart-new":       {Kind: turn.Other, Turn: stamped},
		"claudefile-Stop-plain":             {Kind: turn.Other, Turn: stamped},
		"claudefile-UserPromptSubmit-plain": {Kind: turn.Other, Turn: stamped},
		"errorOccurred-plain":               {Kind: turn.Other, Turn: at},
		"pascal-SessionEnd-complete":        {Kind: turn.Other, Turn: stamped},
		"pascal-SessionStart-new":           {Kind: turn.Other, Turn: stamped},
		"pascal-Stop-plain":                 {Kind: turn.Other, Turn: stamped},
		"pascal-UserPromptSubmit-plain":     {Kind: turn.Other, Turn: stamped},
		"postToolUse-bash":                  {Kind: turn.Other, Turn: at},
		"postToolUse-task":                  {Kind: turn.Other, Turn: at},
		"preCompact-manual":                 {Kind: turn.PreCompact, Turn: at},
		"preToolUse-bash":                   {Kind: turn.Other, Turn: at},
		"preToolUse-task":                   {Kind: turn.Other, Turn: at},
		"sessionEnd-complete":               {Kind: turn.SessionEnd, Turn: at},
		"sessionEnd-error":                  {Kind: turn.SessionEnd, Turn: at},
		"sessionEnd-user_exit":              {Kind: turn.SessionEnd, Turn: at},
		"sessionStart-new":                  {Kind: turn.SessionStart, Turn: at, Source: turn.Startup},
		"sessionStart-resume":               {Kind: turn.SessionStart, Turn: at, Source: turn.Resume},
		"subagentStart-subagent":            {Kind: turn.ChildStart, Turn: at, Child: true},
		"subagentStop-active-subagent":      {Kind: turn.ChildStop, Turn: at, Child: true},
		"subagentStop-subagent":             {Kind: turn.ChildStop, Turn: at, Child: true},
		"userPromptSubmitted-plain":         {Kind: turn.Prompt, Turn: at, Prompt: turn.Words, Unattended: true},
		"userPromptSubmitted-subagent":      {Kind: turn.Prompt, Turn: at, Prompt: turn.Words, Child: true},
	}}
	const message = "msg_0000000000000001"
	// Not captured: written as docs/agents.md says that the plugin writes them.
	meanings[OpenCode] = meaning{"opencode-1.18.33", map[string]turn.Event{
		"ChildStart-subagent":  {Kind: turn.ChildStart, Child: true},
		"PostCompact-plain":    {Kind: turn.PostCompact},
		"PreCompact-plain":     {Kind: turn.PreCompact},
		"Prompt-plain":         {Kind: turn.Prompt, Turn: message, Prompt: turn.Words},
		"Prompt-run":           {Kind: turn.Prompt, Turn: message, Prompt: turn.Words, Unattended: true},
		"SessionEnd-exit":      {Kind: turn.SessionEnd},
		"SessionStart-fork":    {Kind: turn.SessionStart, Source: turn.Fork},
		"SessionStart-resume":  {Kind: turn.SessionStart, Source: turn.Resume},
		"SessionStart-startup": {Kind: turn.SessionStart, Source: turn.Startup},
		"Stop-active":          {Kind: turn.Stop, Turn: message, StopActive: true},
		"Stop-plain":           {Kind: turn.Stop, Turn: message},
		"Stop-run":             {Kind: turn.Stop, Turn: message, Unattended: true},
	}}
}

// captures parses a captured payload as its host's command would.
func captures(t *testing.T, h Host, name string) (Payload, map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(captured, meanings[h].folder, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	event, _, _ := strings.Cut(name, "-")
	p, err := ParseEvent(h, event, strings.NewReader(string(data)), noEnv)
	if err != nil {
		t.Fatalf("%s %s: %v", h, name, err)
	}
	return p, raw
}

// either is the value of a key in one of its spellings.
func either(raw map[string]any, keys ...string) string {
	for _, key := range keys {
		if text, ok := raw[key].(string); ok {
			return text
		}
	}
	return ""
}

func TestEveryCapturedPayloadMeansTheEventItIs(t *testing.T) {
	for h, m := range meanings {
		files, err := filepath.Glob(filepath.Join(captured, m.folder, "*-*.json"))
		if err != nil || len(files) != len(m.events) {
			t.Fatalf("%s: %d captured payloads, %d meanings, %v", h, len(files), len(m.events), err)
		}
		for name, want := range m.events {
			t.Run(string(h)+" "+name, func(t *testing.T) {
				p, raw := captures(t, h, name)
				if hashed := p.Event.PromptHash != ""; hashed != (want.Kind == turn.Prompt) {
					t.Errorf("prompt hash is %q", p.Event.PromptHash)
				}
				p.Event.PromptHash = ""
				if p.Event != want {
					t.Errorf("event\n got %+v\nwant %+v", p.Event, want)
				}
				event := either(raw, "hook_event_name")
				if event == "" {
					event, _, _ = strings.Cut(name, "-")
				}
				if p.Host != h || p.EventName != event || p.SessionID != either(raw, "session_id", "sessionId") || p.CWD != raw["cwd"] ||
					p.TranscriptPath != either(raw, "transcript_path", "transcriptPath") || p.AgentID != either(raw, "agent_id", "agentId") {
					t.Errorf("payload is %+v", p)
				}
			})
		}
	}
}

func TestAgentTypeAloneIsNotAChild(t *testing.T) {
	for extra, child := range map[string]bool{
		`"agent_type":"reviewer"`:        false,
		`"agent_id":"a","agent_type":""`: true,
		`"agentId":"a"`:                  true,
		`"agent_id":""`:                  false,
		`"agent_id":" "`:                 false,
		`"agent_id":null`:                false,
		`"agent_id":"null"`:              false,
		`"agent_id":"undefined"`:         false,
		`"agent_id":7`:                   true,
		`"agent_id":{}`:                  true,
		`"x":{"agent_id":"a"}`:           false,
		`"agent_id":"` + longer(1) + `"`: true,
		`"agent_id":"` + longer(0) + `"`: true,
	} {
		if got := parse(t, Claude, `{"session_id":"s","hook_event_name":"Stop",`+extra+`}`).Event.Child; got != child {
			t.Errorf("%.80s: child is %t", extra, got)
		}
	}
}

// longer is a word that is n bytes longer than what is kept of one.
func longer(n int) string { return strings.Repeat("a", keepWord+n) }

func TestCamelCaseKeysMeanTheSame(t *testing.T) {
	snake := parse(t, Claude, `{"session_id":"s","hook_event_name":"Stop","prompt_id":"p","permission_mode":"plan","transcript_path":"/t",
		"stop_hook_active":true,"last_assistant_message":" ","background_tasks":[1],"agent_id":"a","cwd":"/w"}`)
	camel := parse(t, Claude, `{"sessionId":"s","hookEventName":"Stop","promptId":"p","permissionMode":"plan","transcriptPath":"/t",
		"stopHookActive":true,"lastAssistantMessage":" ","backgroundTasks":[1],"agentId":"a","cwd":"/w"}`)
	want := turn.Event{Kind: turn.Stop, Child: true, Turn: "p", Plan: true, StopActive: true, EmptyAnswer: true, Background: true}
	if snake != camel || snake.Event != want {
		t.Errorf("\n%+v\n%+v", snake, camel)
	}
	if p := parse(t, Codex, `{"sessionId":"s","turnId":"t","promptId":"p"}`); p.Event.Turn != "t" {
		t.Errorf("turn is %q", p.Event.Turn)
	}
}

func TestIdsThatNameNothingAreAbsent(t *testing.T) {
	for _, none := range []string{`""`, `" "`, `null`, `"null"`, `"undefined"`, `3`, `"` + longer(1) + `"`} {
		if got := parse(t, Claude, `{"session_id":"s","hook_event_name":"Stop","prompt_id":`+none+`}`).Event.Turn; got != "" {
			t.Errorf("%.60s: turn is %q", none, got)
		}
	}
}

func TestUnknownSourceStartsAContextLikeAnyOther(t *testing.T) {
	for source, want := range map[string]turn.Source{`"new"`: turn.Startup, `null`: turn.Startup, `"startup"`: turn.Startup, `"compact"`: turn.Compact} {
		if got := parse(t, Claude, `{"session_id":"s","hook_event_name":"SessionStart","source":`+source+`}`).Event.Source; got != want {
			t.Errorf("%s is %s", source, got)
		}
	}
}

func TestStopTellsEmptyAnswersAndBackgroundWork(t *testing.T) {
	blanks := strings.Repeat(" ", 2*bufferSize)
	for extra, want := range map[string]turn.Event{
		``:                               {},
		`,"last_assistant_message":null`: {EmptyAnswer: true},
		`,"last_assistant_message":""`:   {EmptyAnswer: true},
		`,"last_assistant_message":"x"`:  {},
		`,"last_assistant_message":"\n\u00a0 \t"`:       {EmptyAnswer: true},
		`,"last_assistant_message":"` + blanks + `"`:    {EmptyAnswer: true},
		`,"last_assistant_message":"` + blanks + `x"`:   {},
		`,"background_tasks":[]`:                        {},
		`,"background_tasks":[ ]`:                       {},
		`,"background_tasks":null`:                      {},
		`,"background_tasks":[{"a":[]}]`:                {Background: true},
		`,"background_tasks":[[]]`:                      {Background: true},
		`,"background_tasks":[1],"session_crons":[]`:    {Background: true},
		`,"background_tasks":[],"session_crons":[{}]`:   {},
		`,"background_tasks":[1],"background_tasks":[]`: {},
		`,"stop_hook_active":false`:                     {},
		`,"stop_hook_active":null`:                      {},
		`,"stop_hook_active":"yes"`:                     {StopActive: true},
	} {
		want.Kind = turn.Stop
		if got := parse(t, Claude, `{"session_id":"s","hook_event_name":"Stop"`+extra+`}`).Event; got != want {
			t.Errorf("%.80s\n got %+v\nwant %+v", extra, got, want)
		}
	}
}

func TestPromptIsToldByHowItBegins(t *testing.T) {
	for prompt, want := range map[string]turn.PromptClass{
		`"hello"`:                              turn.Words,
		`""`:                                   turn.Empty,
		`" \n\t "`:                             turn.Empty,
		`null`:                                 turn.Empty,
		`7`:                                    turn.Empty,
		`"\n <task-notification>\nx"`:          turn.Notification,
		`"\u003ctask-notification>x"`:          turn.Notification,
		`"see <task-notification>"`:            turn.Words,
		`"` + BlockPrefix + ` Run this."`:      turn.Echo,
		`"\n` + BlockPrefix + `"`:              turn.Echo,
		`"what does ` + BlockPrefix + ` mean"`: turn.Words,
		`"` + strings.Repeat(" ", 9999) + `x"`: turn.Words,
		`"` + strings.Repeat(" ", 99999) + `"`: turn.Empty,
	} {
		if got := parse(t, Claude, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":`+prompt+`}`).Event.Prompt; got != want {
			t.Errorf("%.60s is %s", prompt, got)
		}
	}
}

func TestPromptHashDependsOnTheTextAndNotOnItsEscapes(t *testing.T) {
	hash := func(prompt string) string {
		return parse(t, Claude, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"`+prompt+`"}`).Event.PromptHash
	}
	if hash(`a\u00e9\ud83d\ude00\/`) != hash(`aé😀/`) {
		t.Error("escapes change the hash")
	}
	long := strings.Repeat("x", 2*keepPrompt)
	if hash(long+"a") == hash(long+"b") {
		t.Error("the end of a long prompt does not count")
	}
}
