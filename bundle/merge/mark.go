package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"chatrail/bundle"
)

// markLength is how much of an event's id stands in names that a merge makes.
const markLength = 8

// marks name an event in an id, the shortest first: its first eight digits, all
// of it, and where even that is not the only one, the revision.
func marks(r *Revision) []string {
	return []string{mark(r), within(r.EventID), r.ID}
}

func mark(r *Revision) string {
	if head, _, _ := strings.Cut(r.EventID, "-"); isMark(head) {
		return head
	}
	return digest(r.EventID)
}

func isMark(s string) bool {
	return len(s) == markLength && strings.Trim(s, "0123456789abcdef") == ""
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:markLength]
}

// longID is how many bytes of an id go into another one.
const longID = 64

// within makes an id fit to be a part of another one.
func within(id string) string { return short(id, longID) }

// short cuts a text to so many bytes; what was cut off is told apart by a digest.
func short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-1-markLength], "") + "-" + digest(text)
}

// newID is what a merge calls an item whose id is taken.
func newID(id, mark string) string { return within(id) + "-" + mark }

// maxPart and maxPath are what a note's path may hold, in bytes: the rules of
// bundle/draft.
const (
	maxPart = 255
	maxPath = 1024
)

// newPath is what a merge calls a note whose path is taken.
func newPath(at, mark string) string {
	dir, name := path.Split(at)
	ext := path.Ext(name)
	room := min(maxPart, maxPath-len(dir)) - len(ext) - 1 - len(mark)
	return dir + short(strings.TrimSuffix(name, ext), max(room, 2*markLength)) + "-" + mark + ext
}

// settlePrefix begins the id of an item that keeps what a merge set aside.
const settlePrefix = "settle-"

// IsSetAside tells whether an item keeps what a merge set aside, by its id.
func IsSetAside(item bundle.Item) bool { return isSettle(item.ID) }

// isSettle knows settle-north-MARK, settle-compass-MARK and settle-item-ID-MARK,
// where MARK is of any of the kinds that there are.
func isSettle(id string) bool {
	rest, ok := strings.CutPrefix(id, settlePrefix)
	if !ok {
		return false
	}
	for _, field := range []string{"north-", "compass-", "item-"} {
		what, ok := strings.CutPrefix(rest, field)
		if !ok {
			continue
		}
		if field == "item-" {
			// The id of an item may hold anything, a mark does not begin with one.
			return len(what) > markLength+1 && endsInMark(what)
		}
		return isMark(what) || isLongMark(what)
	}
	return false
}

func endsInMark(text string) bool {
	for _, length := range []int{markLength, 36, 40, 64} {
		if i := len(text) - length; i > 1 && text[i-1] == '-' && (isMark(text[i:]) || isLongMark(text[i:])) {
			return true
		}
	}
	return false
}

// isLongMark knows whole event ids and ids of revisions.
func isLongMark(text string) bool {
	return (len(text) == 36 || len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef-") == ""
}
