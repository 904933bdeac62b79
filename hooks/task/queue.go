package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// queueDir holds what is owed to remotes, one file a bundle.
const (
	queueDir     = "queue"
	queueVersion = 1
	// maxOwed bounds the remotes of one file: what was tried longest ago goes. A
	// push to a URL makes a remote of its own.
	maxOwed = 50
)

// Remote is where a bundle is sent.
type Remote struct {
	// Name is that of the remote, or the URL where it has none.
	Name string `json:"remote"`
	// URL tells the several URLs of one remote apart; "" is any of them. It holds
	// no credentials.
	URL string `json:"url,omitempty"`
}

// meets tells whether what became of a push to one is news of the other.
func (r Remote) meets(other Remote) bool {
	return r.Name == other.Name && (r.URL == "" || other.URL == "" || r.URL == other.URL)
}

// Owed is a push of a bundle that did not get through.
type Owed struct {
	Remote
	Reason string    `json:"reason"` // one line, the last one
	Since  time.Time `json:"since"`
	Last   time.Time `json:"last"` // when it was tried
	Tried  int       `json:"tried"`
}

// queue is the file of one bundle.
type queue struct {
	Version int    `json:"version"`
	Path    string `json:"path"` // for people who read the file
	Ref     string `json:"ref,omitempty"`
	Owed    []Owed `json:"owed"`
}

func (q *queue) known() bool { return q.Version == queueVersion }

// Queue remembers that the bundle at a place is owed to a remote, and why. first
// says that this reason is news, and so is to be said: it is true once until the
// reason changes, also among pushes side by side.
func (h Home) Queue(ctx context.Context, p Place, to Remote, reason string) (first bool, err error) {
	if to.Name == "" || reason == "" {
		return false, errors.New("what is owed needs a remote and a reason")
	}
	now := time.Now().UTC().Truncate(time.Second)
	err = h.editQueue(ctx, p, func(q *queue) {
		at := slices.IndexFunc(q.Owed, func(o Owed) bool { return o.Remote == to })
		if at < 0 {
			at = slices.IndexFunc(q.Owed, func(o Owed) bool { return o.meets(to) })
		}
		if at < 0 {
			first = true
			q.Owed = append(q.Owed, Owed{Remote: to, Reason: reason, Since: now, Last: now, Tried: 1})
			q.trim(maxOwed)
			return
		}
		o := &q.Owed[at]
		first = !sameReason(o.Reason, reason)
		if o.URL == "" {
			o.URL = to.URL
		}
		o.Reason, o.Last, o.Tried = reason, now, o.Tried+1
	})
	return first && err == nil, err
}

// Settle forgets what was owed to a remote, and tells whether anything was.
// Without a URL it means all URLs of that name.
func (h Home) Settle(ctx context.Context, p Place, to Remote) (settled bool, err error) {
	owed, err := h.Owed(p)
	if err != nil || !slices.ContainsFunc(owed, func(o Owed) bool { return o.meets(to) }) {
		return false, err // most often there is nothing, and nothing is written
	}
	err = h.editQueue(ctx, p, func(q *queue) {
		before := len(q.Owed)
		q.Owed = slices.DeleteFunc(q.Owed, func(o Owed) bool { return o.meets(to) })
		settled = len(q.Owed) < before
	})
	return settled && err == nil, err
}

// Owed lists the remotes that the bundle at a place is owed to, as they came. A
// file that cannot be understood is an error.
func (h Home) Owed(p Place) ([]Owed, error) {
	data, err := h.ReadFile(queueDir, p.ID()+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return decodeQueue(data)
}

func decodeQueue(data []byte) ([]Owed, error) {
	q, err := decodeLedger[queue](data)
	if err == nil && !q.known() {
		err = errors.New("of another version")
	}
	if err != nil {
		return nil, fmt.Errorf("the list of what is owed to remotes cannot be read (%w)", err)
	}
	return q.Owed, nil
}

func (h Home) editQueue(ctx context.Context, p Place, change func(*queue)) error {
	return editLedger(ctx, h, queueDir, p.ID()+".json", (*queue).known, func(q *queue) {
		q.Version, q.Path, q.Ref = queueVersion, p.Path, p.Ref
		if q.Owed == nil {
			q.Owed = []Owed{}
		}
		change(q)
	})
}

// trim forgets what was tried longest ago beyond a number.
func (q *queue) trim(most int) {
	for len(q.Owed) > most {
		oldest := 0
		for i, o := range q.Owed {
			if o.Last.Before(q.Owed[oldest].Last) {
				oldest = i
			}
		}
		q.Owed = slices.Delete(q.Owed, oldest, oldest+1)
	}
}

// sameReason compares reasons without what differs from one try to the next:
// times, ports, ids.
func sameReason(a, b string) bool {
	return slices.Equal(lasting(a), lasting(b))
}

// lasting are the words of a reason that hold no digit.
func lasting(reason string) []string {
	return slices.DeleteFunc(strings.Fields(reason), func(word string) bool { return strings.ContainsAny(word, "0123456789") })
}
