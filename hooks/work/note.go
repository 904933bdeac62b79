package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/hooks/task"
)

// Noted says what became of a change of the chronicle that was not refused.
type Noted struct {
	Outcome  Outcome `json:"outcome"`
	Do       Deed    `json:"op"`
	Path     string  `json:"path,omitempty"`
	Title    string  `json:"title,omitempty"`
	New      bool    `json:"new,omitempty"`   // the note was made by it
	Draft    bool    `json:"draft,omitempty"` // the note is an entry without a commit
	Revision string  `json:"revision,omitempty"`
	// Missing are the work items that the entry closes and that are not there.
	Missing []string `json:"missing,omitempty"`
	// Dropped is the file that the next hook will record.
	Dropped  string         `json:"dropped,omitempty"`
	Redacted map[string]int `json:"redacted,omitempty"`
}

// Unchanged says that nothing had to be written.
const Unchanged Outcome = "unchanged"

// maxText bounds the text of one block, in bytes.
const maxText = 4 << 20

// Note changes the chronicle of the caller's bundle, as one revision. Where this
// process may not write, a task's change waits in the drop box; text that a
// frozen bundle or a rule refuses is kept in the spool.
func (d *Desk) Note(ctx context.Context, n Noting, session string) (*Noted, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	var r redactor
	n.redact(&r)
	noted, err := d.noteFor(ctx, n, session, &r)
	return r.tellNoted(noted, d.keepText(n, err))
}

func (d *Desk) noteFor(ctx context.Context, n Noting, session string, r *redactor) (*Noted, error) {
	if err := d.mayNote(n, session); err != nil {
		return nil, err
	}
	s, err := d.Scope(ctx, session)
	if err != nil {
		return nil, err
	}
	d.sign(&n, s)
	n.Branch = r.text(n.Branch)
	return d.note(ctx, s, n)
}

// keepText keeps text that was refused for whatever cause and that is kept
// nowhere else: it may have come through a pipe, and be nowhere now.
func (d *Desk) keepText(n Noting, err error) error {
	var kept *SpooledError
	if err == nil || n.Text == "" || errors.As(err, &kept) || d.inChild() {
		return err
	}
	return d.spoolText(n, err)
}

// mayNote refuses who may not write here, and who might write into a draft of
// somebody else.
func (d *Desk) mayNote(n Noting, session string) error {
	if d.inChild() {
		return &RefusedError{"a sub-agent reads and never writes: the main agent keeps the chronicle"}
	}
	agent, known, ok := task.InAgent(d.Env)
	if ok && known == "" && session == "" && d.Caller == "" && n.Note == "" && (n.Do == DoAppend || n.Do == DoCheckpoint || n.Do == DoStamp) {
		return &RefusedError{"which task of " + agent + " this is cannot be told: name it with --session-id ID, or the note with --entry"}
	}
	return nil
}

// sign fills in who asks for it, when and where.
func (d *Desk) sign(n *Noting, s *Scope) {
	n.ID, n.At = uuid.NewString(), d.Now().Truncate(time.Microsecond)
	n.Task, n.Agent, n.Adopted = s.Key, s.Receipt.Agent, s.Receipt.Adopted
	if agent, _, ok := task.InAgent(d.Env); ok && n.Agent == "" {
		n.Agent = agent
	}
	n.Branch, n.Head = d.where()
	if n.Do == DoSpec {
		n.Ref = d.inProject(s.Place, n.Ref)
	}
}

// inProject is a path that is there, as the project names it; anything else as
// it was given.
func (d *Desk) inProject(p task.Place, ref string) string {
	path, heading, _ := strings.Cut(ref, "#")
	if path == "" {
		return ref
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.Dir, filepath.FromSlash(path))
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || p.WorkTree == "" {
		return ref
	}
	rel, err := filepath.Rel(p.WorkTree, real)
	if err != nil || !filepath.IsLocal(rel) {
		return ref
	}
	rel = filepath.ToSlash(rel)
	if heading != "" {
		rel += "#" + heading
	}
	return rel
}

