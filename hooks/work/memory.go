package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatrail/bundle/chronicle"
	"chatrail/hooks/memory"
	"chatrail/hooks/task"
)

// Bounds of what a checkpoint says of an agent's memory: hooks have little time,
// and a list that is longer helps nobody.
const (
	mostObligations = 30
	obligationBytes = 128 << 10
)

// memory lists what the agent's own memory of a project holds and nobody
// settled, by name, and in the end how many more there are. Outside a project
// nothing is read.
func (d *Desk) memory(ctx context.Context, p task.Place) ([]chronicle.Obligation, error) {
	if p.Kind != task.KindGit && p.Kind != task.KindDir {
		return nil, nil
	}
	r, err := d.ledger(p)
	if err != nil {
		return nil, err
	}
	unsettled := func(n memory.Note) bool { return r.ledger.State(n).Open() }
	if err := d.remember(ctx, r, memory.Wanted{Note: unsettled, Most: mostObligations, Bytes: obligationBytes}); err != nil {
		return nil, err
	}
	var open []chronicle.Obligation
	for _, n := range r.Notes {
		open = append(open, chronicle.Obligation{Name: n.Name, Description: n.Description})
	}
	if len(open) > 0 && (r.More > 0 || r.Partial) { // alone it is nothing that could be settled
		more := chronicle.Obligation{Name: "more", Description: "chatrail memory status lists them"}
		if !r.Partial {
			more.Name = fmt.Sprintf("%d more", r.More)
		}
		open = append(open, more)
	}
	return open, nil
}

// keepsMemory tells whether the project memory that is read here is that of the
// task's agent. Outside a task, and where the agent is not known, it counts as
// such: what is in it concerns the project.
func keepsMemory(r task.Receipt) bool { return r.Agent == "" || r.Agent == "claude" }

// remembered is the memory of a project beside its ledger.
type remembered struct {
	memory.Listing
	folder string
	ledger memory.Ledger
	id     string // of the ledger
	broken error  // why the ledger could not be read or may not be written
}

// remembered is everything that the memory of a project holds.
func (d *Desk) remembered(ctx context.Context, p task.Place) (*remembered, error) {
	r, err := d.ledger(p)
	if err != nil {
		return nil, err
	}
	return r, d.remember(ctx, r, memory.Wanted{})
}

// ledger finds the memory of a project and what was settled of it.
func (d *Desk) ledger(p task.Place) (*remembered, error) {
	folder, err := d.memoryFolder(p)
	if err != nil {
		return nil, err
	}
	r := &remembered{folder: folder, id: memory.ID(folder)}
	data, err := d.Home.LoadMemory(r.id)
	if err != nil {
		r.broken = err // then everything is offered: better twice than never
		return r, nil
	}
	r.ledger, r.broken = memory.DecodeLedger(data)
	return r, nil
}

// remember reads the wanted notes.
func (d *Desk) remember(ctx context.Context, r *remembered, want memory.Wanted) (err error) {
	r.Listing, err = memory.Scan(ctx, r.folder, d.looksSecret, want)
	return err
}

// looksSecret tells whether a text looks like it holds a secret.
func (d *Desk) looksSecret(text string) bool {
	if d.Secret != nil {
		return d.Secret(text)
	}
	var r redactor
	r.text(text)
	return len(r.rules()) > 0
}

// memoryFolder is where Claude Code keeps the memory of the project at a place.
func (d *Desk) memoryFolder(p task.Place) (string, error) {
	user, _ := task.UserHome(d.Env) // unknown: CLAUDE_CONFIG_DIR may tell
	top := ""
	if p.Kind == task.KindGit {
		top = memory.TopOfRepo(p.WorkTree, p.Path)
	} else {
		top = memory.Top(p.WorkTree)
	}
	return memory.Folder(d.Env, user, top)
}

// MemoryNote is one note of the project's memory.
type MemoryNote struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	File        string       `json:"file"`
	State       memory.State `json:"state"`
}

// Memory is what an agent's memory of the project holds, as it is told.
type Memory struct {
	Folder  string          `json:"folder"`
	Notes   []MemoryNote    `json:"notes"`             // of type project
	Held    []memory.Passed `json:"held,omitempty"`    // look like they hold a secret
	Passed  []memory.Passed `json:"passed,omitempty"`  // could not be read
	Others  int             `json:"others,omitempty"`  // of other types
	Partial bool            `json:"partial,omitempty"` // there is more than was looked at
	Warning string          `json:"warning,omitempty"`
}

