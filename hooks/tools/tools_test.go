package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

func (s heard) is(t *testing.T, want any) {
	t.Helper()
	data, err := marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var sorted any
	if err := json.Unmarshal(data, &sorted); err != nil {
		t.Fatal(err)
	}
	data, _ = json.Marshal(sorted)
	got, _ := json.Marshal(s.value)
	if string(got) != string(data) {
		t.Errorf("the tool says\n%s\nand the core\n%s", got, data)
	}
}

func TestAReviewOfAHookIsAnsweredThroughTheTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	c := w.connect(w.options(), nil)
	s := c.do("reconcile", args{"review": review, "reason": "The goal is agreed", "north": "Stream the import", "next": "Read in chunks",
		"heading": []int{30, 70}, "open": []string{"How large is a chunk?"}})
	if s.value["outcome"] != "recorded" || !strings.HasPrefix(s.text, "Recorded as ") {
		t.Fatalf("%s\n%s", s.text, s.raw)
	}
	s = c.do("orientation", nil)
	if s.value["north"] != "Stream the import" || !strings.HasPrefix(s.text, "North: Stream the import\nNow: 70% north, 30% east") {
		t.Errorf("%s\n%s", s.text, s.raw)
	}
	rail := c.do("orientation", args{"view": "full"}).value["rail"].(map[string]any)
	if rail["next"].(map[string]any)["summary"] != "Read in chunks" {
		t.Error(rail)
	}
	// Twice is once, as with the command.
	again := c.do("reconcile", args{"review": review, "reason": "The goal is agreed", "north": "Stream the import"})
	if again.value["outcome"] != "repeated" {
		t.Errorf("%s", again.raw)
	}
	if s := c.do("history", args{"limit": 1}); !strings.Contains(s.text, "The goal is agreed") || len(s.value["revisions"].([]any)) != 1 {
		t.Errorf("%s\n%s", s.text, s.raw)
	}
	review = w.prompt("one")
	if s := c.do("reconcile", args{"review": review}); s.value["outcome"] != "no change" {
		t.Errorf("%s", s.raw)
	}
}

func TestAStaleAnswerShowsThePresentStateAndCanBeGivenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.prompt("one"), w.prompt("two")
	c := w.connect(w.options(), nil)
	c.do("reconcile", args{"review": two, "reason": "First", "north": "Theirs"})
	s := c.call("reconcile", args{"review": one, "reason": "Second", "north": "Mine"})
	if !s.failed || s.value["outcome"] != "stale" || !strings.Contains(s.text, "Present state:\nNorth: Theirs") || strings.HasPrefix(s.text, "\n") {
		t.Fatalf("%s\n%s", s.text, s.raw)
	}
	if s := c.do("reconcile", args{"review": one, "reason": "Second", "north": "Both"}); s.value["outcome"] != "recorded" {
		t.Errorf("%s", s.raw)
	}
}

func TestWhatIsWrongWithACallIsOneLineForTheAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	c := w.connect(w.options(), nil)
	for _, tt := range []struct {
		tool string
		args args
		want string
	}{
		{"reconcile", args{"review": "3f9a1c0b7d2e.k7q2m9x4", "reason": "x", "north": "y"}, `unknown review "3f9a1c0b7d2e.k7q2m9x4": use the line that the hook printed last`},
		{"reconcile", args{}, "needs the review's id"},
		{"reconcile", args{"review": review, "north": "x"}, "a change needs `reason`"},
		{"reconcile", args{"review": review, "reason": "x", "north": " "}, "`north` needs words"},
		{"reconcile", args{"review": review, "reason": "x", "heading": []int{1}}, "heading has two numbers"},
		{"reconcile", args{"review": review, "reason": "x", "heading": []int{15, 85}}, "heading"},
		{"reconcile", args{"review": review, "reason": "x", "rail": args{"nrth": "x"}}, "nrth"},
		{"reconcile", args{"review": review, "reason": "x", "done": "yes"}, "done cannot be a string"},
		{"reconcile", args{"review": review, "no_task": true, "close": []string{"x"}}, "`no_task` says that the changes are work on no item"},
		{"orientation", args{"vew": "full"}, `no argument "vew" here: there are at, cwd, review, view`},
		{"orientation", args{"view": "all"}, `view is "all": it is one of lines, full, status`},
		{"orientation", args{"at": "feedfeed"}, "no revision \"feedfeed\" here: `history` lists them"},
		{"orientation", args{"cwd": "nowhere"}, "give the absolute path of a folder"},
		{"orientation", args{"review": "3f9a1c0b7d2e.k7q2m9x4"}, "unknown review"},
		{"history", args{"limit": 0}, "limit is 0: it is between 1 and 200"},
		{"notes", args{"note": "none-such"}, "none-such"},
		{"notes", args{"status": "open"}, "status is \"open\""},
		{"notes", args{"what": "note", "review": review}, "no draft is open here: name a note, `notes` shows them"},
		{"note", args{"do": "write", "review": review}, "do is \"write\""},
		{"note", args{"do": "append", "review": review}, "append needs text"},
		{"note", args{"do": "append", "text": "x", "review": review}, "no draft is open here: start one with `note` and do: new, or name a note with `note`"},
		{"note", args{"do": "start", "note": "x", "title": "y", "review": review}, "start takes no title: it takes note"},
		{"note", args{"do": "new", "title": "x"}, "give `review`"},
		{"checkpoint", args{"text": "x"}, "give `review`"},
	} {
		got := c.refused(tt.tool, tt.args)
		if !strings.Contains(got, tt.want) || strings.Contains(got, "\n") || strings.Contains(got, "--") {
			t.Errorf("%s %v: %q, not %q in one line", tt.tool, tt.args, got, tt.want)
		}
	}
}

func TestEachToolSaysWhatTheCommandSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	c := w.connect(w.options(), nil)
	c.do("reconcile", args{"review": review, "reason": "Agreed", "north": "Stream the import", "rail": args{"parked": []args{{"id": "p", "summary": "Later"}}}})
	c.do("note", args{"do": "new", "title": "Reader", "text": "It streams.", "tags": []string{"io"}, "review": review})
	c.do("note", args{"do": "work_item", "title": "Writer", "review": review})
	c.do("note", args{"do": "spec", "note": "writer", "ref": "reader", "review": review})
	c.do("note", args{"do": "start", "note": "writer", "review": review})
	c.do("note", args{"do": "append", "text": "Memory is flat.", "review": review})

	d := w.desk(w.project)
	d.Caller = task.Key("one")
	s, err := d.Scope(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	rev, _, err := s.Revision(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	c.do("orientation", args{"review": review}).is(t, work.Reorient(rev))
	c.do("orientation", args{"view": "full", "review": review}).is(t, work.Shown(rev, ""))

	var entries []work.Entry
	if err := s.History(t.Context(), "", func(e work.Entry) (bool, error) { entries = append(entries, e); return true, nil }); err != nil {
		t.Fatal(err)
	}
	c.do("history", args{"review": review}).is(t, map[string]any{"revisions": entries})

	for _, tt := range []struct {
		args args
		list work.NoteList
	}{
		{args{}, work.NoteList{}},
		{args{"tag": "io"}, work.NoteList{Tag: "io"}},
		{args{"what": "work_items"}, work.NoteList{WorkItems: true}},
		{args{"status": "doing"}, work.NoteList{WorkItems: true, Status: "doing"}},
		{args{"status": "todo"}, work.NoteList{WorkItems: true, Status: "todo"}},
	} {
		items, _, _, err := d.List(t.Context(), s, tt.list)
		if err != nil {
			t.Fatal(err)
		}
		c.do("notes", tt.args).is(t, map[string]any{"notes": items})
	}
	doc, _, err := d.Read(t.Context(), s, "", "")
	if err != nil {
		t.Fatal(err)
	}
	read := c.do("notes", args{"what": "note", "review": review})
	read.is(t, doc)
	if read.text != strings.TrimSuffix(doc.Text, "\n") || !strings.Contains(read.text, "Memory is flat.") {
		t.Errorf("%q", read.text)
	}

	st, err := d.Status(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	status := c.do("orientation", args{"view": "status", "review": review})
	if status.value["in"] != w.project || status.value["task"] != task.Short(d.Caller) {
		t.Errorf("%s", status.raw)
	}
	delete(status.value, "in")
	status.is(t, st)

	look, err := d.Checkpoint(t.Context(), work.CheckpointRequest{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	c.do("checkpoint", args{"dry_run": true, "review": review}).is(t, look)
	done := c.do("checkpoint", args{"text": "The seam is half done.", "review": review})
	if written := done.value["written"].(map[string]any); written["outcome"] != "recorded" || written["path"] != doc.Path {
		t.Errorf("%s", done.raw)
	}
}

func TestAChildReadsAndNeverWrites(t *testing.T) {
	t.Parallel()
	reading := []string{"history", "notes", "orientation"}
	says := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{Experimental: map[string]any{"chatrail": map[string]any{"child": true}}}}
	for name, tt := range map[string]struct {
		as   *mcp.ClientOptions
		turn func(*world, *Options)
	}{
		"started with --child":       {nil, func(_ *world, o *Options) { o.Child = true }},
		"CHATRAIL_CHILD":             {nil, func(w *world, _ *Options) { w.set("CHATRAIL_CHILD", "1") }},
		"a thread that is no root":   {nil, func(w *world, _ *Options) { w.set("CODEX_SESSION_ID", "one"); w.set("CODEX_THREAD_ID", "two") }},
		"an experimental capability": {says, func(*world, *Options) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.t = t
			review := w.prompt("one")
			o := w.options()
			tt.turn(w, &o)
			c := w.connect(o, tt.as)
			names := c.names()
			slices.Sort(names)
			if !slices.Equal(names, reading) {
				t.Errorf("listed: %v", names)
			}
			for tool, a := range map[string]args{
				"reconcile": {"review": review, "reason": "x", "north": "y"}, "checkpoint": {"text": "x", "review": review},
				"note": {"do": "new", "title": "x", "review": review},
			} {
				if got := c.refused(tool, a); !strings.Contains(got, "a sub-agent reads and never writes") {
					t.Errorf("%s: %s", tool, got)
				}
			}
			c.do("orientation", args{"review": review})
		})
	}
}

// Codex serves the root and its sub-agents by one server, and says with each call
// who asks.
func TestACallSaysWhoAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.prompt("one")
	c := w.connect(w.options(), nil)
	meta := func(thread string) map[string]any { return map[string]any{"sessionId": "one", "threadId": thread} }
	if got := c.refused("note", args{"do": "new", "title": "x", "_meta": meta("child")}); !strings.Contains(got, "a sub-agent reads") {
		t.Error(got)
	}
	c.do("note", args{"do": "new", "title": "Of the root", "_meta": meta("one")})
	s := c.do("notes", args{"what": "note", "_meta": meta("child")})
	if s.value["title"] != "Of the root" || s.value["task"] != task.Short(task.Key("one")) {
		t.Errorf("%s", s.raw)
	}
}

// Claude Code's server outlives /clear, with the session of its start in its
// environment, and its sub-agents call by the same server.
func TestTheSessionOfAServersStartIsNotTakenForTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set("CLAUDECODE", "1")
	w.set("CLAUDE_CODE_SESSION_ID", "one")
	c := w.connect(w.options(), nil)
	c.do("note", args{"do": "new", "title": "Without hooks"})
	one := w.prompt("one")
	for tool, a := range map[string]args{"note": {"do": "new", "title": "Of a sub-agent"}, "checkpoint": {"text": "x"}} {
		if got := c.refused(tool, a); !strings.Contains(got, "give `review`") {
			t.Error(got)
		}
	}
	c.do("note", args{"do": "new", "title": "Before", "review": one})
	if s := c.do("notes", args{"what": "note"}); s.value["title"] != "Before" {
		t.Errorf("%s", s.raw)
	}
	time.Sleep(2 * time.Millisecond) // the clock of reviews
	two := w.prompt("two")
	if got := c.refused("checkpoint", args{"text": "x"}); !strings.Contains(got, "give `review`") {
		t.Error(got)
	}
	c.do("note", args{"do": "new", "title": "After", "review": two})
	s := c.do("notes", args{"what": "note", "review": two})
	if s.value["title"] != "After" || s.value["task"] != task.Short(task.Key("two")) {
		t.Errorf("%s", s.raw)
	}
	if s := c.do("orientation", args{"view": "status"}); s.value["task"] != nil {
		t.Errorf("the cleared session is taken for the one that asks: %s", s.raw)
	}
}

