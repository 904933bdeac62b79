package worktree

import "strings"

// deed is what an entry of the log says about a commit that it moved to.
type deed struct {
	entry
	how string
	// again says that a rebase made the commit anew out of another one, which may
	// be of this task or not.
	again bool
}

// The ways in which a commit is made, as Commit.How names them; the others are
// Merge, CherryPick, Revert, Rebase and Am.
const (
	Committed = "commit"
	Amended   = "amend"
)

// judge reads from a message of the log whether a commit was made here, and
// how. Moves to commits that were there before are none: checkouts, resets,
// fast-forwards, the start and the end of a rebase.
//
// Git writes "<command> (<detail>): <text>", the command with its arguments, and
// no blank behind the colon where the text is empty.
func judge(e entry) (deed, bool) {
	action, text, ok := strings.Cut(e.message+" ", ": ")
	if !ok {
		return deed{}, false
	}
	action, detail, _ := strings.Cut(strings.TrimSuffix(action, ")"), " (")
	command, _, _ := strings.Cut(action, " ")
	d := deed{entry: e}
	switch {
	case command == "commit":
		d.how, d.again = committed(detail)
		return d, true
	case strings.TrimSpace(text) == "fast-forward":
		return deed{}, false
	}
	switch command {
	case "cherry-pick":
		d.how = CherryPick
	case "revert":
		d.how = Revert
	case "am":
		d.how = Am
	case "merge", "pull", "rebase":
		d.how, d.again = combined(action, detail, text)
	}
	return d, d.how != ""
}

// committed tells the kinds of git commit apart.
func committed(detail string) (how string, again bool) {
	switch detail {
	case "amend":
		return Amended, false
	case "merge":
		return Merge, false
	case "cherry-pick":
		return CherryPick, false
	case "rebase":
		return Rebase, true
	}
	return Committed, false
}

// combined tells what a merge, a rebase and a pull, which is either, did. A
// squash, a fixup and a reword change what a commit says: that is work here,
// whoever made the commit.
func combined(action, detail, text string) (how string, again bool) {
	rebase := strings.HasPrefix(action, "rebase")
	switch detail {
	case "":
		switch {
		case action == "pull" || strings.HasPrefix(action, "pull "):
			// What came by a pull is nobody's work here, nor is the merge that it made.
		case !rebase && (strings.HasPrefix(text, "Merge made") || strings.HasPrefix(text, "In-index merge")):
			return Merge, false
		case action == "rebase" && !strings.HasPrefix(text, "checkout "):
			// The words of git before 2.26.
			return Rebase, true
		}
	case "pick", "continue", "merge":
		return Rebase, true
	case "squash", "fixup", "reword", "edit":
		return Rebase, false
	}
	return "", false
}