// Open are the notes that nobody settled.
func (m *Memory) Open() []MemoryNote {
	return slices.DeleteFunc(slices.Clone(m.Notes), func(n MemoryNote) bool { return !n.State.Open() })
}

// MemoryScan tells what the memory of the caller's project holds. It only reads.
func (d *Desk) MemoryScan(ctx context.Context, session string) (*Memory, error) {
	s, err := d.memoryScope(ctx, session)
	if err != nil {
		return nil, err
	}
	r, err := d.remembered(ctx, s.Place)
	if err != nil {
		return nil, err
	}
	m := &Memory{Folder: r.folder, Held: r.Held, Passed: r.Passed, Others: r.Others, Partial: r.Partial}
	m.Notes = []MemoryNote{}
	for _, n := range r.Notes {
		m.Notes = append(m.Notes, MemoryNote{Name: n.Name, Description: n.Description, File: n.File, State: r.ledger.State(n)})
	}
	switch {
	case errors.Is(r.broken, memory.ErrDamaged):
		m.Warning = "the ledger " + d.Home.MemoryPath(r.id) + " cannot be read, so all notes count as new; the next `chatrail memory resolve` keeps it aside and begins another"
	case r.broken != nil:
		m.Warning = oneLine(r.broken.Error())
	}
	return m, nil
}

// memoryScope finds the caller's project, and refuses where no memory is to be
// read for it.
func (d *Desk) memoryScope(ctx context.Context, session string) (*Scope, error) {
	s, err := d.Scope(ctx, session)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Place.Kind == task.KindPrivate:
		return nil, &RefusedError{"this task belongs to no project, so no project memory is read: `chatrail init` in the project's folder makes one"}
	case !keepsMemory(s.Receipt):
		return nil, &RefusedError{fmt.Sprintf("this is a task of %s, and only Claude Code's project memory is read: run it in another terminal", oneLine(s.Receipt.Agent))}
	}
	return s, nil
}

// MemorySettled says what resolve or ignore came to.
type MemorySettled struct {
	State memory.State `json:"state"`
	Notes []MemoryNote `json:"notes"` // with their state before
	// Aside is where a ledger that could not be read was kept.
	Aside string `json:"aside,omitempty"`
}

// MemorySettle resolves or ignores notes, by their name or file, or all that are
// not settled. It holds for their present bytes. Either all that were named are
// settled or none is.
func (d *Desk) MemorySettle(ctx context.Context, session string, names []string, all bool, state memory.State) (*MemorySettled, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if d.inChild() {
		return nil, &RefusedError{"a sub-agent reads and never writes: the main agent settles what is in the project memory"}
	}
	s, err := d.memoryScope(ctx, session)
	if err != nil {
		return nil, err
	}
	r, err := d.remembered(ctx, s.Place)
	if err != nil {
		return nil, err
	}
	notes, err := chosen(r.Listing, names)
	if err != nil {
		return nil, err
	}
	m := &MemorySettled{State: state, Notes: []MemoryNote{}}
	m.Aside, err = d.Home.EditMemory(ctx, r.id, func(old []byte) ([]byte, bool, error) {
		ledger, err := memory.DecodeLedger(old)
		damaged := errors.Is(err, memory.ErrDamaged)
		if err != nil && !damaged {
			return nil, false, err
		}
		if all {
			notes = slices.DeleteFunc(slices.Clone(r.Notes), func(n memory.Note) bool { return !ledger.State(n).Open() })
		}
		for _, n := range notes {
			m.Notes = append(m.Notes, MemoryNote{Name: n.Name, Description: n.Description, File: n.File, State: ledger.State(n)})
		}
		if !slices.ContainsFunc(m.Notes, func(n MemoryNote) bool { return n.State != state }) {
			return nil, false, nil
		}
		ledger.Folder = r.folder
		ledger.Settle(notes, state, d.Now(), task.Short(s.Key), r.Notes)
		data, err := ledger.Encode()
		return data, damaged, err
	})
	switch {
	case task.Unwritable(err):
		return nil, &RefusedError{"nothing was settled: the state home " + d.Home.Dir + " cannot be written from here; run the same line outside the sandbox"}
	case err != nil:
		return nil, err
	}
	return m, nil
}

// chosen are the notes with these names.
func chosen(l memory.Listing, names []string) ([]memory.Note, error) {
	var notes []memory.Note
	for _, name := range names {
		n, err := l.Find(name)
		if err != nil {
			return nil, &RefusedError{err.Error()}
		}
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	return notes, nil
}
