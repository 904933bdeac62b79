package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

const (
	gateVersion = 1
	maxRefusals = 8      // work trees in which a task was refused, newest first
	maxRefused  = 20_000 // paths of one refusal
)

// Refusal is what the commit gate remembers of a commit that it refused, so that
// whoever then does what it asked for is not refused for the same paths again.
type Refusal struct {
	Project
	Head     string   `json:"head"`               // that it would have been committed on
	Paths    []string `json:"paths"`              // by PathKey
	Answered bool     `json:"answered,omitempty"` // something was declared since
	// Rounds counts how often the task declared something and was refused again
	// before HEAD moved.
	Rounds int       `json:"rounds,omitempty"`
	At     time.Time `json:"at"`
}

// Covers tells whether a path was refused before something was declared.
func (r Refusal) Covers(path string) bool {
	return r.Answered && (len(r.Paths) == maxRefused || slices.Contains(r.Paths, PathKey(path)))
}

type refusals struct {
	Version int       `json:"version"`
	Trees   []Refusal `json:"trees"`
}

func gateFile(key string) string { return "gate-" + key + ".json" }

// LoadRefusals reads what the gate refused a task, the newest first.
func (h Home) LoadRefusals(key string) ([]Refusal, error) {
	if !IsKey(key) {
		return nil, fmt.Errorf("%q is not a task key", key)
	}
	data, err := h.ReadFile(declaredDir, gateFile(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := decodeLedger[refusals](data)
	if err != nil || list.Version != gateVersion {
		return nil, errors.New("what the commit gate remembers of this task cannot be read")
	}
	return list.Trees, nil
}

// Refuse remembers a refusal of the gate. Paths that the task was refused on the
// same HEAD before stay refused, so that one answer is enough for all of them.
func (h Home) Refuse(ctx context.Context, key string, r Refusal) error {
	return h.editRefusals(ctx, key, func(list []Refusal) []Refusal {
		i := slices.IndexFunc(list, func(old Refusal) bool { return old.Project == r.Project })
		if i >= 0 {
			if old := list[i]; old.Head == r.Head {
				r.Paths = append(r.Paths, old.Paths...)
				if r.Rounds = old.Rounds; old.Answered {
					r.Rounds++
				}
			}
			list = slices.Delete(list, i, i+1)
		}
		slices.Sort(r.Paths)
		r.Paths = slices.Compact(r.Paths)
		r.Paths = r.Paths[:min(len(r.Paths), maxRefused)]
		list = slices.Insert(list, 0, r)
		return list[:min(len(list), maxRefusals)]
	})
}

// AnswerRefusals notes that the task declared the changed paths of some projects.
func (h Home) AnswerRefusals(ctx context.Context, key string, projects []Project) error {
	open := func(r Refusal) bool { return !r.Answered && slices.Contains(projects, r.Project) }
	if list, err := h.LoadRefusals(key); err == nil && !slices.ContainsFunc(list, open) {
		return nil
	}
	return h.editRefusals(ctx, key, func(list []Refusal) []Refusal {
		for i := range list {
			list[i].Answered = list[i].Answered || open(list[i])
		}
		return list
	})
}

func (h Home) editRefusals(ctx context.Context, key string, change func([]Refusal) []Refusal) error {
	if !IsKey(key) {
		return fmt.Errorf("%q is not a task key", key)
	}
	return editLedger(ctx, h, declaredDir, gateFile(key), func(l *refusals) bool { return l.Version == gateVersion },
		func(l *refusals) { l.Version, l.Trees = gateVersion, change(l.Trees) })
}
