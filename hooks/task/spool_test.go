package task

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestHooksThatWereCalledAreListedWithTheirLastTime(t *testing.T) {
	h := newHome(t)
	must(t, h.Touch("claude", "Stop"))
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(filepath.Join(h.Dir, "seen", "claude-Stop"), long, long))
	must(t, h.Touch("codex", "session.created"))
	all, err := h.Seen()
	must(t, err)
	if len(all) != 2 || all[0].Host != "claude" || all[0].Event != "Stop" || all[0].At.Sub(long).Abs() > time.Second || all[1].Event != "session.created" {
		t.Errorf("%+v", all)
	}
	must(t, h.Touch("claude", "Stop"))
	if all, _ := h.Seen(); all[0].At.Before(long.Add(time.Minute)) {
		t.Errorf("the second call left the time at %v", all[0].At)
	}
}

func TestNamesOfHooksThatAreNoNamesAreRefused(t *testing.T) {
	h := newHome(t)
	for _, c := range [][2]string{
		{"", "Stop"}, {"claude", ""}, {"../x", "Stop"}, {"claude", "../../x"}, {"claude", "a/b"}, {"claude", "a\nb"},
		{"a-b", "Stop"}, {".hidden", "Stop"}, {"claude", "$(x)"}, {"claude", string(make([]byte, 10))}, {"claude", "größe"},
	} {
		if err := h.Touch(c[0], c[1]); err == nil && c[0] != "a-b" {
			t.Errorf("touched %q", c)
		}
	}
	all, err := h.Seen()
	if err != nil || len(all) > 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestSpooledTextIsKeptUntilItWasRecordedAndThenSetAside(t *testing.T) {
	h := newHome(t)
	second := time.Date(2026, 11, 30, 12, 0, 1, 5000, time.UTC)
	later, err := h.Spool(second, "b-2", "txt", []byte("two"))
	must(t, err)
	earlier, err := h.Spool(second.Add(-time.Second), "a-1", "json", []byte("{}"))
	must(t, err)
	list, err := h.SpoolList()
	must(t, err)
	if len(list) != 2 || list[0].ID != "a-1" || list[0].Ext != "json" || list[0].Path != earlier ||
		list[1].ID != "b-2" || list[1].Path != later || !list[1].At.Equal(second) {
		t.Fatalf("%+v", list)
	}
	if data, err := h.SpoolRead(list[1]); err != nil || string(data) != "two" {
		t.Errorf("%q, %v", data, err)
	}
	must(t, h.SpoolDone(list[1]))
	must(t, h.SpoolDone(list[1])) // another process did the same
	if rest, _ := h.SpoolList(); len(rest) != 1 {
		t.Errorf("%+v", rest)
	}
	kept := filepath.Join(h.Dir, "spool", "done", filepath.Base(later))
	if data, err := os.ReadFile(kept); err != nil || string(data) != "two" {
		t.Errorf("what was recorded is not kept: %q, %v", data, err)
	}
}

func TestAnIDIsSpooledOnce(t *testing.T) {
	h := newHome(t)
	now := time.Now()
	first, err := h.Spool(now, "x", "txt", []byte("one"))
	must(t, err)
	second, err := h.Spool(now.Add(time.Hour), "x", "txt", []byte("again"))
	must(t, err)
	list, _ := h.SpoolList()
	if first != second || len(list) != 1 {
		t.Fatalf("%q, %q, %+v", first, second, list)
	}
	must(t, h.SpoolDone(list[0]))
	if _, err := h.Spool(now, "x", "txt", []byte("again")); err != nil {
		t.Fatal(err)
	}
	if list, _ := h.SpoolList(); len(list) != 0 {
		t.Errorf("spooled again after it was recorded: %+v", list)
	}
}

func TestOnlyNamesOfItsOwnFormAreInTheSpool(t *testing.T) {
	h := newHome(t)
	now := time.Now()
	for _, c := range [][2]string{{"", "txt"}, {"../x", "txt"}, {"a/b", "txt"}, {"x", "sh"}, {"x", ""}, {"x", "txt/../../y"}, {"a b", "json"}, {".x", "txt"}} {
		if path, err := h.Spool(now, c[0], c[1], nil); err == nil {
			t.Errorf("spooled %q as %s", c, path)
		}
	}
	write(t, filepath.Join(h.Dir, "spool", "note.txt"), "a person's")
	write(t, filepath.Join(h.Dir, "spool", ".tmp-1"), "killed while writing")
	if list, err := h.SpoolList(); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
