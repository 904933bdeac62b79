package words

import (
	"strings"
	"testing"
	"time"
)

func TestWhatCameBeforeIsOneBoundedHarmlessLine(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	one := Earlier{Task: "0123456789abcdef", Agent: "Claude Code", At: now.Add(-3 * time.Hour), North: "Ship <it>\n`rm`" + strings.Repeat(" and more", 50)}
	line := Before([]Earlier{one}, now, "chatrail", " --session-id s")
	if strings.ContainsAny(line, "\n<>") || len(line) > 400 {
		t.Errorf("%d bytes: %q", len(line), line)
	}
	if !strings.HasSuffix(line, "`chatrail adopt 0123456789ab --session-id s`") || !strings.Contains(line, "at work 3 hours ago") {
		t.Errorf("%q", line)
	}
	one.North = ""
	if line := Before([]Earlier{one}, now, "chatrail", ""); strings.Contains(line, "North") {
		t.Errorf("%q", line)
	}
	line = Before([]Earlier{one, one, one}, now, "chatrail", "")
	if strings.Count(line, "adopt 0123456789ab") != 3 || !strings.Contains(line, "several") {
		t.Errorf("%q", line)
	}
	if Before(nil, now, "chatrail", "") != "" {
		t.Error("nobody came before, and something is said")
	}
}
