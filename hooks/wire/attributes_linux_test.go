package wire

import (
	"testing"

	"golang.org/x/sys/unix"

	"chatrail/hooks/agent"
)

func TestExtendedAttributesStay(t *testing.T) {
	env, home := world(t)
	path := claudeSettings(home)
	put(t, path, opus)
	if err := unix.Setxattr(path, "user.note", []byte("mine"), 0); err != nil {
		t.Skip(err)
	}
	for _, in := range []bool{true, false} {
		one(t, in, agent.Claude, env, Options{})
		value := make([]byte, 8)
		if n, err := unix.Getxattr(path, "user.note", value); err != nil || string(value[:n]) != "mine" {
			t.Errorf("in %t: %q %v", in, value[:max(n, 0)], err)
		}
	}
}
