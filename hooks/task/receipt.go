package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatrail/hooks/turn"
)

const (
	receiptVersion = 2
	// maxWarned bounds the causes a receipt remembers, newest first.
	maxWarned = 32
	// maxUntold bounds the lines that wait, the oldest go.
	maxUntold = 8
)

// Pin is the lasting tie from a task to its bundle.
type Pin struct {
	Place
	Since time.Time `json:"since,omitzero"` // when the task was tied to it
}

// Receipt is what is remembered of one task. It is read, changed and saved
// under the lock of the task.
type Receipt struct {
	Version int    `json:"version"` // filled in by SaveReceipt
	TaskKey string `json:"task_key"`
	Agent   string `json:"agent,omitempty"`
	// Pin is nil until the first root prompt of the task.
	Pin  *Pin       `json:"pin,omitempty"`
	Turn turn.State `json:"turn,omitzero"`
	// Warned are causes that the person was told of once, apart from those of a
	// frozen bundle, which belong to Turn.
	Warned []string `json:"warned,omitempty"`
	Paused bool     `json:"paused,omitempty"` // by `off` for this task
	// Untold are lines that wait for an event that can say them.
	Untold []string `json:"untold,omitempty"`
	// Baseline is what lay about in the work tree when the task was pinned; its
	// form is that of whoever compares with it.
	Baseline json.RawMessage `json:"baseline,omitempty"`
	// Captured is the last checkpoint that a hook wrote, nil for none.
	Captured *Captured `json:"captured,omitempty"`
	// Apart says that the host's environment names another work tree than its
	// payloads, which count.
	Apart Apart `json:"apart,omitzero"`
	// CWD is where the client said it was at the task's last prompt, and Left how
	// the session ended since, nil where it did not.
	CWD  string `json:"cwd,omitempty"`
	Left *Left  `json:"left,omitempty"`
	// Adopted are the keys of the tasks that this one goes on with, the nearest
	// first: what they began is its own to finish.
	Adopted []string `json:"adopted,omitempty"`
	// Extra holds the keys that this version does not know.
	Extra map[string]json.RawMessage `json:"-"`
	// Damaged says, in one line, that the file was not readable and what was
	// lost. It is not stored.
	Damaged string `json:"-"`

	pinned *Pin // as the copy in pins/ has it, nil where there is none
	torn   bool // the file is to be kept aside before the next save
}

// Captured is a checkpoint as a task remembers it.
type Captured struct {
	State string    `json:"state"` // names what was derived: the same state is not written twice
	Path  string    `json:"path"`  // of the note it is in
	Words string    `json:"words"` // what it holds, in a few words
	At    time.Time `json:"at"`
}

// Left is the end of a session.
type Left struct {
	At      time.Time `json:"at"`
	Cleared bool      `json:"cleared,omitempty"` // the person goes on in a new context
}

// maxAdopted bounds the tasks that a receipt remembers to have adopted.
const maxAdopted = 8

