package task

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const itemID = "0b7c6f0a-52c9-4a8e-9a3e-8a4f2b1c9d10"

func newItem(key string) Drop {
	return Drop{
		ID: itemID, TaskKey: key, ReviewID: NewReviewID(key), Kind: "reconcile",
		Body: json.RawMessage(`{"reason":"x"}`), At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
}

// newBox is an environment whose $TMPDIR is new, a task with a session of its
// own, so that tests share /tmp without seeing each other, and the drop box.
func newBox(t *testing.T) (env func(string) string, key, dir string) {
	t.Helper()
	temp := realTemp(t)
	env = environment("TMPDIR", temp)
	return env, Key(t.Name() + temp), DropDirs(env)[0]
}

func TestAChangeLeftInTheDropBoxIsCollectedAndRemoved(t *testing.T) {
	env, key, dir := newBox(t)
	if PendingDrop(env, key) {
		t.Error("something waits before anything was left")
	}
	item := newItem(key)
	path, err := PutDrop(ctx, env, item)
	must(t, err)
	if path != filepath.Join(dir, item.ReviewID+"."+item.ID+".json") {
		t.Errorf("left at %s", path)
	}
	if !PendingDrop(env, key) || PendingDrop(env, Key("another task")) {
		t.Error("the wrong task has something to collect")
	}
	found, refused := CollectDrops(env, key)
	if len(found) != 1 || len(refused) != 0 || !reflect.DeepEqual(found[0], Found{Drop: item, Path: path}) {
		t.Fatalf("%+v, %+v", found, refused)
	}
	must(t, RemoveDrop(found[0]))
	must(t, RemoveDrop(found[0])) // another hook was first
	if exists(path) || PendingDrop(env, key) {
		t.Error("it was not removed")
	}
}

func TestLeavingAnItemTwiceLeavesItOnce(t *testing.T) {
	env, key, _ := newBox(t)
	item := newItem(key)
	_, err := PutDrop(ctx, env, item)
	must(t, err)
	_, err = PutDrop(ctx, env, item)
	must(t, err)
	if found, refused := CollectDrops(env, key); len(found) != 1 || len(refused) != 0 {
		t.Errorf("%+v, %+v", found, refused)
	}
}

func TestWhatWaitsIsCollectedOldestFirst(t *testing.T) {
	env, key, _ := newBox(t)
	for i, id := range []string{"c", "a", "b"} {
		item := newItem(key)
		item.ID, item.At = id, item.At.Add(time.Duration(-i)*time.Hour)
		_, err := PutDrop(ctx, env, item)
		must(t, err)
	}
	found, _ := CollectDrops(env, key)
	if len(found) != 3 || found[0].ID != "b" || found[2].ID != "c" {
		t.Errorf("%+v", found)
	}
}

func TestReviewsOfThePythonVersionAndNoReviewHaveNamesOfTheirTask(t *testing.T) {
	env, key, _ := newBox(t)
	for _, review := range []string{"", "9d1f0f1e-5f0b-4a38-8c6e-0d6f8e2a7c11", NewReviewID(Key("another task"))} {
		item := newItem(key)
		item.ReviewID = review
		path, err := PutDrop(ctx, env, item)
		must(t, err)
		if !strings.HasPrefix(filepath.Base(path), Short(key)+".") {
			t.Errorf("review %q is left at %s", review, path)
		}
		found, refused := CollectDrops(env, key)
		if len(found) != 1 || found[0].ReviewID != review || len(refused) != 0 {
			t.Fatalf("review %q: %+v, %+v", review, found, refused)
		}
		must(t, RemoveDrop(found[0]))
	}
}

func TestItemsWithHostileNamesAreNotWritten(t *testing.T) {
	env, key, dir := newBox(t)
	for _, change := range []func(*Drop){
		func(d *Drop) { d.ID = "" },
		func(d *Drop) { d.ID = "../../x" },
		func(d *Drop) { d.ID = "a\nb" },
		func(d *Drop) { d.ID = strings.Repeat("a", 100) },
		func(d *Drop) { d.ReviewID = "../x" },
		func(d *Drop) { d.ReviewID = "$(touch x)" },
		func(d *Drop) { d.TaskKey = "x" },
		func(d *Drop) { d.TaskKey = "" },
		func(d *Drop) { d.Body = json.RawMessage("{") },
		func(d *Drop) { d.Body = json.RawMessage(`"` + strings.Repeat("a", maxDrop) + `"`) },
	} {
		item := newItem(key)
		change(&item)
		if path, err := PutDrop(ctx, env, item); err == nil {
			t.Errorf("%.80v was left at %s", item, path)
		}
	}
	if exists(dir) {
		t.Error("the drop box was made")
	}
}

func TestTheDropBoxIsLookedForInBothPlacesOnce(t *testing.T) {
	temp := realTemp(t)
	name := "chatrail-" + userID()
	shared := filepath.Join(sharedTemp(), name)
	for _, c := range []struct {
		tmpdir string
		want   []string
	}{
		{temp, []string{filepath.Join(temp, name), shared}},
		{"", []string{shared}},
		{"relative/path", []string{shared}},
		{sharedTemp() + string(filepath.Separator), []string{shared}},
	} {
		if got := DropDirs(environment("TMPDIR", c.tmpdir)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("TMPDIR=%q: %q, want %q", c.tmpdir, got, c.want)
		}
	}
}

func TestAContextThatEndedLeavesNothing(t *testing.T) {
	env, key, dir := newBox(t)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := PutDrop(ended, env, newItem(key)); !errors.Is(err, context.Canceled) || exists(dir) {
		t.Errorf("%v", err)
	}
}

func TestWhatCarriesTheTaskAndIsNoChangeOfItIsRefusedAndKept(t *testing.T) {
	key := Key("victim")
	good := newItem(key)
	encode := func(change func(*Drop)) []byte {
		d := good
		change(&d)
		data, _ := json.Marshal(d)
		return data
	}
	name, err := good.fileName()
	must(t, err)
	for what, c := range map[string]struct {
		name string
		data []byte
	}{
		"garbage":          {name, []byte("{")},
		"empty":            {name, nil},
		"another task":     {name, encode(func(d *Drop) { d.TaskKey = Key("other") })},
		"another item":     {name, encode(func(d *Drop) { d.ID = "other" })},
		"another review":   {name, encode(func(d *Drop) { d.ReviewID = NewReviewID(key) })},
		"another name":     {Short(key) + ".x.json", encode(func(*Drop) {})},
		"too much":         {name, append(encode(func(*Drop) {}), strings.Repeat(" ", maxDrop)...)},
		"a longer version": {name + "x", encode(func(*Drop) {})},
	} {
		env, _, dir := newBox(t)
		must(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, c.name)
		must(t, os.WriteFile(path, c.data, 0o600))
		write(t, filepath.Join(dir, ".tmp-killed"), "not ours to report")
		found, refused := CollectDrops(env, key)
		if len(found) != 0 || len(refused) != 1 || refused[0].Path != path || refused[0].Reason == "" {
			t.Errorf("%s: %+v, %+v", what, found, refused)
		}
		if !exists(path) {
			t.Errorf("%s: removed", what)
		}
	}
}
