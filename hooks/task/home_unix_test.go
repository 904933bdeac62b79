//go:build unix

package task

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestEverythingWrittenIsClosedToOtherUsers(t *testing.T) {
	openMask(t)
	h := newHome(t)
	for what, err := range everyWrite(h, Key("s")) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	items, err := h.SpoolList()
	must(t, err)
	must(t, h.SpoolDone(items[0]))
	must(t, filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		info, _ := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	}))
}

func TestNoLinkBelowTheHomeIsFollowed(t *testing.T) {
	key := Key("s")
	model := newHome(t)
	everyWrite(model, key)
	var paths []string
	must(t, filepath.WalkDir(model.Dir, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(model.Dir, path); rel != "." {
			paths = append(paths, rel)
		}
		return err
	}))
	for _, rel := range paths {
		h := newHome(t)
		everyWrite(h, key)
		outside := filepath.Join(realTemp(t), "outside")
		must(t, os.Rename(filepath.Join(h.Dir, rel), outside))
		must(t, os.Symlink(outside, filepath.Join(h.Dir, rel)))
		before := snapshot(t, filepath.Dir(outside))
		everyRead(h, key)
		everyWrite(h, key)
		after := snapshot(t, filepath.Dir(outside))
		if len(before) != len(after) {
			t.Errorf("through the link %s something was made", rel)
		}
		for path, was := range before {
			if after[path] != was {
				t.Errorf("through the link %s, %s was changed", rel, path)
			}
		}
		if info, err := os.Lstat(filepath.Join(h.Dir, rel)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s was replaced", rel)
		}
	}
}

func TestTheHomeItselfMayBeALink(t *testing.T) {
	real := filepath.Join(realTemp(t), "real")
	must(t, os.Mkdir(real, 0o700))
	h := newHome(t)
	must(t, os.Symlink(real, h.Dir))
	for what, err := range everyWrite(h, Key("s")) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestANamedPipeInTheHomeIsNotWaitedFor(t *testing.T) {
	h := newHome(t)
	key := Key("s")
	everyWrite(h, key)
	for _, rel := range []string{"receipts/" + key + ".json", "cache/said-" + key + ".json", "trust.json", "off.json", "locks/" + key + ".lock"} {
		path := filepath.Join(h.Dir, rel)
		must(t, os.Remove(path))
		must(t, syscall.Mkfifo(path, 0o600))
	}
	done := make(chan bool)
	go func() {
		everyRead(h, key)
		everyWrite(h, key)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("waits for somebody to write into a named pipe")
	}
}

func TestAReadOnlyHomeIsReadAndNotWritten(t *testing.T) {
	scratch, here := asNobody(t)
	if !here {
		return
	}
	h := Home{Dir: filepath.Join(scratch, "home")}
	key := Key("s")
	everyWrite(h, key)
	var folders []string
	must(t, filepath.WalkDir(h.Dir, func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() {
			folders = append(folders, path)
		}
		return err
	}))
	for _, f := range folders {
		must(t, os.Chmod(f, 0o500))
		t.Cleanup(func() { os.Chmod(f, 0o700) })
	}
	for what, err := range everyWrite(h, Key("another")) {
		if what == "seen" || what == "spool" { // both are there: nothing to write
			continue
		}
		if err != nil && !Unwritable(err) {
			t.Errorf("%s: %v is not known as unwritable", what, err)
		} else if err == nil {
			t.Errorf("%s was written", what)
		}
	}
	if r, err := h.LoadReceipt(key); err != nil || r.Pin == nil {
		t.Errorf("the receipt is not readable: %+v, %v", r, err)
	}
	if _, ok := h.LoadView(h.Private(key)); !ok {
		t.Error("the view is not readable")
	}
	if _, err := h.Spool(time.Unix(2, 0), "new", "txt", nil); !Unwritable(err) {
		t.Errorf("the spool of a read-only home: %v", err)
	}
}
