package bundle

import (
	"maps"
	"slices"
)

// MaxPatch is the largest patch, in bytes of JSON, that is read.
const MaxPatch = 1 << 20

// Patch replaces whole top-level fields of the live truths. The zero value
// names nothing. A Patch is never changed once it is made.
type Patch struct {
	compass, rail map[string]any // field: its value tree
}

// Empty reports whether the patch names nothing at all.
func (p Patch) Empty() bool { return len(p.compass) == 0 && len(p.rail) == 0 }

// Fields lists what the patch replaces, sorted. The constants
// schema and bearings, which a patch may repeat, are not among it.
func (p Patch) Fields() []Field {
	var named []Field
	for _, f := range Fields() {
		if _, ok := p.value(f); ok {
			named = append(named, f)
		}
	}
	return named
}

func (p Patch) value(f Field) (any, bool) {
	target, key := f.split()
	tree, ok := p.of(target)[key]
	return tree, ok
}

func (p Patch) of(t Target) map[string]any {
	if t == TargetCompass {
		return p.compass
	}
	return p.rail
}

// Apply puts the patch over a state and returns the whole result, which obeys
// every rule; or a *RuleError.
func (p Patch) Apply(s State) (State, error) {
	bearings := s.Compass.Bearings
	for _, key := range slices.Sorted(maps.Keys(p.compass)) {
		if err := s.Compass.set(key, p.compass[key]); err != nil {
			return State{}, err
		}
	}
	if s.Compass.Bearings != bearings {
		return State{}, &RuleError{Field: "compass.bearings", Rule: "are fixed; leave them out of the patch"}
	}
	for _, key := range slices.Sorted(maps.Keys(p.rail)) {
		if err := s.Rail.set(key, p.rail[key]); err != nil {
			return State{}, err
		}
	}
	if err := s.Validate(); err != nil {
		return State{}, err
	}
	return s, nil
}

// Map returns the patch with every string in its values, ids among them,
// replaced by what fn makes of it.
func (p Patch) Map(fn func(string) string) Patch {
	return Patch{compass: mapFields(p.compass, fn), rail: mapFields(p.rail, fn)}
}

func mapFields(fields map[string]any, fn func(string) string) map[string]any {
	if fields == nil {
		return nil
	}
	mapped, _ := mapStrings(fields, fn).(map[string]any)
	return mapped
}

// mapStrings copies a value tree. Keys are names of fields and stay. They are
// taken in order, so that fn is called the same way each time.
func mapStrings(tree any, fn func(string) string) any {
	switch v := tree.(type) {
	case string:
		return fn(v)
	case []any:
		mapped := make([]any, len(v))
		for i, e := range v {
			mapped[i] = mapStrings(e, fn)
		}
		return mapped
	case map[string]any:
		mapped := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			mapped[key] = mapStrings(v[key], fn)
		}
		return mapped
	}
	return tree
}

// Merge unites two patches. A field that both name is a *RuleError, whatever
// its values are: one of them would be dropped in silence.
func (p Patch) Merge(q Patch) (Patch, error) {
	var merged Patch
	var err error
	if merged.compass, err = mergeFields(TargetCompass, p.compass, q.compass); err != nil {
		return Patch{}, err
	}
	merged.rail, err = mergeFields(TargetRail, p.rail, q.rail)
	return merged, err
}

func mergeFields(t Target, a, b map[string]any) (map[string]any, error) {
	merged := make(map[string]any, len(a)+len(b))
	maps.Copy(merged, a)
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, twice := merged[key]; twice {
			return nil, &RuleError{Field: string(t) + "." + key, Rule: "is given twice; say it once"}
		}
		merged[key] = b[key]
	}
	return merged, nil
}
