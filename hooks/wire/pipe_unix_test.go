//go:build unix

package wire

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestANamedPipeWhereAFileShouldBeHoldsNobodyUp: a look, and so an install and
// doctor, waited for ever for somebody to write into it.
func TestANamedPipeWhereAFileShouldBeHoldsNobodyUp(t *testing.T) {
	env, _ := world(t)
	for _, h := range Hosts() {
		places, err := env.places(h, User)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range places {
			if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(p.path, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if w := Look(h, User, env); w.Wired() || w.Permission {
			t.Errorf("%+v", w)
		}
		if r := one(t, true, h, env, Options{}); r.Outcome != LeftAlone {
			t.Errorf("%+v", r)
		}
	}
}
