package memory

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var when = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestANoteIsAnObligationAgainWhenItChanges(t *testing.T) {
	var l Ledger
	a, b := Note{File: "a.md", Generation: "1"}, Note{File: "b.md", Generation: "2"}
	if l.State(a) != New {
		t.Errorf("unknown: %s", l.State(a))
	}
	l.Settle([]Note{a}, Resolved, when, "", nil)
	l.Settle([]Note{b}, Ignored, when, "", nil)
	if l.State(a) != Resolved || l.State(b) != Ignored {
		t.Errorf("%s, %s", l.State(a), l.State(b))
	}
	a.Generation, b.Generation = "3", "4"
	if l.State(a) != Changed || l.State(b) != Changed || !Changed.Open() {
		t.Errorf("%s, %s", l.State(a), l.State(b))
	}
	if moved := (Note{File: "c.md", Generation: "1"}); l.State(moved) != Resolved {
		t.Errorf("a note that was only renamed: %s", l.State(moved))
	}
}

func TestALedgerForgetsOnlyWhatIsGone(t *testing.T) {
	var l Ledger
	kept := Note{File: "kept.md", Generation: "kept"}
	l.Settle([]Note{kept}, Resolved, when.Add(-time.Hour), "", nil)
	var many []Note
	for i := range maxSettled {
		many = append(many, Note{File: "x.md", Generation: fmt.Sprint(i)})
	}
	l.Settle(many[:1], Resolved, when.Add(-time.Minute), "", nil)
	l.Settle(many, Resolved, when, "", []Note{kept})
	if len(l.Settled) != maxSettled || l.State(kept) != Resolved {
		t.Errorf("%d are remembered, and the note that is there is %s", len(l.Settled), l.State(kept))
	}
}

func TestALedgerOfALaterVersionIsReadAndNotTakenForDamaged(t *testing.T) {
	l, err := DecodeLedger([]byte(`{"version":2,"settled":{"1":{"state":"resolved","file":"a.md","more":1}},"new":{}}`))
	if !errors.Is(err, ErrLater) || l.State(Note{Generation: "1"}) != Resolved {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestANameThatTwoNotesHaveNeedsTheFile(t *testing.T) {
	l := Listing{Notes: []Note{{File: "a.md", Name: "same"}, {File: "sub/b.md", Name: "same"}, {File: "same.txt.md", Name: "c"}}}
	if _, err := l.Find("same"); err == nil || !strings.Contains(err.Error(), "a.md or sub/b.md") {
		t.Error(err)
	}
	for name, file := range map[string]string{"c": "same.txt.md", "sub/b": "sub/b.md", "a.md": "a.md"} {
		if n, err := l.Find(name); err != nil || n.File != file {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
	}
	if _, err := l.Find("d"); err == nil {
		t.Error("found what is not there")
	}
}

func FuzzALedgerIsReadOrDamaged(f *testing.F) {
	var l Ledger
	l.Version = ledgerVersion
	l.Settle([]Note{{File: "a.md", Generation: "1"}}, Resolved, when, "3f9a1c0b7d2e", nil)
	whole, err := l.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(`{"version":1,"settled":{"1":null}}`))
	f.Add([]byte("null"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := DecodeLedger(data)
		if errors.Is(err, ErrDamaged) {
			if len(l.Settled) > 0 || l.Version != ledgerVersion {
				t.Fatalf("something of it was kept: %+v", l)
			}
		} else if err != nil && !errors.Is(err, ErrLater) {
			t.Fatal(err)
		}
		n := Note{File: "b.md", Generation: "2"}
		l.Settle([]Note{n}, Ignored, when, "", nil)
		again, err := l.Encode()
		if err != nil {
			t.Skip() // a time that no JSON can hold
		}
		back, err := DecodeLedger(again)
		if err != nil && !errors.Is(err, ErrLater) || back.State(n) != Ignored || len(back.Settled) != len(l.Settled) {
			t.Fatalf("%+v, %v from %s", back, err, again)
		}
	})
}
