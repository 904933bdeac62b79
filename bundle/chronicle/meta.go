package chronicle

import (
	"strconv"
	"strings"

	"chatrail/bundle"
)

// Meta is what front matter says, of an entry or of a work item. A key that a
// note does not have is the zero value.
type Meta struct {
	Title   string   `json:"title"`
	Date    string   `json:"date,omitempty"` // YYYY-MM-DD
	Time    string   `json:"time,omitempty"` // 15:04:05Z, or with an offset
	Tags    []string `json:"tags,omitempty"`
	Summary string   `json:"summary,omitempty"`
	Task    string   `json:"task,omitempty"` // short key of the task that opened it

	// Of an entry.
	Hashes   []string `json:"hashes,omitempty"` // commits that publish it; keys hash, hashes
	Stat     Stat     `json:"stat,omitzero"`
	Closes   []string `json:"closes,omitempty"`   // work items that it finishes
	Advances []string `json:"advances,omitempty"` // work items that it moves

	// Of a work item.
	Status   Status `json:"status,omitempty"`
	By       string `json:"by,omitempty"`        // who brought it to its status, as of Who
	Moved    string `json:"moved,omitempty"`     // RFC 3339: when it came to its status
	Spec     string `json:"spec,omitempty"`      // a note, or a path in the repository
	Effort   string `json:"effort,omitempty"`    // in the words of whoever wrote it
	ClosedBy string `json:"closed_by,omitempty"` // what finished it, or why it was cut
}

// Stat is the size of commits: files touched, lines added and deleted.
type Stat struct {
	Files   int `json:"f"`
	Added   int `json:"a"`
	Deleted int `json:"d"`
}

// keys are the keys of front matter, in the order in which a new note has them.
var keys = [...]string{
	"title", "date", "time", "status", "by", "moved", "spec", "effort", "tags", "summary", "task",
	"hash", "hashes", "stat", "closes", "advances", "closed_by",
}

// Published tells whether a commit has been stamped on an entry. An entry that
// is not published is a draft.
func (m *Meta) Published() bool { return len(m.Hashes) > 0 }

// text is the field of a key that holds one string, nil for any other key.
func (m *Meta) text(key string) *string {
	switch key {
	case "title":
		return &m.Title
	case "date":
		return &m.Date
	case "time":
		return &m.Time
	case "summary":
		return &m.Summary
	case "task":
		return &m.Task
	case "status":
		return (*string)(&m.Status)
	case "by":
		return &m.By
	case "moved":
		return &m.Moved
	case "spec":
		return &m.Spec
	case "effort":
		return &m.Effort
	case "closed_by":
		return &m.ClosedBy
	}
	return nil
}

// texts is the field of a key that holds a list, nil for any other key.
func (m *Meta) texts(key string) *[]string {
	switch key {
	case "tags":
		return &m.Tags
	case "hash", "hashes":
		return &m.Hashes
	case "closes":
		return &m.Closes
	case "advances":
		return &m.Advances
	}
	return nil
}

// metaOf reads fields, passing over what makes no sense.
func metaOf(fields []field) (m Meta, problems []Problem) {
	for _, f := range fields {
		if rule := m.set(f.key, f.value); rule != "" {
			problems = append(problems, Problem{Line: f.line, Text: f.key + " " + rule})
		}
	}
	if rule := m.momentRule(); rule != "" {
		line := headLine
		for _, f := range fields {
			if f.key == "date" {
				line = f.line
			}
		}
		problems = append(problems, Problem{Line: line, Text: rule})
	}
	return m, problems
}

// set reads the value of one key and returns the rule that it breaks. Keys that
// are not ours hold anything.
func (m *Meta) set(key string, v value) (rule string) {
	if v.kind == empty {
		return ""
	}
	if into := m.text(key); into != nil {
		if v.kind != scalar {
			return "must be one text"
		}
		*into = v.text
		if key == "status" && !m.Status.known() {
			return "is " + strconv.Quote(bundle.OneLine(v.text, 40)) + ", which is none of " + statusNames
		}
		return ""
	}
	if into := m.texts(key); into != nil {
		switch v.kind {
		case list:
			*into = append(*into, v.list...)
		case scalar:
			*into = append(*into, listed(v.text)...)
		default:
			return "must be a list of texts"
		}
		return ""
	}
	if key == "stat" {
		return m.Stat.set(v)
	}
	return ""
}

// listed reads a list that somebody wrote as one text with commas.
func listed(text string) (items []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func (s *Stat) set(v value) (rule string) {
	const shape = "must be {f: files, a: lines added, d: lines deleted}"
	if v.kind != mapping {
		return shape
	}
	for i, key := range v.keys {
		n, err := strconv.Atoi(v.list[i])
		if err != nil || n < 0 {
			return shape
		}
		switch key {
		case "f":
			s.Files = n
		case "a":
			s.Added = n
		case "d":
			s.Deleted = n
		}
	}
	return ""
}

// value is what a key holds in writing.
func (m *Meta) value(key string) value {
	if s := m.text(key); s != nil && *s != "" {
		return value{kind: scalar, text: *s}
	}
	switch items := m.texts(key); {
	case items == nil || len(*items) == 0:
	case key == "hash" && len(*items) == 1:
		return value{kind: scalar, text: (*items)[0]}
	case key != "hash":
		return value{kind: list, list: *items}
	}
	if key == "stat" && (m.Stat != Stat{} || m.Published()) {
		return value{kind: mapping, keys: []string{"f", "a", "d"},
			list: []string{strconv.Itoa(m.Stat.Files), strconv.Itoa(m.Stat.Added), strconv.Itoa(m.Stat.Deleted)}}
	}
	return value{}
}
