package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// maxRecord bounds one record of git's answer. Paths of file systems are far
// below it.
const maxRecord = 1 << 20

// errEnough ends the reading of an answer that is longer than was asked for.
var errEnough = errors.New("more changed paths than were asked for")

// porcelain reads the answer of "git status --porcelain=v2 -z" as it arrives.
// It is strict: a record that git does not write is an error, never a guess.
type porcelain struct {
	changes  []Change
	limit    int    // 0 for none
	rest     []byte // the beginning of a record
	original bool   // the next record is the old path of a rename
	// failed is why the reading ended early. Git's own end says something else
	// then: that nobody listened.
	failed error
}

func (p *porcelain) Write(data []byte) (int, error) {
	var n int
	n, p.failed = p.take(data)
	return n, p.failed
}

func (p *porcelain) take(data []byte) (int, error) {
	for at := 0; at < len(data); {
		end := bytes.IndexByte(data[at:], 0)
		if end < 0 {
			if len(p.rest)+len(data)-at > maxRecord {
				return at, fmt.Errorf("git status wrote a record of more than %d bytes", maxRecord)
			}
			p.rest = append(p.rest, data[at:]...)
			break
		}
		record := data[at : at+end]
		if len(p.rest) > 0 {
			record = append(p.rest, record...)
		}
		if err := p.record(string(record)); err != nil {
			return at, err
		}
		p.rest = p.rest[:0]
		at += end + 1
	}
	return len(data), nil
}

// end is called where git says that its answer is complete.
func (p *porcelain) end() error {
	if len(p.rest) > 0 || p.original {
		return errors.New("the answer of git status ends in the middle of a record")
	}
	return nil
}

func (p *porcelain) record(record string) error {
	if p.original {
		// The new path stands for both.
		p.original = false
		if record == "" {
			return badRecord(record)
		}
		return nil
	}
	kind, rest, ok := strings.Cut(record, " ")
	if !ok || rest == "" {
		return badRecord(record)
	}
	c := Change{Path: rest, State: "??"}
	switch kind {
	case "#", "!":
		return nil
	case "?":
	case "1", "2", "u":
		if c, ok = tracked(kind, rest); !ok {
			return badRecord(record)
		}
		p.original = kind == "2"
	default:
		return badRecord(record)
	}
	if inOwnFolder(c.Path) {
		return nil
	}
	if p.limit > 0 && len(p.changes) == p.limit {
		return errEnough
	}
	p.changes = append(p.changes, c)
	return nil
}

func badRecord(record string) error {
	return fmt.Errorf("git status wrote a record that is not understood: %.80q", record)
}

// layouts are the fields between the kind of a record and its path: the state,
// the submodule, modes, object ids and the score of a rename.
var layouts = map[string]string{
	"1": "xsmmmii",
	"2": "xsmmmiir",
	"u": "xsmmmmiii",
}

func tracked(kind, rest string) (c Change, ok bool) {
	for _, what := range layouts[kind] {
		field, after, more := strings.Cut(rest, " ")
		if !more {
			return Change{}, false
		}
		switch what {
		case 'x':
			c.State, ok = letters(kind, field)
		case 's':
			c.Submodule, c.Inside, ok = submodule(field)
		case 'm':
			ok = len(field) == 6 && strings.Trim(field, "01234567") == ""
		case 'i':
			ok = isID(field)
		case 'r':
			ok = len(field) > 1 && (field[0] == 'R' || field[0] == 'C') && strings.Trim(field[1:], "0123456789") == ""
		}
		if !ok {
			return Change{}, false
		}
		rest = after
	}
	c.Path = rest
	return c, rest != ""
}

// letters turns the state of version 2 into that of version 1, which has a
// blank for "unchanged".
func letters(kind, xy string) (string, bool) {
	switch {
	case len(xy) != 2:
		return "", false
	case kind == "u":
		return xy, strings.Contains(" DD AU UD UA DU AA UU ", " "+xy+" ")
	case xy == ".." || strings.Trim(xy, ".MTADRC") != "":
		return "", false
	}
	return strings.ReplaceAll(xy, ".", " "), true
}

// submodule reads "N..." for a path that is none, and "S", then C for another
// commit, M for changed files and U for untracked ones, each a dot otherwise.
func submodule(field string) (is bool, inside string, ok bool) {
	if field == "N..." {
		return false, "", true
	}
	if len(field) != 4 || field[0] != 'S' {
		return false, "", false
	}
	for i, letter := range "CMU" {
		switch field[i+1] {
		case byte(letter):
			if letter != 'C' {
				inside += string(letter)
			}
		case '.':
		default:
			return false, "", false
		}
	}
	return true, inside, true
}
