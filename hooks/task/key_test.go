package task

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/hooks/turn"
)

func TestTaskKeysFitTheVectors(t *testing.T) {
	data, err := os.ReadFile("../../testdata/task-keys.json")
	must(t, err)
	var vectors []struct {
		Session string `json:"session_id"`
		Key     string `json:"task_key"`
	}
	must(t, json.Unmarshal(data, &vectors))
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		if got := Key(v.Session); got != v.Key {
			t.Errorf("Key(%q) = %s, want %s", v.Session, got, v.Key)
		}
	}
}

func TestHostileSessionIDsStayInsideTheHome(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		session := rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{"", "../../etc/passwd", "$(touch x)", "a\nb", `"'`, "a\x00b", strings.Repeat("x", 1<<16), "/abs", "CON"}),
		).Draw(rt, "session")
		key := Key(session)
		if !IsKey(key) {
			rt.Fatalf("Key(%q) = %q", session, key)
		}
		h := Home{Dir: filepath.FromSlash("/state")}
		if rel, err := filepath.Rel(h.Dir, h.PrivateDir(key)); err != nil || rel != filepath.Join("tasks", key) {
			rt.Fatalf("the private bundle of %q is at %s", session, h.PrivateDir(key))
		}
	})
}

func TestWhatIsNoTaskKeyReachesNoFile(t *testing.T) {
	h := newHome(t)
	for _, key := range []string{"", "..", "../x", strings.ToUpper(Key("s")), Key("s")[1:], Key("s") + "0", "x" + Key("s")[1:]} {
		if _, err := h.LoadReceipt(key); err == nil {
			t.Errorf("loaded the receipt of %q", key)
		}
		if err := h.SaveReceipt(&Receipt{TaskKey: key}); err == nil {
			t.Errorf("saved the receipt of %q", key)
		}
		if _, err := h.LockTask(ctx, key); err == nil {
			t.Errorf("locked %q", key)
		}
		if err := h.SaveSaid(key, turn.State{}); err == nil {
			t.Errorf("saved what was said to %q", key)
		}
	}
	if exists(h.Dir) {
		t.Error("the home was made")
	}
}

func TestReviewIDsCarryTheirTaskAndDiffer(t *testing.T) {
	key := Key("s")
	seen := map[string]bool{}
	for range 1000 {
		id := NewReviewID(key)
		if prefix, ok := ReviewTask(id); !ok || prefix != Short(key) {
			t.Fatalf("ReviewTask(%q) = %q, %v", id, prefix, ok)
		}
		if len(id) != 21 || seen[id] {
			t.Fatalf("review id %q: wrong length, or a second time", id)
		}
		seen[id] = true
	}
}

func TestOnlyReviewIDsOfOurFormNameATask(t *testing.T) {
	for _, id := range []string{
		"", "3f9a1c0b7d2e", "3f9a1c0b7d2e.", "3f9a1c0b7d2e.k7q2m9x", "3f9a1c0b7d2e.k7q2m9x44", "3F9a1c0b7d2e.k7q2m2x4",
		"3f9a1c0b7d2e.K7q2m2x4", "3f9a1c0b7d2.k7q2m2x4", "../../../../x.k7q2m2x4", "9d1f0f1e-5f0b-4a38-8c6e-0d6f8e2a7c11",
		"3f9a1c0b7d2e.k7q2m2x1", "3f9a1c0b7d2e.k7q2.2x4",
	} {
		if prefix, ok := ReviewTask(id); ok {
			t.Errorf("ReviewTask(%q) = %q", id, prefix)
		}
	}
	if _, ok := ReviewTask("3f9a1c0b7d2e.k7q2m4x4"); !ok {
		t.Error("an id of our form names no task")
	}
}
