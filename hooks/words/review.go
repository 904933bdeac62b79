package words

// Bounds of the review line, in bytes, command and line breaks included.
const (
	MaxReviewFull  = 600
	MaxReviewShort = 160
)

// The wordings of the review line, the most telling first: the first one that
// fits beside the command is used, since an absolute path can be long. Each has
// what stands before and what stands behind the command's own line.
var (
	fullWordings = [...][2]string{
		{"ChatRail review, once, before the final answer. Bare, this line says nothing changed:\n",
			"\nOn change add --reason TEXT and: --now --heading X,Y --drift --return for a real completion, failure, blocker, disproved claim, discovery, drift or changed return move (discussion and effort are no movement); " +
				"--north --done --next --open --answer ID --park ID --resume ID when North, next or route changes, a question opens or closes, work is parked or resumed. Never edit its files; sub-agents never run it."},
		{"ChatRail review, once, before the final answer. Bare, this line says nothing changed:\n",
			"\nOn change add --reason TEXT and patches (see --help): Compass for a real completion, failure, blocker, disproved claim, discovery or drift; Rail when North, next, route, questions or parked work change. Never edit its files; sub-agents never run it."},
		{"ChatRail review, before the final answer (bare: no change; else --reason and patches):\n", ""},
		{"ChatRail review:\n", ""},
	}
	shortWordings = [...][2]string{
		{"ChatRail review before the final answer (bare: no change; else --reason and patches):\n", ""},
		{"ChatRail review before the final answer:\n", ""},
		{"ChatRail review:\n", ""},
		{"", ""},
	}
)

// unnamed is added to the review line while no North has been named.
const unnamed = "\nNo North is named yet (--north)."

// ReviewLine is the question of a turn. The command stands alone on its line
// and can be run as printed.
func ReviewLine(command string, full, named bool) string {
	wordings, limit := shortWordings[:], MaxReviewShort
	if full {
		wordings, limit = fullWordings[:], MaxReviewFull
	}
	for _, w := range wordings {
		line := w[0] + command + w[1]
		if !named && len(line)+len(unnamed) <= limit {
			line += unnamed
		}
		if len(line) <= limit {
			return line
		}
	}
	return command
}

// BlockReason is what a skipped review says when it pauses the stop. It begins
// with prefix, by which the hook knows its own words when a host sends them
// back as a prompt, and does not end with the command: a host may put a closing
// tag right behind the last character.
func BlockReason(prefix, command string, named bool) string {
	s := prefix + " Run this line once, then finish:\n" + command + "\nAdd --reason and patches to it if meaning changed."
	if !named {
		s += unnamed
	}
	return s
}