// Row 36 of what went wrong elsewhere: the server was started in the main checkout
// while the agent works in a linked work tree.
func TestTheFolderOfTheAgentWinsOverThatOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tree := filepath.Join(w.root, "home", "tree")
	w.git("worktree", "add", "-q", "-b", "side", tree)
	if err := os.WriteFile(filepath.Join(tree, "new.txt"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := w.options()
	o.Session = "one"
	look := func(c *client, a args) heard {
		t.Helper()
		a["dry_run"] = true
		s := c.do("checkpoint", a)
		if s.value["branch"] != "side" || len(s.value["changed"].([]any)) != 1 || s.value["in"] != tree+" (the server was started in "+w.project+")" {
			t.Errorf("%s", s.raw)
		}
		return s
	}
	s := look(w.connect(o, nil), args{"cwd": tree})
	if !strings.Contains(s.text, "In "+tree) {
		t.Error(s.text)
	}
	look(w.connectAt("2025-06-18", o, nil, tree), args{})
	look(w.connectAt("2025-06-18", o, nil), args{"_meta": map[string]any{"sessionId": "one", "threadId": "one",
		"x-codex-turn-metadata": map[string]any{"workspaces": map[string]any{tree: map[string]any{}}}}})

	// Where the client's folder holds the server's, nothing is to be said.
	if s := w.connectAt("2025-06-18", o, nil, w.project).do("checkpoint", args{"dry_run": true}); s.value["branch"] != "main" || s.value["in"] != nil {
		t.Errorf("%s", s.raw)
	}
	other := t.TempDir()
	if got := w.connectAt("2025-06-18", o, nil, tree, other).refused("orientation", nil); !strings.Contains(got, "give `cwd`") {
		t.Error(got)
	}
}

func TestTheResourceIsTheOrientationAndTellsWhenItMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	moved := make(chan string, 8)
	c := w.connectAt("2025-11-25", w.options(), &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { moved <- r.Params.URI },
	})
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: resource.URI}); err != nil {
		t.Fatal(err)
	}
	c.do("reconcile", args{"review": review, "reason": "Agreed", "north": "Stream <b>the</b> import"})
	select {
	case uri := <-moved:
		if uri != resource.URI {
			t.Error(uri)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was told")
	}
	text := func() string {
		t.Helper()
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resource.URI})
		if err != nil {
			t.Fatal(err)
		}
		return r.Contents[0].Text
	}
	if got := text(); !strings.HasPrefix(got, "ChatRail orientation (recorded facts, quoted): project bundle") || !strings.Contains(got, "\nNorth: Stream ‹b›the‹/b› import\n") {
		t.Error(got)
	}
	// A host attaches it by itself: words that nobody trusts are not among it.
	if _, err := w.desk(w.project).Trust(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if got := text(); strings.Contains(got, "Stream") || !strings.Contains(got, "has not trusted") {
		t.Error(got)
	}
}

func TestASecretIsReplacedBeforeItIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	c := w.connect(w.options(), nil)
	secret := "ghp_" + "x7Kq2LmNp9RsTuVw3XyZa4BcDe5FgHi6JkL8"
	s := c.do("note", args{"do": "new", "title": "Access", "text": "The token is " + secret, "review": review})
	if !strings.Contains(s.text, "1 secret was replaced") {
		t.Error(s.text)
	}
	if s := c.do("notes", args{"note": "access"}); strings.Contains(s.text, secret) || !strings.Contains(s.text, "[redacted:") {
		t.Error(s.text)
	}
	if got := c.refused("note", args{"do": secret, "review": review}); strings.Contains(got, secret) {
		t.Error(got)
	}
}

// Whoever has these tools pays for the list in every context.
func TestTheListOfToolsStaysSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.options(), nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, model := 0, len(instructions)
	for _, tool := range list.Tools {
		data, err := marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		whole += len(data)
		model += len(tool.Name) + len(tool.Description) + len(schema)
	}
	t.Logf("tools/list: %d bytes; names, descriptions, schemas and instructions: %d bytes", whole, model)
	if whole > 5600 || model > 5200 {
		t.Errorf("tools/list has %d bytes, and what a model is given of it %d", whole, model)
	}
}

func TestALongNoteIsCutWithTheCommandThatShowsItAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	review := w.prompt("one")
	c := w.connect(w.options(), nil)
	c.do("note", args{"do": "new", "title": "Long", "text": strings.Repeat("All work and no play. ", 4000), "review": review})
	s := c.do("notes", args{"note": "long"})
	if len(s.raw) > maxDocument+4096 || !strings.Contains(s.value["cut"].(string), "`chatrail read entries/") {
		t.Errorf("%d bytes: %v", len(s.raw), s.value["cut"])
	}
	if got := c.refused("note", args{"do": "append", "note": "long", "text": strings.Repeat("x", 5<<20), "review": review}); !strings.Contains(got, "bytes; one note takes") {
		t.Error(got[:min(len(got), 300)])
	}
}
