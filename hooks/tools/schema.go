package tools

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// instructions are given once, in place of a description at every argument of
// the same name.
const instructions = "ChatRail keeps the road of this work outside the conversation. When its hook asks for a review, `reconcile` answers it, before your final answer. " +
	"`review` is the id that the hook printed last: it says which task is meant, and writing needs it. `cwd` is your working directory, where it is not the one that the session began in."

// offer is one tool as it is listed.
type offer struct {
	name, title, description string
	writes                   bool
	required                 []string
	properties               string // of the schema, JSON
	do                       func(*call) (answer, error)
}

// offers are all the tools, those that only read first.
var offers = []offer{
	{
		name: "orientation", title: "Orientation", do: orient,
		description: "Where the work stands and points (Compass), and the agreed road with the ids of its items (Rail).",
		properties: `{"view":{"type":"string","enum":["lines","full","status"],"default":"lines","description":"lines: North, now, drift, return path. full: Compass and Rail. status: bundle, task, open review"},
			"at":{"type":"string","description":"revision"},"review":{"type":"string"},"cwd":{"type":"string"}}`,
	},
	{
		name: "history", title: "History of the road", do: history,
		description: "The revisions, newest first: who, when, why, what changed.",
		properties: `{"limit":{"type":"integer","minimum":1,"maximum":200,"default":10},
			"at":{"type":"string","description":"from this revision down"},"review":{"type":"string"},"cwd":{"type":"string"}}`,
	},
	{
		name: "notes", title: "Read the chronicle", do: notes,
		description: "List entries or work items of the chronicle, or read a note.",
		properties: `{"what":{"type":"string","enum":["entries","work_items","note"],"default":"entries"},
			"note":{"type":"string","description":"path or name; your active draft unless given"},
			"tag":{"type":"string"},"status":{"type":"string","enum":["todo","specced","doing","done","cut"]},
			"limit":{"type":"integer","minimum":1,"maximum":500,"default":30},"at":{"type":"string","description":"revision"},
			"review":{"type":"string"},"cwd":{"type":"string"}}`,
	},
	{
		name: "reconcile", title: "Answer a review", writes: true, required: []string{"review"}, do: reconcile,
		description: "Answer the review of a turn. `review` alone: nothing changed. A change needs `reason`. Meaning changes with a real completion, failure, blocker, discovery, drift or a change of North, next or route; effort and discussion are none.",
		properties: `{"review":{"type":"string"},"reason":{"type":"string","description":"why, in one line"},
			"done":{"type":"boolean","description":"next is finished, the head of the route follows"},
			"next":{"type":"string","description":"this is next"},"north":{"type":"string"},
			"now":{"type":"string","description":"where the work stands"},"drift":{"type":"string"},"return":{"type":"string","description":"the move back to North"},
			"heading":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2,"description":"[east,north], tens, |x|+|y|=100; [0,100] is straight to North"},
			"open":{"type":"array","items":{"type":"string"},"description":"questions that opened"},
			"answer":{"type":"array","items":{"type":"string"},"description":"ids of open items that are settled"},
			"park":{"type":"array","items":{"type":"string"},"description":"ids"},"resume":{"type":"array","items":{"type":"string"},"description":"ids"},
			"compass":{"type":"object","description":"patch: fields with their whole new value"},"rail":{"type":"object","description":"patch"},
			"advance":{"type":"array","items":{"type":"string"},"description":"items that the changed paths are work on"},
			"close":{"type":"array","items":{"type":"string"},"description":"items that they finish"},
			"no_task":{"type":"boolean","description":"they are work on none"},"cwd":{"type":"string"}}`,
	},
	{
		name: "checkpoint", title: "Checkpoint", writes: true, do: checkpoint,
		description: "Write down what a cleared context would lose (changed paths, work in flight, commits), and under it the prose that only you know.",
		properties: `{"text":{"type":"string","description":"why, what failed, what is half done"},"note":{"type":"string","description":"in place of your active draft"},
			"dry_run":{"type":"boolean"},"review":{"type":"string"},"cwd":{"type":"string"}}`,
	},
	{
		name: "note", title: "Write the chronicle", writes: true, required: []string{"do"}, do: note,
		description: "new: an entry. append: text to a note. work_item: something to do. spec, start, done, cut: move a work item.",
		properties: `{"do":{"type":"string","enum":["new","append","work_item","spec","start","done","cut"]},
			"title":{"type":"string","description":"new, work_item"},"text":{"type":"string","description":"Markdown"},
			"note":{"type":"string","description":"path or name; append: your active draft unless given"},
			"summary":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
			"closes":{"type":"array","items":{"type":"string"},"description":"work items that an entry finishes"},
			"advances":{"type":"array","items":{"type":"string"}},"effort":{"type":"string"},
			"ref":{"type":"string","description":"spec: a note or path; done: what finished it; cut: why"},
			"review":{"type":"string"},"cwd":{"type":"string"}}`,
	},
}

// schema is the schema of the arguments, as it is listed.
func (o offer) schema() map[string]any {
	var properties map[string]any
	if err := json.Unmarshal([]byte(o.properties), &properties); err != nil {
		panic(o.name + ": " + err.Error()) // a test lists all of them
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if o.required != nil {
		s["required"] = o.required
	}
	return s
}

// tool is the tool as it is listed.
func (o offer) tool() *mcp.Tool {
	no := false
	a := &mcp.ToolAnnotations{ReadOnlyHint: !o.writes, OpenWorldHint: &no}
	if o.writes {
		a.DestructiveHint = &no
	}
	return &mcp.Tool{Name: o.name, Title: o.title, Description: o.description, InputSchema: o.schema(), Annotations: a}
}