// redact takes secrets out of everything that somebody wrote.
func (n *Noting) redact(r *redactor) {
	for _, s := range []*string{&n.Note, &n.Title, &n.Text, &n.Summary, &n.Effort, &n.Ref, &n.Branch} {
		*s = r.text(*s)
	}
	for _, list := range [][]string{n.Tags, n.Closes, n.Advances} {
		for i := range list {
			list[i] = r.text(list[i])
		}
	}
	n.Title = oneLine(n.Title)
}

// note records a noting that is signed and clean, or finds it another place.
func (d *Desk) note(ctx context.Context, s *Scope, n Noting) (*Noted, error) {
	if err := checkText(n.Text); err != nil {
		return nil, d.spoolText(n, err)
	}
	if s.Frozen != "" || s.Store == nil {
		return nil, d.spoolNoting(n, &bundle.FrozenError{Cause: s.Frozen})
	}
	noted, err := d.record(ctx, s, n)
	var unwritable *bundle.UnwritableError
	var rule *bundle.RuleError
	var refused *RefusedError
	switch {
	case errors.As(err, &refused) && n.Task != "" && task.PendingDrop(d.Env, n.Task):
		// What it is about may wait in the drop box itself.
		return d.dropNoting(ctx, s, n, err)
	case frozen(err):
		return nil, d.spoolNoting(n, err)
	case errors.Is(err, bundle.ErrBusy) && n.Text != "":
		if n.Task == "" {
			return nil, d.spoolNoting(n, &RefusedError{"somebody else is writing this bundle"})
		}
		return nil, d.spoolNoting(n, &RefusedError{"somebody else is writing this bundle, and the next ChatRail hook of this task records it"})
	case errors.As(err, &unwritable):
		return d.dropNoting(ctx, s, n, err)
	case errors.As(err, &rule) && n.Text != "":
		return nil, d.spoolText(n, err)
	}
	return noted, err
}

func checkText(text string) error {
	if len(text) > maxText {
		return &bundle.RuleError{Field: "text", Rule: fmt.Sprintf("has %d bytes; one note takes %d at a time", len(text), maxText)}
	}
	return chronicle.CheckText(text)
}

// record makes the revision.
func (d *Desk) record(ctx context.Context, s *Scope, n Noting) (*Noted, error) {
	var w written
	rev, changed, err := s.Store.Apply(ctx, func(present *bundle.Revision) (bundle.Draft, error) {
		var err error
		if w, err = d.compose(ctx, s, n, present); err != nil {
			return bundle.Draft{}, err
		}
		meta := n.meta()
		meta.Reason = bundle.OneLine(w.reason, 200)
		return bundle.Draft{State: present.State, Notes: w.notes, Meta: meta}, nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = bundle.ErrBusy
	}
	if err != nil {
		return nil, err
	}
	noted := w.noted(n)
	if !changed {
		noted.Outcome = Unchanged
		return noted, nil
	}
	noted.Outcome, noted.Revision = Recorded, rev.ID
	d.keep(ctx, &bench{place: s.Place, store: s.Store}, rev)
	return noted, nil
}

// compose is what a noting comes to on one revision.
func (d *Desk) compose(ctx context.Context, s *Scope, n Noting, present *bundle.Revision) (written, error) {
	x, err := d.index(ctx, s.Place, s.Store, present.ID)
	if err != nil {
		return written{}, err
	}
	return n.write(x, func(path string) ([]byte, error) { return s.Store.Note(ctx, present.ID, path) })
}

func (w written) noted(n Noting) *Noted {
	return &Noted{Do: n.Do, Path: w.path, Title: w.title, New: w.made, Draft: w.draft, Missing: w.missing}
}

// RefuseWords refuses words of a command line that no note and no patch can hold,
// before the grammar of the command line mends them in silence, and keeps them.
func (d *Desk) RefuseWords(words []string) error {
	for _, word := range words {
		if err := chronicle.CheckText(word); err != nil {
			var r redactor
			text := r.text(strings.Join(words, " "))
			_, err = r.tellNoted(nil, d.spoolText(Noting{Text: text}, err))
			return err
		}
	}
	return nil
}
