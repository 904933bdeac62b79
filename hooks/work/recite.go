package work

import (
	"context"
	"fmt"

	"chatrail/hooks/task"
	"chatrail/hooks/words"
)

// Recite is the orientation of a scope as a host may put it into an agent's
// context by itself: with the line that says where it comes from, and without a
// word of a bundle that this user has not trusted.
func (d *Desk) Recite(ctx context.Context, s *Scope) (string, error) {
	v, err := d.View(ctx, s.Place)
	if err != nil {
		return "", err
	}
	if v.Tip != "" && !d.Home.Trusted(s.Place, v.Root) {
		return words.Untrusted, nil
	}
	lines := make([]words.Line, len(v.Lines))
	for i, l := range v.Lines {
		lines[i] = words.Line(l)
	}
	source := words.Source{Bundle: s.Place.Title(), When: v.When, Task: v.Task, Agent: v.Agent, Branch: v.Branch, Frozen: v.Frozen}
	return words.Join(words.MaxOrientation, words.Origin(source, d.Now(), "orientation"), lines, nil, "`chatrail show`"), nil
}

// Mark is a text that differs where the bundle of a scope does, at the cost of
// reading a reference, or the files of a folder.
func (d *Desk) Mark(s *Scope) string {
	if s.Place.Kind == task.KindGit {
		now, err := d.Home.Check(s.Place)
		if err != nil {
			return err.Error()
		}
		return now.Tip + " " + now.Frozen
	}
	stamp, _ := stamp(s.Place) // what cannot be read is no stamp
	return fmt.Sprint(stamp)
}
