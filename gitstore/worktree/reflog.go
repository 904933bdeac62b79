package worktree

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// entry is one line of a reflog: a reference that moved.
type entry struct {
	old     string // "" where the source does not tell
	id      string // where it moved to
	when    time.Time
	message string
}

// parseEntry reads "<old> <new> <name> <<email>> <seconds> <zone>\t<message>",
// as git reads it: the message may be missing.
func parseEntry(line string, idLength int) (entry, bool) {
	var e entry
	if len(line) < 2*idLength+2 || line[idLength] != ' ' || line[2*idLength+1] != ' ' {
		return e, false
	}
	e.old, e.id = line[:idLength], line[idLength+1:2*idLength+1]
	_, rest, ok := strings.Cut(line[2*idLength+2:], "> ")
	if !ok || !isID(e.old) || !isID(e.id) {
		return e, false
	}
	seconds, zone, ok := strings.Cut(rest, " ")
	if !ok {
		return e, false
	}
	zone, e.message, _ = strings.Cut(zone, "\t")
	e.when, ok = moment(seconds, zone)
	return e, ok
}

// moment reads git's raw date: seconds since 1970 and a zone such as +0130.
func moment(seconds, zone string) (time.Time, bool) {
	at, err := strconv.ParseUint(seconds, 10, 48)
	if err != nil || len(zone) != 5 || zone[0] != '+' && zone[0] != '-' {
		return time.Time{}, false
	}
	offset, err := strconv.ParseUint(zone[1:], 10, 16)
	if err != nil {
		return time.Time{}, false
	}
	east := int(offset/100*60+offset%100) * 60
	if zone[0] == '-' {
		east = -east
	}
	return time.Unix(int64(at), 0).In(time.FixedZone("", east)), true
}

// A reflog is read from its end in blocks, and no further than maxLog, some
// twenty thousand entries.
const (
	logBlock = 32 << 10
	maxLog   = 4 << 20
)

// eachLine calls fn for the lines of a file, the last first, until it returns
// false. whole is false where the bound came before the beginning of the file.
// No file is no line.
func eachLine(path string, fn func(line string) bool) (whole bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return false, err
	}
	var rest []byte // what follows the present block up to the end of its last line
	for at := fi.Size(); at > 0; {
		if fi.Size()-at >= maxLog {
			return false, nil
		}
		size := min(at, logBlock)
		at -= size
		block := make([]byte, size, int(size)+len(rest))
		if _, err := f.ReadAt(block, at); err != nil && err != io.EOF {
			return false, err
		}
		block = append(block, rest...)
		for {
			text := bytes.TrimSuffix(block, []byte("\n"))
			start := bytes.LastIndexByte(text, '\n') + 1
			if start == 0 && at > 0 {
				break
			}
			if len(text) > start && !fn(string(text[start:])) {
				return true, nil
			}
			if start == 0 {
				return true, nil
			}
			block = block[:start]
		}
		rest = block
	}
	return true, nil
}
