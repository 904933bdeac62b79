package task

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestATroubleIsToldOnceForEachCause(t *testing.T) {
	h := Home{Dir: t.TempDir()}
	note := func(cause string, tell bool) bool {
		return h.NoteTrouble(Trouble{Cause: cause, Host: "claude", Event: "Stop", Last: noon}, tell)
	}
	if note("open /x/tmp-123: no such file", false) {
		t.Error("told where nobody hears it")
	}
	if !note("open /x/tmp-456: no such file", true) || note("open /x/tmp-7: no such file", true) {
		t.Error("the numbers in a name made another cause of it, or it was not told")
	}
	if !note("another", true) {
		t.Error("another cause was not told")
	}
	all, err := h.Troubles(noon)
	if err != nil || len(all) != 2 || all[0].Cause != "another" || all[1].Count != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	if all, _ := h.Troubles(noon.Add(8 * 24 * time.Hour)); len(all) != 0 {
		t.Errorf("a week later: %+v", all)
	}
}

func TestWhatPassesIsToldWhenItDoesNot(t *testing.T) {
	h := Home{Dir: t.TempDir()}
	for i, want := range []bool{false, false, true, false} {
		if got := h.NoteTrouble(Trouble{Cause: "busy", Passing: true, Last: noon}, true); got != want {
			t.Errorf("time %d: %v", i+1, got)
		}
	}
}

func TestTroublesAreBounded(t *testing.T) {
	h := Home{Dir: t.TempDir()}
	for i := range 3 * maxTroubles {
		h.NoteTrouble(Trouble{Cause: strings.Repeat("x", i+1) + strings.Repeat("é", 1000), Last: noon}, true)
	}
	all, err := h.Troubles(noon)
	if err != nil || len(all) != maxTroubles {
		t.Fatalf("%d kept, %v", len(all), err)
	}
	for _, tr := range all {
		if len(tr.Cause) > maxCause {
			t.Errorf("%d bytes", len(tr.Cause))
		}
	}
}

func TestATroubleThatCannotBeRememberedIsNotTold(t *testing.T) {
	h := Home{Dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(h.Dir, troubleFile), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if h.NoteTrouble(Trouble{Cause: fmt.Sprint("cause ", i), Last: noon}, true) {
			t.Error("it would be said for ever")
		}
	}
	if _, ok := h.UntoldTrouble(t.Context(), noon); ok {
		t.Error("something to tell out of nothing")
	}
}
