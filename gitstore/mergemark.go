package gitstore

import "strings"

// mergeMark is the trailer of a merge: the version of the rule that made it. A
// merge of a newer rule is read, and nobody but a newer ChatRail can tell
// whether it is right.
const (
	mergeMark    = "ChatRail-Merge"
	mergeVersion = "1"
)

// markOfMerge says what the message of a revision has for a mark.
type markOfMerge int

const (
	noMark    markOfMerge = iota
	knownMark             // of our rule
	newerMark             // of a later one
	oddMark               // no version, or several
)

func mergeMarkOf(message string) markOfMerge {
	mark := noMark
	for line := range strings.SplitSeq(lastParagraph(message), "\n") {
		value, ok := strings.CutPrefix(line, mergeMark+":")
		if !ok {
			continue
		}
		if mark != noMark {
			return oddMark
		}
		switch value = strings.TrimPrefix(value, " "); {
		case value == mergeVersion:
			mark = knownMark
		case value != "" && value[0] != '0' && strings.Trim(value, "0123456789") == "":
			mark = newerMark
		default:
			mark = oddMark
		}
	}
	return mark
}
