package bundle

import (
	"fmt"
	"maps"
	"slices"
)

// ParsePatch reads a patch of one truth: a JSON object of top-level fields with
// their complete replacement values. It returns a *SyntaxError for what is not
// strict JSON, and a *RuleError for an unknown field or a value of a wrong
// shape. The rules of the whole are checked by Apply.
func ParsePatch(t Target, data []byte) (Patch, error) {
	tree, err := parsePatchJSON(data)
	if err != nil {
		return Patch{}, err
	}
	return patchFromTrees(map[string]any{string(t): tree})
}

// ParsePatches reads one document {"compass": …, "rail": …} of patches. Either
// may be missing.
func ParsePatches(data []byte) (Patch, error) {
	tree, err := parsePatchJSON(data)
	if err != nil {
		return Patch{}, err
	}
	trees, ok := tree.(map[string]any)
	if !ok {
		return Patch{}, &RuleError{Field: "patch", Value: show(tree), Rule: `must be {"compass": {…}, "rail": {…}}`}
	}
	return patchFromTrees(trees)
}

func parsePatchJSON(data []byte) (any, error) {
	if len(data) > MaxPatch {
		return nil, &RuleError{Field: "patch", Value: fmt.Sprintf("%d bytes long", len(data)),
			Rule: fmt.Sprintf("must hold at most %d bytes", MaxPatch)}
	}
	return ParseJSON(data)
}

func patchFromTrees(trees map[string]any) (Patch, error) {
	var p Patch
	var scratch State // only to learn whether each value fits its field
	for _, target := range slices.Sorted(maps.Keys(trees)) {
		fields, ok := trees[target].(map[string]any)
		set := scratch.Rail.set
		switch Target(target) {
		case TargetCompass:
			p.compass, set = fields, scratch.Compass.set
		case TargetRail:
			p.rail = fields
		default:
			return Patch{}, unknownField("patch."+fieldName(target), []string{string(TargetCompass), string(TargetRail)})
		}
		if !ok {
			return Patch{}, &RuleError{Field: target, Value: show(trees[target]), Rule: "must be a JSON object of fields to replace"}
		}
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if err := set(key, fields[key]); err != nil {
				return Patch{}, err
			}
		}
	}
	return p, nil
}

// MarshalJSON writes the patch as {"compass": {…}, "rail": {…}}, without the
// one that names nothing.
func (p Patch) MarshalJSON() ([]byte, error) {
	trees := map[string]any{}
	for _, target := range []Target{TargetCompass, TargetRail} {
		if fields := p.of(target); len(fields) > 0 {
			trees[string(target)] = fields
		}
	}
	return Canonical(trees)
}

// UnmarshalJSON reads what MarshalJSON wrote, as strictly as ParsePatches.
func (p *Patch) UnmarshalJSON(data []byte) error {
	parsed, err := ParsePatches(data)
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}