// Adopt remembers that the task goes on with others, the nearest first.
func (r *Receipt) Adopt(keys ...string) {
	var all []string
	for _, key := range slices.Concat(keys, r.Adopted) {
		if key != r.TaskKey && !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	r.Adopted = all[:min(len(all), maxAdopted)]
}

// LastAt is when the task was last at work.
func (r Receipt) LastAt() time.Time {
	last := r.Turn.LastPrompt.At
	if r.Pin != nil && r.Pin.Since.After(last) {
		last = r.Pin.Since
	}
	if review := r.Turn.Review; review != nil && review.OpenedAt.After(last) {
		last = review.OpenedAt
	}
	return last
}

// WarnOnce tells whether a cause is new to the task, and remembers it.
func (r *Receipt) WarnOnce(cause string) bool {
	if slices.Contains(r.Warned, cause) {
		return false
	}
	warned := append([]string{cause}, r.Warned...)
	r.Warned = warned[:min(len(warned), maxWarned)]
	return true
}

// Tell remembers a line for the next event that can say it.
func (r *Receipt) Tell(line string) {
	if !slices.Contains(r.Untold, line) {
		r.Untold = append(r.Untold, line)
	}
	r.Untold = r.Untold[max(0, len(r.Untold)-maxUntold):]
}

// LoadReceipt reads the receipt of a task, as this or the Python version wrote
// it. Where there is none, it returns an empty one. It changes nothing.
//
// A pin is for life, so a second copy of it is kept in pins/. Receipts are not
// synced: when one is torn or gone after a crash, the pin comes from there, the
// review that was open is lost, and Damaged says so. Without the copy, which
// only a receipt of the Python version lacks, an existing private bundle of the
// task is its pin, and otherwise the bundle is discovered again.
func (h Home) LoadReceipt(key string) (Receipt, error) {
	if !IsKey(key) {
		return Receipt{}, fmt.Errorf("%q is not a task key", key)
	}
	data, err := h.ReadFile(receiptsDir, key+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return h.recover(key, ""), nil
	}
	if err != nil {
		return Receipt{}, err
	}
	r, err := decodeReceipt(data, key)
	if err != nil {
		lost := "the receipt of this task was damaged (" + err.Error() + "): an open review is lost"
		return h.recover(key, lost), nil
	}
	if r.Pin != nil {
		h.relocate(&r.Pin.Place)
	}
	return r, nil
}

// recover makes a receipt out of what else is known of the task.
func (h Home) recover(key, damaged string) Receipt {
	r := Receipt{TaskKey: key, Damaged: damaged, torn: damaged != ""}
	var pin Pin
	data, err := h.ReadFile(pinsDir, key+".json")
	switch {
	case err == nil && json.Unmarshal(data, &pin) == nil && pin.Kind != "":
		r.Pin, r.pinned = &pin, clonePin(&pin)
		h.relocate(&r.Pin.Place)
	case r.torn && isFolder(h.PrivateDir(key)):
		r.Pin = &Pin{Place: h.Private(key)}
	}
	return r
}

// decodeReceipt reads the bytes of a receipt of this or the Python version.
func decodeReceipt(data []byte, key string) (Receipt, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return Receipt{}, errors.New("not a JSON object")
	}
	var head struct {
		Version int    `json:"version"`
		TaskKey string `json:"task_key"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Version < 1 {
		return Receipt{}, errors.New("no version")
	}
	if head.TaskKey != key {
		return Receipt{}, errors.New("of another task")
	}
	if head.Version == 1 {
		return decodeLegacy(data, keys)
	}
	var r Receipt
	if err := json.Unmarshal(data, &r); err != nil {
		return Receipt{}, errors.New("a value of the wrong type")
	}
	if r.Pin != nil && !r.Pin.valid() {
		return Receipt{}, errors.New("a pin that names no place")
	}
	r.Extra = unknown(keys, "version", "task_key", "agent", "pin", "turn", "warned", "paused", "untold", "baseline", "captured", "apart", "cwd", "left", "adopted")
	r.pinned = clonePin(r.Pin)
	return r, nil
}

func (p Pin) valid() bool {
	switch p.Kind {
	case KindGit:
		return filepath.IsAbs(p.Path) && p.Ref != ""
	case KindDir, KindPrivate:
		return filepath.IsAbs(p.Path)
	}
	return false
}

// SaveReceipt replaces the receipt of a task, under its lock. A new pin is
// first copied to pins/ and synced. A damaged file is kept aside beside it. A
// pin may move and never be dropped.
func (h Home) SaveReceipt(r *Receipt) error {
	if !IsKey(r.TaskKey) {
		return fmt.Errorf("%q is not a task key", r.TaskKey)
	}
	if r.Pin == nil && r.pinned != nil {
		return errors.New("a pin is for life: it can move to another bundle and not be dropped")
	}
	name := r.TaskKey + ".json"
	if r.Pin != nil && (r.pinned == nil || *r.pinned != *r.Pin) {
		data, err := json.Marshal(r.Pin)
		if err != nil {
			return err
		}
		if err := h.replace(pinsDir, name, data, true); err != nil {
			return err
		}
		r.pinned = clonePin(r.Pin)
	}
	if r.torn {
		if _, err := h.setAside(receiptsDir, name); err != nil {
			return err
		}
		r.torn = false
	}
	data, err := encodeReceipt(*r)
	if err != nil {
		return err
	}
	return h.ReplaceFile(receiptsDir, name, data)
}

func encodeReceipt(r Receipt) ([]byte, error) {
	r.Version = max(r.Version, receiptVersion)
	data, err := json.Marshal(r)
	if err != nil || len(r.Extra) == 0 {
		return data, err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, err
	}
	for key, value := range r.Extra {
		if _, known := keys[key]; !known {
			keys[key] = value
		}
	}
	return json.Marshal(keys)
}

// Receipts lists the keys of all tasks with a receipt, sorted.
func (h Home) Receipts() ([]string, error) {
	names, err := h.names(receiptsDir)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, name := range sorted(names) {
		if key, ok := strings.CutSuffix(name, ".json"); ok && IsKey(key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// ReceiptsByPrefix lists the keys of the tasks with a receipt that begin with
// the 12 hex digits of a review id.
func (h Home) ReceiptsByPrefix(prefix string) ([]string, error) {
	if len(prefix) != shortLen || !isHex(prefix) {
		return nil, fmt.Errorf("%q is not the 12 lower-case hex digits that a review id begins with", prefix)
	}
	keys, err := h.Receipts()
	return slices.DeleteFunc(keys, func(key string) bool { return !strings.HasPrefix(key, prefix) }), err
}

// relocate follows a private bundle into this home, when the home was moved.
func (h Home) relocate(p *Place) {
	here := h.PrivateDir(filepath.Base(p.Path))
	if p.Kind == KindPrivate && p.Path != here && IsKey(filepath.Base(p.Path)) && !isFolder(p.Path) && isFolder(here) {
		p.Path = here
	}
}

func clonePin(p *Pin) *Pin {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func unknown(keys map[string]json.RawMessage, known ...string) map[string]json.RawMessage {
	for _, key := range known {
		delete(keys, key)
	}
	if len(keys) == 0 {
		return nil
	}
	return keys
}
