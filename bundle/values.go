package bundle

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// The top-level fields of the live truths, in the order in which they are
// written and read.
var (
	compassKeys = []string{"schema", "bearings", "heading", "drift", "return_path"}
	railKeys    = []string{"schema", "north", "next", "route", "open", "parked"}
)

const schemaVersion = 1

// JSON is the canonical JSON of the Compass. Of a string that is not valid
// UTF-8, which Validate refuses, it shows U+FFFD.
func (c Compass) JSON() json.RawMessage { return mustCanonical(c.tree()) }

// JSON is the canonical JSON of the Rail. Of a string that is not valid
// UTF-8, which Validate refuses, it shows U+FFFD.
func (r Rail) JSON() json.RawMessage { return mustCanonical(r.tree()) }

// Digest is the SHA-256 of the canonical JSON, 64 lower-case hex digits.
func (c Compass) Digest() string { return hexSum(c.JSON()) }

// Digest is the SHA-256 of the canonical JSON, 64 lower-case hex digits.
func (r Rail) Digest() string { return hexSum(r.JSON()) }

// Equal reports whether both truths of two states are the same.
func (s State) Equal(other State) bool {
	r, o := s.Rail, other.Rail
	return s.Compass == other.Compass && r.North == o.North &&
		(r.Next == o.Next || r.Next != nil && o.Next != nil && *r.Next == *o.Next) &&
		slices.Equal(r.Route, o.Route) && slices.Equal(r.Open, o.Open) && slices.Equal(r.Parked, o.Parked)
}

func (s State) json(t Target) json.RawMessage {
	if t == TargetCompass {
		return s.Compass.JSON()
	}
	return s.Rail.JSON()
}

func (s State) digest(t Target) string { return hexSum(s.json(t)) }

func (c Compass) tree() map[string]any {
	tree := map[string]any{}
	for _, key := range compassKeys {
		tree[key] = c.field(key)
	}
	return tree
}

func (r Rail) tree() map[string]any {
	tree := map[string]any{}
	for _, key := range railKeys {
		tree[key] = r.field(key)
	}
	return tree
}

// field is the value tree of one top-level field, as ParseJSON would return it.
func (c Compass) field(key string) any {
	switch key {
	case "schema":
		return int64(schemaVersion)
	case "bearings":
		tree := map[string]any{}
		for _, d := range directions {
			tree[d.name] = map[string]any{
				"coordinate": []any{int64(d.x), int64(d.y)},
				"definition": text(*d.definition(&c.Bearings)),
			}
		}
		return tree
	case "heading":
		return map[string]any{
			"coordinate": []any{int64(c.Heading.X), int64(c.Heading.Y)},
			"context":    text(c.Heading.Context),
		}
	case "drift":
		return text(c.Drift)
	case "return_path":
		return text(c.ReturnPath)
	}
	panic("bundle: no field compass." + key)
}

// field is the value tree of one top-level field, as ParseJSON would return it.
func (r Rail) field(key string) any {
	switch key {
	case "schema":
		return int64(schemaVersion)
	case "north":
		return text(r.North)
	case "next":
		if r.Next == nil {
			return nil
		}
		return r.Next.tree()
	case "route":
		return itemTrees(r.Route)
	case "open":
		return itemTrees(r.Open)
	case "parked":
		return itemTrees(r.Parked)
	}
	panic("bundle: no field rail." + key)
}

func (i Item) tree() any { return map[string]any{"id": text(i.ID), "summary": text(i.Summary)} }

func itemTrees(items []Item) any {
	trees := make([]any, len(items))
	for i, item := range items {
		trees[i] = item.tree()
	}
	return trees
}

// text is s as it may stand in a tree.
func text(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// direction is one of the four fixed bearings.
type direction struct {
	name       string
	x, y       int
	definition func(*Bearings) *string
}

// directions are the bearings in the order in which they are written.
var directions = []direction{
	{"north", 0, 100, func(b *Bearings) *string { return &b.North }},
	{"east", 100, 0, func(b *Bearings) *string { return &b.East }},
	{"south", 0, -100, func(b *Bearings) *string { return &b.South }},
	{"west", -100, 0, func(b *Bearings) *string { return &b.West }},
}
