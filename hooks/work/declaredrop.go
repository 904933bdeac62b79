package work

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"chatrail/hooks/task"

	"github.com/google/uuid"
)

// dropDeclare is the kind of a declaration that waits in a drop box. Beside the
// answer to the same review it is an item of its own: an answer is given once, a
// declaration with every commit of the turn.
const dropDeclare = "declare"

// maxDeclaredDrop bounds the paths of one item, in bytes.
const maxDeclaredDrop = 512 << 10

// dropDeclared leaves a declaration for the next hook of the task, in place of an
// earlier one of the same review.
func (d *Desk) dropDeclared(ctx context.Context, key string, x *declaring) (string, error) {
	x.trim(maxDeclaredDrop)
	data, err := json.Marshal(x)
	if err != nil {
		return "", err
	}
	earlier := d.waitingDeclared(key)
	path, err := task.PutDrop(ctx, d.Env, task.Drop{
		ID: uuid.NewString(), TaskKey: key, ReviewID: x.Review, Kind: dropDeclare, Body: data, At: x.at,
	})
	if err != nil {
		return "", err
	}
	for _, w := range earlier {
		if w.Review == x.Review && x.covers(w.declaring) {
			if err := task.RemoveDrop(w.found); err != nil {
				return "", err
			}
		}
	}
	return path, nil
}

// covers says that a declaration says of every path of another one what it is
// now.
func (x *declaring) covers(other declaring) bool {
	return !slices.ContainsFunc(other.Trees, func(old look) bool {
		return !slices.ContainsFunc(x.Trees, func(now look) bool { return now.Project == old.Project && now.Whole })
	})
}

// trim leaves out what an item of a drop box cannot take.
func (x *declaring) trim(most int) {
	for i, tree := range x.Trees {
		kept := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(tree.Contents)) {
			content := tree.Contents[key]
			if most -= len(key) + len(content) + 8; most < 0 {
				x.Trees[i].Whole = false
				break
			}
			kept[key] = content
		}
		x.Trees[i].Contents = kept
	}
}

// waitingDeclaration is a declaration in a drop box.
type waitingDeclaration struct {
	declaring
	found task.Found
}

// waitingDeclared reads the declarations of a task that wait to be recorded.
func (d *Desk) waitingDeclared(key string) []waitingDeclaration {
	if key == "" || !task.PendingDrop(d.Env, key) {
		return nil
	}
	var all []waitingDeclaration
	found, _ := task.CollectDrops(d.Env, key)
	for _, f := range found {
		w := waitingDeclaration{found: f}
		if f.Kind == dropDeclare && json.Unmarshal(f.Body, &w.declaring) == nil {
			all = append(all, w)
		}
	}
	return all
}

// drainDeclared records a declaration that waited. What was declared later
// stands, and nothing is forgotten by it: it is no longer what is changed now.
func (d *Desk) drainDeclared(ctx context.Context, receipt *task.Receipt, f task.Found) error {
	var x declaring
	if json.Unmarshal(f.Body, &x) != nil {
		return nil // of another version
	}
	x.at = f.At
	for i := range x.Trees {
		x.Trees[i].Whole = false
	}
	err := d.recordDeclared(ctx, receipt.TaskKey, &x)
	if waits(ctx, err) {
		return err
	}
	if err != nil {
		if err := d.setAside(receipt, f.ID, f.At, f.Body, err); err != nil {
			return err
		}
	}
	return task.RemoveDrop(f)
}
