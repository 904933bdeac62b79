package task

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chatrail/hooks/turn"
)

func receiptPath(h Home, key string) string { return filepath.Join(h.Dir, "receipts", key+".json") }

func gitPin() *Pin {
	return &Pin{
		Place: Place{Kind: KindGit, Path: "/r/.git", Ref: "refs/chatrail/project", WorkTree: "/r", Root: "abc", Marker: "m"},
		Since: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC),
	}
}

func TestAReceiptIsReadBackAsItWasSaved(t *testing.T) {
	h, key := newHome(t), Key("s")
	r := Receipt{
		TaskKey: key, Agent: "claude", Pin: gitPin(), Paused: true, Warned: []string{"a"},
		Turn:     turn.State{Lined: true, Review: &turn.Review{ID: NewReviewID(key), Status: turn.Pending}},
		Baseline: json.RawMessage(`{"a":1}`),
		Extra:    map[string]json.RawMessage{"later": json.RawMessage(`[1,2]`)},
	}
	must(t, h.SaveReceipt(&r))
	got, err := h.LoadReceipt(key)
	must(t, err)
	r.Version = receiptVersion
	if !reflect.DeepEqual(got, r) {
		t.Errorf("read %+v\nsaved %+v", got, r)
	}
}

func TestATaskWithoutAReceiptHasAnEmptyOne(t *testing.T) {
	h, key := newHome(t), Key("s")
	r, err := h.LoadReceipt(key)
	if err != nil || r.TaskKey != key || r.Pin != nil || r.Damaged != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestKeysOfALaterVersionSurviveARewrite(t *testing.T) {
	h, key := newHome(t), Key("s")
	write(t, receiptPath(h, key), `{"version":7,"task_key":"`+key+`","agent":"codex","future":{"x":[1,2]}}`)
	r, err := h.LoadReceipt(key)
	must(t, err)
	r.Paused = true
	must(t, h.SaveReceipt(&r))
	var got map[string]any
	data, _ := os.ReadFile(receiptPath(h, key))
	must(t, json.Unmarshal(data, &got))
	want := map[string]any{"x": []any{1.0, 2.0}}
	if !reflect.DeepEqual(got["future"], want) || got["version"] != 7.0 || got["paused"] != true {
		t.Errorf("rewritten as %s", data)
	}
}

func TestADamagedReceiptKeepsItsPinAndIsKeptAside(t *testing.T) {
	key := Key("s")
	whole := func() string {
		data, _ := encodeReceipt(Receipt{TaskKey: key, Pin: gitPin()})
		return string(data)
	}()
	for name, text := range map[string]string{
		"empty":           "",
		"torn":            whole[:len(whole)/2],
		"zeros":           strings.Repeat("\x00", 400),
		"a list":          "[]",
		"another task":    strings.ReplaceAll(whole, key, Key("other")),
		"no version":      `{"task_key":"` + key + `"}`,
		"wrong type":      `{"version":2,"task_key":"` + key + `","pin":7}`,
		"pin of no kind":  `{"version":2,"task_key":"` + key + `","pin":{"kind":"x","path":"/y"}}`,
		"relative pin":    `{"version":2,"task_key":"` + key + `","pin":{"kind":"dir","path":"y"}}`,
		"bad python pin":  `{"version":1,"task_key":"` + key + `","bundle":{"path":"x","kind":"local"}}`,
		"bad python kind": `{"version":1,"task_key":"` + key + `","bundle":{"path":"/x","kind":"?"}}`,
	} {
		h := newHome(t)
		must(t, h.SaveReceipt(&Receipt{TaskKey: key, Pin: gitPin(), Paused: true}))
		write(t, receiptPath(h, key), text)
		r, err := h.LoadReceipt(key)
		if err != nil || r.Pin == nil || *r.Pin != *gitPin() || r.Damaged == "" || r.TaskKey != key {
			t.Errorf("%s: %+v, %v", name, r, err)
			continue
		}
		if data, _ := os.ReadFile(receiptPath(h, key)); string(data) != text {
			t.Errorf("%s: reading changed the file", name)
		}
		must(t, h.SaveReceipt(&r))
		aside, _ := filepath.Glob(receiptPath(h, key) + ".damaged-*")
		if len(aside) != 1 {
			t.Errorf("%s: kept aside as %q", name, aside)
		} else if data, _ := os.ReadFile(aside[0]); string(data) != text {
			t.Errorf("%s: kept aside as %q", name, data)
		}
		if r, err := h.LoadReceipt(key); err != nil || r.Damaged != "" || r.Pin == nil {
			t.Errorf("%s: still damaged after it was saved: %+v, %v", name, r, err)
		}
		if keys, _ := h.ReceiptsByPrefix(Short(key)); len(keys) != 1 {
			t.Errorf("%s: what was kept aside counts as a receipt: %q", name, keys)
		}
	}
}

func TestALostReceiptKeepsItsPin(t *testing.T) {
	h, key := newHome(t), Key("s")
	must(t, h.SaveReceipt(&Receipt{TaskKey: key, Pin: gitPin()}))
	must(t, os.Remove(receiptPath(h, key)))
	r, err := h.LoadReceipt(key)
	if err != nil || r.Pin == nil || *r.Pin != *gitPin() {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestADamagedReceiptWithoutACopyOfThePinFallsBackToThePrivateBundle(t *testing.T) {
	h, key := newHome(t), Key("s")
	write(t, receiptPath(h, key), "{")
	if r, _ := h.LoadReceipt(key); r.Pin != nil || r.Damaged == "" {
		t.Errorf("without a private bundle: %+v", r)
	}
	newBundleDir(t, h.PrivateDir(key))
	if r, _ := h.LoadReceipt(key); r.Pin == nil || r.Pin.Place != h.Private(key) {
		t.Errorf("with one: %+v", r)
	}
}

func TestAPinMovesAndIsNeverDropped(t *testing.T) {
	h, key := newHome(t), Key("s")
	must(t, h.SaveReceipt(&Receipt{TaskKey: key, Pin: gitPin()}))
	r, err := h.LoadReceipt(key)
	must(t, err)
	r.Pin = nil
	if err := h.SaveReceipt(&r); err == nil {
		t.Error("the pin was dropped")
	}
	r.Pin = &Pin{Place: h.Private(key)}
	must(t, h.SaveReceipt(&r))
	must(t, os.Remove(receiptPath(h, key)))
	if r, _ := h.LoadReceipt(key); r.Pin == nil || r.Pin.Place != h.Private(key) {
		t.Errorf("the copy of the pin did not move: %+v", r.Pin)
	}
}

func TestAPrivateBundleIsFoundAfterTheHomeMoved(t *testing.T) {
	h, key := newHome(t), Key("s")
	newBundleDir(t, h.PrivateDir(key))
	must(t, h.SaveReceipt(&Receipt{TaskKey: key, Pin: &Pin{Place: h.Private(key)}}))
	moved := Home{Dir: h.Dir + "-moved"}
	must(t, os.Rename(h.Dir, moved.Dir))
	r, err := moved.LoadReceipt(key)
	must(t, err)
	if r.Pin.Path != moved.PrivateDir(key) || r.Pin.ID() != h.Private(key).ID() || !moved.Trusted(r.Pin.Place, "") {
		t.Errorf("pinned to %+v", r.Pin)
	}
}

func TestParallelWritersOfAReceiptLoseNothing(t *testing.T) {
	h, key := newHome(t), Key("s")
	const writers, rounds = 8, 15
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				unlock, err := h.LockTask(ctx, key)
				if err != nil {
					t.Error(err)
					return
				}
				r, err := h.LoadReceipt(key)
				n, _ := strconv.Atoi(r.Agent)
				r.Agent = strconv.Itoa(n + 1)
				if err = errors.Join(err, h.SaveReceipt(&r)); err != nil {
					t.Error(err)
				}
				unlock()
			}
		})
	}
	stop := make(chan bool)
	readers := make(chan bool)
	go func() { // without the lock: sees whole receipts only
		defer close(readers)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if r, err := h.LoadReceipt(key); err != nil || r.Damaged != "" {
				t.Errorf("a reader saw %+v, %v", r, err)
				return
			}
		}
	}()
	wg.Wait()
	close(stop)
	<-readers
	if r, _ := h.LoadReceipt(key); r.Agent != strconv.Itoa(writers*rounds) {
		t.Errorf("%s of %d saves stand", r.Agent, writers*rounds)
	}
}

