package task

import (
	"path/filepath"
	"strings"
	"testing"

	"chatrail/hooks/turn"
)

func TestReceiptsOfThePythonVersionAreContinued(t *testing.T) {
	key := Key("s")
	id := "9d1f0f1e-5f0b-4a38-8c6e-0d6f8e2a7c11"
	for name, c := range map[string]struct {
		text  string
		check func(h Home, r Receipt) bool
	}{
		"pinned to a private bundle": {
			`"bundle":{"path":"HOME/tasks/` + key + `","kind":"local"},"review":null,"warning_fingerprint":null`,
			func(h Home, r Receipt) bool {
				return r.Pin.Place == h.Private(key) && r.Turn.Review == nil && h.Trusted(r.Pin.Place, "")
			},
		},
		"pinned to a project": {
			`"bundle":{"path":"/p/.chatrail","kind":"project"},"review":null,"warning_fingerprint":"ab12"`,
			func(h Home, r Receipt) bool {
				return r.Pin.Kind == KindDir && r.Pin.Path == "/p/.chatrail" && r.Pin.WorkTree == "/p" && r.Warned[0] == "ab12"
			},
		},
		"review open": {
			`"bundle":{"path":"/p/.chatrail","kind":"project"},"review":{"id":"` + id + `","status":"pending","expected":{"rail":"r","compass":"c"},"stop_blocked":true,"turn_id":"t1","completed_at":null}`,
			func(h Home, r Receipt) bool {
				v := r.Turn.Review
				return r.Turn.Resolve(id) == turn.Open && v.Blocked && v.Turn == "t1" && v.Fields["rail"] == "r" && v.Fields["compass"] == "c"
			},
		},
		"review complete": {
			`"bundle":{"path":"/p/.chatrail","kind":"project"},"review":{"id":"` + id + `","status":"complete","expected":{"rail":"r","compass":"c"},"stop_blocked":false,"turn_id":null,"completed_at":"2026-01-01T00:00:00Z"}`,
			func(h Home, r Receipt) bool { return r.Turn.Resolve(id) == turn.Recorded },
		},
		"not pinned yet": {`"bundle":null`, func(h Home, r Receipt) bool { return r.Pin == nil }},
	} {
		h := newHome(t)
		text := `{"version":1,"task_key":"` + key + `","x":5,` + c.text + `}`
		text = strings.ReplaceAll(text, "HOME", filepath.ToSlash(h.Dir))
		write(t, receiptPath(h, key), text)
		r, err := h.LoadReceipt(key)
		if err != nil || r.Damaged != "" || !c.check(h, r) {
			t.Errorf("%s: %+v, %v", name, r, err)
			continue
		}
		must(t, h.SaveReceipt(&r))
		again, err := h.LoadReceipt(key)
		if err != nil || again.Version != receiptVersion || !c.check(h, again) || string(again.Extra["x"]) != "5" {
			t.Errorf("%s, saved and read again: %+v, %v", name, again, err)
		}
		if r.Pin != nil && !exists(filepath.Join(h.Dir, "pins", key+".json")) {
			t.Errorf("%s: the pin was not copied", name)
		}
		if aside, _ := filepath.Glob(receiptPath(h, key) + ".*"); len(aside) > 0 {
			t.Errorf("%s: a good receipt was kept aside: %q", name, aside)
		}
	}
}
