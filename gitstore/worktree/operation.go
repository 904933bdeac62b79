package worktree

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"chatrail/refs"
)

// The operations that git can be in the middle of.
const (
	Merge      = "merge"
	Rebase     = "rebase"
	CherryPick = "cherry-pick"
	Revert     = "revert"
	Bisect     = "bisect"
	Am         = "am" // git am: patches from mails
)

// Operation is what git is in the middle of; the zero value is nothing. Of
// several at once it is the outermost that has steps, as a rebase that stopped
// at a merge; a bisection, which lasts, comes last.
type Operation struct {
	Kind string // a constant above, "" for none
	Step int    // of a rebase and an am, from 1; 0 where it is not known
	// Steps is how many there are, with those that came up on the way; 0 where it
	// is not known.
	Steps int
	// Left is how many commits a cherry-pick or revert of several still has to
	// take after the present one. Git does not keep how many there were.
	Left int
	Head string // the branch that a rebase or a bisection began on, "" for a detached HEAD
	Onto string // commit id that a rebase goes onto
}

// Words names the operation: "rebase, step 2 of 5", "cherry-pick, 2 left",
// "merge", "" for none.
func (o Operation) Words() string {
	switch {
	case o.Step > 0 && o.Steps > 0:
		return fmt.Sprintf("%s, step %d of %d", o.Kind, o.Step, o.Steps)
	case o.Left > 0:
		return fmt.Sprintf("%s, %d left", o.Kind, o.Left)
	}
	return o.Kind
}

// InProgress reads which operation a work tree is in the middle of from the
// files of its own git dir. Where references are not kept in files, a single
// cherry-pick or revert that stopped leaves none and is not seen.
func InProgress(repo *refs.Repo) Operation {
	dir := gitDir(repo.GitDir)
	apply, merge := dir.at("rebase-apply"), dir.at("rebase-merge")
	switch {
	case apply.has("applying"):
		return Operation{Kind: Am, Step: apply.number("next"), Steps: apply.number("last")}
	case apply.has(""):
		return Operation{
			Kind: Rebase, Step: apply.number("next"), Steps: apply.number("last"),
			Head: apply.branch("head-name"), Onto: apply.line("onto"),
		}
	case merge.has(""):
		return Operation{
			Kind: Rebase, Step: merge.number("msgnum"), Steps: merge.number("end"),
			Head: merge.branch("head-name"), Onto: merge.line("onto"),
		}
	case dir.has("MERGE_HEAD"):
		return Operation{Kind: Merge}
	}
	kind, left := dir.sequence()
	switch {
	case dir.has("CHERRY_PICK_HEAD"):
		return Operation{Kind: CherryPick, Left: left}
	case dir.has("REVERT_HEAD"):
		return Operation{Kind: Revert, Left: left}
	case kind != "":
		return Operation{Kind: kind, Left: left}
	case dir.has("BISECT_LOG"), dir.has("BISECT_START"):
		return Operation{Kind: Bisect, Head: dir.branch("BISECT_START")}
	}
	return Operation{}
}

// gitDir is a folder of files in which git keeps where it is.
type gitDir string

func (d gitDir) at(name string) gitDir { return gitDir(filepath.Join(string(d), name)) }

func (d gitDir) has(name string) bool {
	_, err := os.Lstat(string(d.at(name)))
	return err == nil
}

// maxStateFile bounds what is read of one file: a todo list of ten thousand
// commits is below it.
const maxStateFile = 1 << 20

func (d gitDir) text(name string) string {
	f, err := os.Open(string(d.at(name)))
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxStateFile))
	if err != nil {
		return ""
	}
	return string(data)
}

// line is the first line of a file, "" where there is none.
func (d gitDir) line(name string) string {
	line, _, _ := strings.Cut(d.text(name), "\n")
	return strings.TrimSpace(line)
}

func (d gitDir) number(name string) int {
	n, err := strconv.Atoi(d.line(name))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// branch is the short name of the branch that a file holds. Git writes a
// detached HEAD as words, or as its commit.
func (d gitDir) branch(name string) string {
	line := d.line(name)
	if rest, ok := strings.CutPrefix(line, "refs/heads/"); ok {
		return rest
	}
	if name == "BISECT_START" && !isID(line) {
		return line
	}
	return ""
}

// sequence looks at the list of a cherry-pick or revert of several commits. Its
// first line is the present one: stopped at, or committed by hand since.
func (d gitDir) sequence() (kind string, left int) {
	for line := range strings.Lines(d.at("sequencer").text("todo")) {
		command, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch command {
		case "", "#":
			continue
		case "pick", "p":
			command = CherryPick
		case "revert":
			command = Revert
		default:
			return kind, left
		}
		if kind != "" {
			left++
			continue
		}
		kind = command
	}
	return kind, left
}

// isID reports whether a text is a whole object id of either format.
func isID(text string) bool {
	if len(text) != 40 && len(text) != 64 {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