func TestALockIsWaitedForNoLongerThanTheContextAllows(t *testing.T) {
	h, key := newHome(t), Key("s")
	unlock, err := h.LockTask(ctx, key)
	must(t, err)
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	if _, err := h.LockTask(short, key); !errors.Is(err, ErrBusy) {
		t.Errorf("a held lock: %v", err)
	}
	other, err := h.LockTask(short, Key("other"))
	if err == nil {
		other()
	} else if !errors.Is(err, ErrBusy) {
		t.Errorf("the lock of another task: %v", err)
	}
	unlock()
	again, err := h.LockTask(ctx, key)
	must(t, err)
	again()
}

func TestAProcessIDInALockFileMeansNothing(t *testing.T) {
	h, key := newHome(t), Key("s")
	write(t, filepath.Join(h.Dir, "locks", key+".lock"), strconv.Itoa(os.Getpid()))
	unlock, err := h.LockTask(ctx, key)
	must(t, err)
	unlock()
}

func TestALockIsFreedWhenItsHolderIsKilled(t *testing.T) {
	key := Key("s")
	if dir := os.Getenv("CHATRAIL_TEST_HOLD"); dir != "" {
		unlock, err := Home{Dir: dir}.LockTask(ctx, key)
		must(t, err)
		fmt.Println("held")
		io.Copy(io.Discard, os.Stdin) // until it is killed
		unlock()
		return
	}
	h := newHome(t)
	self, err := os.Executable()
	must(t, err)
	holder := exec.Command(self, "-test.run=^"+t.Name()+"$")
	holder.Env = append(os.Environ(), "CHATRAIL_TEST_HOLD="+h.Dir)
	in, err := holder.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, busy := h.LockTask(short, key); line != "held\n" || !errors.Is(busy, ErrBusy) {
		t.Errorf("the holder said %q, %v, and the lock %v", line, err, busy)
	}
	must(t, holder.Process.Kill())
	holder.Wait()
	unlock, err := h.LockTask(ctx, key)
	must(t, err)
	unlock()
}

