package chronicle

import (
	"reflect"
	"slices"
	"unicode/utf8"

	"chatrail/bundle"
)

// Update writes what differs between a note and meta into the note's front
// matter, and touches nothing else: unknown keys, order, style, comments and
// the body stay byte for byte. Where nothing differs it returns the note as it
// is. It refuses front matter that cannot be understood with a *BrokenError,
// and a value that breaks a rule with a *bundle.RuleError.
func Update(note []byte, meta Meta) ([]byte, error) {
	before := Read(note)
	if before.Broken != nil {
		return nil, before.Broken
	}
	changes := differences(&before.Meta, &meta, headKeys(note))
	for _, c := range changes {
		if err := checkValue(c); err != nil {
			return nil, err
		}
	}
	return edit(note, changes)
}

// headKeys are the keys that front matter has.
func headKeys(note []byte) (has []string) {
	l := split(note)
	if !l.has {
		return nil
	}
	fields, _ := readHead(note[l.head:l.headEnd])
	for _, f := range fields {
		has = append(has, f.key)
	}
	return has
}

// differences lists the keys in which two values differ, in the order of a new
// note.
func differences(before, after *Meta, has []string) (changes []change) {
	for _, key := range keys {
		if key == "hash" || key == "hashes" {
			continue
		}
		if v := after.value(key); !reflect.DeepEqual(before.value(key), v) {
			changes = append(changes, change{key: key, value: v})
		}
		if key == "task" && !slices.Equal(before.Hashes, after.Hashes) {
			changes = append(changes, hashChanges(after, slices.Contains(has, "hash"), slices.Contains(has, "hashes"))...)
		}
	}
	return changes
}

// hashChanges writes one commit as "hash" and several as "hashes", in the place
// of the key that is there.
func hashChanges(after *Meta, one, many bool) []change {
	switch {
	case len(after.Hashes) == 0:
		return []change{{key: "hash"}, {key: "hashes"}}
	case len(after.Hashes) == 1 && !many:
		return []change{{key: "hash", value: after.value("hash")}}
	case one && !many:
		return []change{{key: "hash", name: "hashes", value: after.value("hashes")}}
	case one:
		return []change{{key: "hash"}, {key: "hashes", value: after.value("hashes")}}
	}
	return []change{{key: "hashes", value: after.value("hashes")}}
}

// checkValue refuses what cannot stand in front matter.
func checkValue(c change) error {
	for _, s := range append(slices.Clone(c.value.list), c.value.text) {
		if err := checkString(c.key, s); err != nil {
			return err
		}
	}
	if len(c.value.list) > maxListed {
		return &bundle.RuleError{Field: c.key, Rule: "has at most 1000 items"}
	}
	return nil
}

// maxListed bounds a list of front matter: it has to end within MaxHead.
const maxListed = 1000

func checkString(key, s string) error {
	if utf8.RuneCountInString(s) > bundle.MaxString {
		return &bundle.RuleError{Field: key, Rule: "has at most 2000 characters; the text of a note may be longer"}
	}
	return checkText(key, s)
}
