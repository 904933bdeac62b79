package chronicle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Checkpoint is what can be derived at the moment a context is about to be
// lost. A caller fills in what it knows; what is empty is left out of the
// block, and is an empty list or text in JSON.
type Checkpoint struct {
	North     string       `json:"north"`
	Next      string       `json:"next"`      // summary of what is next on the Rail
	InFlight  []Ref        `json:"in_flight"` // work items that are doing
	Owed      []Ref        `json:"owed"`      // work items that are specced
	Draft     *Ref         `json:"draft"`     // the active draft, nil for none
	Changed   []Path       `json:"changed"`
	Commits   []Uncovered  `json:"commits"` // of this task, that nothing covers
	Memory    []Obligation `json:"memory"`
	Branch    string       `json:"branch"`            // "detached at 3f9a1c0b7d" where HEAD is on none; "" outside git
	Head      string       `json:"head"`              // commit id, "" before the first commit, or outside git
	Operation string       `json:"operation"`         // "rebase, step 2 of 5"; "" for none
	Trouble   string       `json:"trouble,omitempty"` // why the work tree could not be read, in one line

	Approximate bool `json:"approximate,omitempty"` // paths found without git
	Partial     bool `json:"partial,omitempty"`     // the deadline passed before all paths were found and read
	Unlisted    bool `json:"-"`                     // there may be changed paths that are not in the list
	// CommitsPartial says that the log of HEAD is missing or was cut: there may
	// be more commits.
	CommitsPartial bool `json:"commits_partial,omitempty"`
}

// Ref names a note.
type Ref struct {
	Title string `json:"title"`
	Path  string `json:"path"`
	By    string `json:"by,omitempty"` // who brought a work item to its status
}

// RefOf names a note of an index.
func RefOf(item Item) Ref { return Ref{Title: item.Title, Path: item.Path, By: item.By} }

// Path is one changed path of the work tree.
type Path struct {
	Path     string `json:"path"`
	State    string `json:"state"` // git's two letters, such as ".M" or "??"
	Declared bool   `json:"declared"`
	// Earlier says that the path lay changed before the task began and has not
	// changed since: it is shown, and is nothing that the task could lose.
	Earlier bool `json:"earlier,omitempty"`
	// Content is anything that differs when the content does, "" where that is
	// not known. It is only for the fingerprint.
	Content string `json:"-"`
}

// Uncovered is a commit of the task that no entry and no checkpoint accounts
// for.
type Uncovered struct {
	ID      string `json:"id"` // in full
	Subject string `json:"subject"`
}

// Obligation is a note in the agent's project memory that was not settled.
type Obligation struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// OpenLoop tells whether something would be lost with the context: work in
// flight, a path that the task changed, a commit that nothing covers, or a
// memory obligation. A path that was not looked for may be one.
func (c Checkpoint) OpenLoop() bool {
	return c.Unlisted || len(c.InFlight) > 0 || len(c.Commits) > 0 || len(c.Memory) > 0 ||
		slices.ContainsFunc(c.Changed, func(p Path) bool { return !p.Earlier })
}

// Fingerprint names the derived state, in 32 hex digits: two checkpoints with
// the same one say the same. The active draft does not count, since writing a
// checkpoint may open it, nor does how the paths were found, nor the order of
// anything. Of a list of paths that was cut nothing counts: the next look may come
// further.
func (c Checkpoint) Fingerprint() string {
	var parts []string
	add := func(kind string, fields ...string) {
		part, err := json.Marshal(append([]string{kind}, fields...))
		if err != nil {
			panic(err) // strings can always be written
		}
		parts = append(parts, string(part))
	}
	add("road", c.North, c.Next)
	add("git", c.Branch, c.Head, c.Operation)
	for _, r := range c.InFlight {
		add("doing", r.Title, r.Path, r.By)
	}
	for _, r := range c.Owed {
		add("owed", r.Title, r.Path, r.By)
	}
	for _, p := range c.Changed {
		if c.Unlisted {
			break
		}
		flags := ""
		if p.Declared {
			flags += "declared "
		}
		if p.Earlier {
			flags += "earlier"
		}
		add("changed", hex.EncodeToString([]byte(p.Path)), p.State, flags, p.Content)
	}
	for _, u := range c.Commits {
		add("commit", u.ID)
	}
	for _, o := range c.Memory {
		add("memory", o.Name, o.Description)
	}
	slices.Sort(parts)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:16])
}

// MarshalJSON writes empty lists as lists, so that every key of a checkpoint
// always has the same type. Bytes of a path that are no UTF-8 become U+FFFD.
func (c Checkpoint) MarshalJSON() ([]byte, error) {
	type plain Checkpoint // without this method
	p := plain(c)
	p.InFlight = filled(p.InFlight)
	p.Owed = filled(p.Owed)
	p.Changed = filled(p.Changed)
	p.Commits = filled(p.Commits)
	p.Memory = filled(p.Memory)
	return json.Marshal(p)
}

func filled[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