func TestReceiptsAreFoundByThePrefixOfAReviewID(t *testing.T) {
	h := newHome(t)
	for _, s := range []string{"a", "b", "c"} {
		must(t, h.SaveReceipt(&Receipt{TaskKey: Key(s)}))
	}
	write(t, receiptPath(h, Short(Key("b"))+"-no-key"), "{}")
	keys, err := h.ReceiptsByPrefix(Short(Key("b")))
	if err != nil || len(keys) != 1 || keys[0] != Key("b") {
		t.Errorf("%q, %v", keys, err)
	}
	if keys, err := h.ReceiptsByPrefix(Short(Key("d"))); err != nil || len(keys) != 0 {
		t.Errorf("of no task: %q, %v", keys, err)
	}
	for _, prefix := range []string{"", "*", "3f9a1c0b7d2", "3F9A1C0B7D2E", "3f9a1c0b7d2e0", "../../../../"} {
		if _, err := h.ReceiptsByPrefix(prefix); err == nil {
			t.Errorf("took the prefix %q", prefix)
		}
	}
}

func TestACauseIsToldOnceAndTheMemoryIsBounded(t *testing.T) {
	var r Receipt
	if !r.WarnOnce("a") || r.WarnOnce("a") {
		t.Error("a cause was not new once")
	}
	for i := range 3 * maxWarned {
		r.WarnOnce(strconv.Itoa(i))
	}
	if len(r.Warned) != maxWarned || r.WarnOnce(strconv.Itoa(3*maxWarned-1)) {
		t.Errorf("remembers %d causes", len(r.Warned))
	}
}
