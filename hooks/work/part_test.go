package work

import (
	"testing"
	"time"

	"chatrail/hooks"
)

func TestPatienceLengthensEveryPartOfALimit(t *testing.T) {
	for said, want := range map[string]time.Duration{
		"": time.Second, "x": time.Second, "-5": time.Second, "500": time.Second, // never shorter
		"1800": time.Second, "18000": 10 * time.Second,
		"9000000000000000": 33_333 * time.Millisecond, // a minute at most
	} {
		d := Desk{Env: func(name string) string {
			if name == hooks.Patience {
				return said
			}
			return ""
		}}
		if got := d.part(time.Second).Truncate(time.Millisecond); got != want {
			t.Errorf("%q: %v, not %v", said, got, want)
		}
	}
}
