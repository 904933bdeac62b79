package task

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatrail/hooks/turn"
)

func TestStateHomeFollowsTheVariablesInTheirOrder(t *testing.T) {
	root := realTemp(t)
	a, b, c := filepath.Join(root, "a"), filepath.Join(root, "b"), filepath.Join(root, "c")
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"CHATRAIL_HOME", a, "CODEX_HOME", b, "HOME", c}, a},
		{[]string{"CODEX_HOME", b, "HOME", c}, filepath.Join(b, "chatrail")},
		{[]string{"HOME", c}, filepath.Join(c, ".codex", "chatrail")},
		{[]string{"CHATRAIL_HOME", "", "CODEX_HOME", "", "HOME", c}, filepath.Join(c, ".codex", "chatrail")},
		{[]string{"CHATRAIL_HOME", a + string(filepath.Separator)}, a},
	} {
		home, err := FindHome(environment(c.env...))
		if err != nil || home.Dir != c.want {
			t.Errorf("with %q: %q, %v; want %q", c.env, home.Dir, err, c.want)
		}
	}
	if exists(a) || exists(b) || exists(c) {
		t.Error("looking for the home made it")
	}
}

func TestMissingOrRelativeHomeSaysWhichVariableToSet(t *testing.T) {
	for _, c := range []struct {
		env  []string
		word string
	}{
		{nil, "HOME"},
		{[]string{"CHATRAIL_HOME", "state", "HOME", "/h"}, "CHATRAIL_HOME"},
		{[]string{"CODEX_HOME", "./x", "HOME", "/h"}, "CODEX_HOME"},
		{[]string{"HOME", "~"}, "HOME"},
	} {
		home, err := FindHome(environment(c.env...))
		if err == nil || home.Dir != "" || !strings.Contains(err.Error(), c.word) {
			t.Errorf("with %q: %q, %v", c.env, home.Dir, err)
		}
	}
	if _, err := FindHome(environment()); !errors.Is(err, ErrNoHome) {
		t.Errorf("without any variable: %v", err)
	}
}

// everyWrite calls everything that writes into a home and returns the errors
// by name.
func everyWrite(h Home, key string) map[string]error {
	p := h.Private(key)
	r := Receipt{TaskKey: key, Pin: &Pin{Place: p}}
	_, spool := h.Spool(time.Unix(1, 0), "an-id", "txt", []byte("text"))
	unlock, lock := h.LockTask(ctx, key)
	if lock == nil {
		unlock()
	}
	dir := Place{Kind: KindDir, Path: "/somewhere/.chatrail", Root: "r"}
	_, memory := h.EditMemory(ctx, ledgerID, func([]byte) ([]byte, bool, error) { return []byte("{}"), false, nil })
	return map[string]error{
		"receipt": h.SaveReceipt(&r),
		"view":    h.SaveView(p, View{Tip: "t"}),
		"prefix":  h.SavePrefix(p, []byte("{}")),
		"said":    h.SaveSaid(key, turn.State{Lined: true}),
		"trust":   h.Trust(ctx, dir),
		"off":     h.SetPlaceOff(ctx, dir, true),
		"seen":    h.Touch("claude", "Stop"),
		"ledger":  h.ReplaceFile("memory", "x.json", []byte("{}")),
		"memory":  memory,
		"spool":   spool,
		"lock":    lock,
	}
}

// everyRead calls everything that reads a home.
func everyRead(h Home, key string) {
	p := h.Private(key)
	h.LoadReceipt(key)
	h.ReceiptsByPrefix(Short(key))
	h.LoadView(p)
	h.KnownTip(p)
	h.LoadPrefix(p)
	h.LoadSaid(key)
	h.LoadMemory(ledgerID)
	h.Trusted(Place{Kind: KindDir, Path: "/somewhere"}, "r")
	h.PlaceOff(p)
	h.Paused(environment(), Receipt{Pin: &Pin{Place: p}})
	h.Seen()
	h.SpoolList()
	h.Check(p)
}

func TestReadingTheHomeCreatesNothing(t *testing.T) {
	h := newHome(t)
	everyRead(h, Key("s"))
	if exists(h.Dir) {
		t.Error("reading made the home")
	}
	for what, err := range everyWrite(h, Key("s")) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	before := snapshot(t, h.Dir)
	everyRead(h, Key("other"))
	if after := snapshot(t, h.Dir); len(after) != len(before) {
		t.Errorf("reading made something: %d files before, %d after", len(before), len(after))
	}
}

func TestAFileWhereAFolderShouldBeIsAnError(t *testing.T) {
	for _, folder := range []string{"receipts", "pins", "cache", "locks", "seen", "spool", "memory"} {
		h := newHome(t)
		write(t, filepath.Join(h.Dir, folder), "in the way")
		failed := false
		for _, err := range everyWrite(h, Key("s")) {
			if err != nil && strings.Contains(err.Error(), "move it away") {
				failed = true
			}
		}
		everyRead(h, Key("s"))
		if !failed {
			t.Errorf("a file %s was no error", folder)
		}
		if data, _ := os.ReadFile(filepath.Join(h.Dir, folder)); string(data) != "in the way" {
			t.Errorf("the file %s was changed", folder)
		}
	}
	h := newHome(t)
	write(t, h.Dir, "in the way")
	for what, err := range everyWrite(h, Key("s")) {
		if err == nil {
			t.Errorf("%s was written into a file", what)
		}
	}
}

func TestNoHomeMeansNoWriteAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	for what, err := range everyWrite(Home{}, Key("s")) {
		if !errors.Is(err, ErrNoHome) {
			t.Errorf("%s without a home: %v", what, err)
		}
	}
	everyRead(Home{}, Key("s"))
	if names, _ := os.ReadDir("."); len(names) > 0 {
		t.Errorf("the working directory got %s", names[0].Name())
	}
}

func TestNamesOfFilesCannotLeaveTheirFolder(t *testing.T) {
	h := newHome(t)
	for _, name := range []string{"", ".", "..", "a/b", "../x", "/abs", `a\b`, "a\x00b"} {
		if err := h.ReplaceFile("memory", name, nil); err == nil {
			t.Errorf("wrote %q", name)
		}
		if _, err := h.ReadFile("memory", name); err == nil || errors.Is(err, fs.ErrNotExist) && exists(h.Dir) {
			t.Errorf("read %q: %v", name, err)
		}
		if _, err := h.Lock(ctx, name+"/../x"); err == nil {
			t.Errorf("locked %q", name)
		}
	}
	for _, dir := range []string{"..", "memory/..", "../x", "/tmp", "a//b"} {
		if err := h.ReplaceFile(dir, "x", nil); err == nil {
			t.Errorf("wrote into %q", dir)
		}
	}
}
