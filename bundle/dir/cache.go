package dir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"

	"chatrail/bundle"
)

// Cache keeps what was verified of a history, so that the next process verifies
// only what follows. It is a hint: what it holds is checked against the events
// file, and a bundle is never judged frozen by it. Without a cache each Store
// verifies the whole history once.
type Cache interface {
	// Load returns what Save kept last, nil where there is nothing.
	Load() []byte
	// Save keeps data. It may fail without saying so.
	Save(data []byte)
}

// prefix is a part of the history, from its beginning, that was verified. It
// ends before the newest event, which every reader needs anyway. A prefix is
// never changed once it is shared.
type prefix struct {
	size   int64  // bytes
	tail   string // digest of its last tailSize bytes
	events int
	lines  int
	id     string            // event id of its last event
	state  bundle.State      // after its last event
	notes  map[string]string // path -> sha256, as recorded
}

// tailSize is how much of the file has to be the same for a prefix to fit.
const tailSize = 64 << 10

const cacheVersion = 1

// cached is a prefix as it is kept.
type cached struct {
	Version int               `json:"version"`
	Size    int64             `json:"size"`
	Tail    string            `json:"tail"`
	Events  int               `json:"events"`
	Lines   int               `json:"lines"`
	ID      string            `json:"id"`
	Compass json.RawMessage   `json:"compass"`
	Rail    json.RawMessage   `json:"rail"`
	Notes   map[string]string `json:"notes,omitempty"`
}

// encode gives the bytes for a Cache: a digest, a line break and JSON.
func (p prefix) encode() ([]byte, error) {
	body, err := json.Marshal(cached{
		Version: cacheVersion, Size: p.size, Tail: p.tail, Events: p.events, Lines: p.lines, ID: p.id,
		Compass: p.state.Compass.JSON(), Rail: p.state.Rail.JSON(), Notes: p.notes,
	})
	if err != nil {
		return nil, err
	}
	return append([]byte(sum(body)+"\n"), body...), nil
}

// decodePrefix reads what encode gave. Anything else is no prefix.
func decodePrefix(data []byte) (prefix, bool) {
	digest, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok || string(digest) != sum(body) {
		return prefix{}, false
	}
	var c cached
	if json.Unmarshal(body, &c) != nil || c.Version != cacheVersion || c.Size <= 0 || c.Events <= 0 || c.ID == "" {
		return prefix{}, false
	}
	compass, err := bundle.CompassFromJSON(c.Compass)
	if err != nil {
		return prefix{}, false
	}
	rail, err := bundle.RailFromJSON(c.Rail)
	if err != nil {
		return prefix{}, false
	}
	return prefix{
		size: c.Size, tail: c.Tail, events: c.Events, lines: c.Lines, id: c.ID,
		state: bundle.State{Compass: compass, Rail: rail}, notes: c.Notes,
	}, true
}

// fits reports whether the first bytes of a file of that size are the prefix.
func (p prefix) fits(r io.ReaderAt, size int64) bool {
	if p.size > size {
		return false
	}
	tail, err := tailDigest(r, p.size)
	return err == nil && tail == p.tail
}

// tailDigest is the digest of the last bytes before end.
func tailDigest(r io.ReaderAt, end int64) (string, error) {
	buf := make([]byte, min(tailSize, end))
	if _, err := r.ReadAt(buf, end-int64(len(buf))); err != nil && err != io.EOF {
		return "", err
	}
	return sum(buf), nil
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
