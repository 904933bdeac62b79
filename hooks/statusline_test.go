package hooks

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"chatrail/hooks/task"
)

func TestAStatusLineDoesNotWaitForAnInputThatSaysNothing(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	var out bytes.Buffer
	StatusLine(LineCall{In: r, Out: &out, Env: func(string) string { return "" }})
	if out.Len() > 0 {
		t.Errorf("it says %q", out.String())
	}
}

func FuzzAStatusLineIsSilentAboutWhatItDoesNotKnow(f *testing.F) {
	for _, s := range []string{"", "{", `{"session_id":"s"}`, `{"session_id":7}`, `{"cwd":"/\u0000"}`, `[]`, "\xef\xbb\xbf{}"} {
		f.Add(s)
	}
	home := task.Home{Dir: f.TempDir()}
	f.Fuzz(func(t *testing.T, input string) {
		var out bytes.Buffer
		StatusLine(LineCall{In: strings.NewReader(input), Out: &out, Env: func(name string) string {
			if name == "CHATRAIL_HOME" {
				return home.Dir
			}
			return ""
		}})
		if out.Len() > 0 {
			t.Errorf("it says %q", out.String())
		}
	})
}
