package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CompassFromJSON reads a Compass from one strict JSON value. It returns a
// *SyntaxError where the bytes are not JSON, a *RuleError where the value is
// no Compass.
func CompassFromJSON(raw []byte) (Compass, error) {
	tree, err := ParseJSON(raw)
	if err != nil {
		return Compass{}, err
	}
	return compassFromTree(tree)
}

// RailFromJSON reads a Rail from one strict JSON value. It returns a
// *SyntaxError where the bytes are not JSON, a *RuleError where the value is
// no Rail.
func RailFromJSON(raw []byte) (Rail, error) {
	tree, err := ParseJSON(raw)
	if err != nil {
		return Rail{}, err
	}
	return railFromTree(tree)
}

func compassFromTree(tree any) (Compass, error) {
	fields, err := readObject("compass", tree, compassKeys)
	if err != nil {
		return Compass{}, err
	}
	var c Compass
	for _, key := range compassKeys {
		if err := c.set(key, fields[key]); err != nil {
			return Compass{}, err
		}
	}
	return c, c.Validate()
}

func railFromTree(tree any) (Rail, error) {
	fields, err := readObject("rail", tree, railKeys)
	if err != nil {
		return Rail{}, err
	}
	var r Rail
	for _, key := range railKeys {
		if err := r.set(key, fields[key]); err != nil {
			return Rail{}, err
		}
	}
	return r, r.Validate()
}

// set puts the tree of one top-level field into the Compass. It checks shapes
// and types; the rules are Validate's.
func (c *Compass) set(key string, tree any) (err error) {
	path := "compass." + key
	switch key {
	case "schema":
		return readSchema(path, tree)
	case "bearings":
		c.Bearings, err = readBearings(path, tree)
	case "heading":
		c.Heading, err = readHeading(path, tree)
	case "drift":
		c.Drift, err = readString(path, tree)
	case "return_path":
		c.ReturnPath, err = readString(path, tree)
	default:
		return unknownField("compass."+fieldName(key), compassKeys)
	}
	return err
}

// set puts the tree of one top-level field into the Rail. It checks shapes and
// types; the rules are Validate's.
func (r *Rail) set(key string, tree any) (err error) {
	path := "rail." + key
	switch key {
	case "schema":
		return readSchema(path, tree)
	case "north":
		r.North, err = readString(path, tree)
	case "next":
		r.Next = nil
		if tree != nil {
			r.Next = new(Item) // a new one: the old may belong to another state
			*r.Next, err = readItem(path, tree)
		}
	case "route":
		r.Route, err = readItems(path, tree)
	case "open":
		r.Open, err = readItems(path, tree)
	case "parked":
		r.Parked, err = readItems(path, tree)
	default:
		return unknownField("rail."+fieldName(key), railKeys)
	}
	return err
}

func readSchema(path string, tree any) error {
	if tree != int64(schemaVersion) {
		return &RuleError{Field: path, Value: show(tree), Rule: fmt.Sprintf("must be %d", schemaVersion)}
	}
	return nil
}

func readBearings(path string, tree any) (Bearings, error) {
	names := make([]string, len(directions))
	for i, d := range directions {
		names[i] = d.name
	}
	fields, err := readObject(path, tree, names)
	if err != nil {
		return Bearings{}, err
	}
	var b Bearings
	for _, d := range directions {
		path := path + "." + d.name
		bearing, err := readObject(path, fields[d.name], []string{"coordinate", "definition"})
		if err != nil {
			return Bearings{}, err
		}
		x, y, err := readCoordinate(path+".coordinate", bearing["coordinate"])
		if err != nil {
			return Bearings{}, err
		}
		if x != d.x || y != d.y {
			return Bearings{}, &RuleError{Field: path + ".coordinate", Value: fmt.Sprintf("[%d, %d]", x, y),
				Rule: fmt.Sprintf("is fixed at [%d, %d]", d.x, d.y)}
		}
		if *d.definition(&b), err = readString(path+".definition", bearing["definition"]); err != nil {
			return Bearings{}, err
		}
	}
	return b, nil
}

func readHeading(path string, tree any) (h Heading, err error) {
	fields, err := readObject(path, tree, []string{"coordinate", "context"})
	if err != nil {
		return Heading{}, err
	}
	if h.X, h.Y, err = readCoordinate(path+".coordinate", fields["coordinate"]); err != nil {
		return Heading{}, err
	}
	h.Context, err = readString(path+".context", fields["context"])
	return h, err
}

func readCoordinate(path string, tree any) (x, y int, err error) {
	if list, ok := tree.([]any); ok && len(list) == 2 {
		x, xOK := list[0].(int64)
		y, yOK := list[1].(int64)
		if xOK && yOK && max(x, y) <= 100 && min(x, y) >= -100 {
			return int(x), int(y), nil
		}
	}
	return 0, 0, &RuleError{Field: path, Value: show(tree), Rule: "must be two integers [x, y] from -100 to 100"}
}

func readItems(path string, tree any) ([]Item, error) {
	list, ok := tree.([]any)
	if !ok {
		return nil, &RuleError{Field: path, Value: show(tree), Rule: "must be a list of items"}
	}
	if len(list) > MaxList {
		return nil, tooLong(path, len(list))
	}
	items := slices.Grow([]Item(nil), len(list))
	for i, element := range list {
		item, ok := plainItem(element)
		if !ok {
			var err error
			if item, err = readItem(place{path, i}.String(), element); err != nil {
				return nil, err
			}
		}
		items = append(items, item)
	}
	return items, nil
}

// plainItem is readItem of what nothing is wrong with.
func plainItem(tree any) (item Item, ok bool) {
	fields, _ := tree.(map[string]any)
	id, idOK := fields["id"].(string)
	summary, summaryOK := fields["summary"].(string)
	return Item{ID: id, Summary: summary}, idOK && summaryOK && len(fields) == 2
}

func readItem(path string, tree any) (item Item, err error) {
	fields, err := readObject(path, tree, []string{"id", "summary"})
	if err != nil {
		return Item{}, err
	}
	if item.ID, err = readString(path+".id", fields["id"]); err != nil {
		return Item{}, err
	}
	item.Summary, err = readString(path+".summary", fields["summary"])
	return item, err
}

func readString(path string, tree any) (string, error) {
	s, ok := tree.(string)
	if !ok {
		rule := "must be a string"
		if _, isBare := tree.(bare); isBare {
			rule = "must be a string, in quotes if this text is meant"
		}
		return "", &RuleError{Field: path, Value: show(tree), Rule: rule}
	}
	return s, nil
}

// readObject refuses what is no object with exactly these keys.
func readObject(path string, tree any, keys []string) (map[string]any, error) {
	object, ok := tree.(map[string]any)
	if !ok {
		return nil, &RuleError{Field: path, Value: show(tree), Rule: "must be a mapping of " + strings.Join(keys, ", ")}
	}
	missing := ""
	for _, key := range keys {
		if _, present := object[key]; !present && missing == "" {
			missing = key
		}
	}
	if missing == "" && len(object) == len(keys) {
		return object, nil
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(keys, key) {
			return nil, unknownField(path+"."+fieldName(key), keys)
		}
	}
	return nil, &RuleError{Field: path + "." + missing, Rule: "is missing"}
}

func unknownField(path string, known []string) *RuleError {
	return &RuleError{Field: path, Rule: "unknown field; known are " + strings.Join(known, ", ")}
}
