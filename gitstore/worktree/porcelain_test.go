package worktree

import (
	"bytes"
	"strings"
	"testing"
)

const (
	someID = "3f9a1c0b7d2e3f9a1c0b7d2e3f9a1c0b7d2e0123"
	longID = someID + "000000000000000000000000"
)

var records = map[string]string{
	"1 .M N... 100644 100644 100644 " + someID + " " + someID + " a b":                        ` M "a b"`,
	"1 A. N... 000000 100644 100644 " + longID + " " + longID + " a":                          `A  "a"`,
	"1 .M S.MU 160000 160000 160000 " + someID + " " + someID + " sm":                         ` M "sm"`,
	"2 R. N... 100644 100644 100644 " + someID + " " + someID + " R100 new\x00old":            `R  "new"`,
	"u UU N... 100644 100644 100644 100644 " + someID + " " + someID + " " + someID + " x\ny": `UU "x\ny"`,
	"? new":                  `?? "new"`,
	"? nest/":                `?? "nest/"`,
	"! hidden":               "",
	"# branch.oid " + someID: "",
	"? .chatrail/x":          "",
	"? a/.chatrail/x":        "",
	"? a/.chatrail":          `?? "a/.chatrail"`,
	"? a.chatrail/x":         `?? "a.chatrail/x"`,
}

func parse(text string) ([]Change, error) {
	p := &porcelain{}
	if _, err := p.Write([]byte(text)); err != nil {
		return p.changes, err
	}
	return p.changes, p.end()
}

func TestRecordsBecomeTheLettersOfVersionOne(t *testing.T) {
	for record, want := range records {
		changes, err := parse(record + "\x00")
		if err != nil || strings.TrimSuffix(lines(changes), "\n") != want {
			t.Errorf("%q gives %q, %v", record, lines(changes), err)
		}
	}
	changes, err := parse("1 .M SCMU 160000 160000 160000 " + someID + " " + someID + " sm\x00")
	if err != nil || !changes[0].Submodule || changes[0].Inside != "MU" {
		t.Errorf("got %+v, %v", changes, err)
	}
}

func TestARecordThatGitDoesNotWriteIsAnError(t *testing.T) {
	whole := "1 .M N... 100644 100644 100644 " + someID + " " + someID + " a"
	for _, record := range []string{
		"", "?", "? ", "x a", "1", "1 .M", strings.TrimSuffix(whole, " a"), strings.TrimSuffix(whole, "a"),
		strings.Replace(whole, ".M", "..", 1), strings.Replace(whole, ".M", ".X", 1), strings.Replace(whole, ".M", "M", 1),
		strings.Replace(whole, "N...", "N..", 1), strings.Replace(whole, "N...", "SXXX", 1),
		strings.Replace(whole, "100644", "10064", 1), strings.Replace(whole, "100644", "100648", 1),
		strings.Replace(whole, "3f9a", "3F9A", 1), strings.Replace(whole, "3f9a", "", 1),
		"u MM" + strings.TrimPrefix(whole, "1 .M"), "2" + whole[1:], "2" + whole[1:len(whole)-1] + "R a\x00b", "2" + whole[1:len(whole)-1] + "R1 a\x00",
	} {
		if changes, err := parse(record + "\x00"); err == nil {
			t.Errorf("%q gives %+v", record, changes)
		}
	}
	if _, err := parse(whole); err == nil {
		t.Error("a record without its end is taken")
	}
	if _, err := parse("? " + strings.Repeat("x", maxRecord)); err == nil {
		t.Error("a record without bound is taken")
	}
}

func FuzzPorcelain(f *testing.F) {
	for record := range records {
		f.Add([]byte(record+"\x00"), uint8(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		whole, wholeErr := parse(string(data))
		// How the bytes arrive makes no difference.
		p := &porcelain{}
		var err error
		for rest := data; len(rest) > 0 && err == nil; {
			n := min(len(rest), int(cut)+1)
			_, err = p.Write(bytes.Clone(rest[:n]))
			rest = rest[n:]
		}
		if err == nil {
			err = p.end()
		}
		if lines(p.changes) != lines(whole) || (err == nil) != (wholeErr == nil) {
			t.Fatalf("in pieces %+v, %v; at once %+v, %v", p.changes, err, whole, wholeErr)
		}
		for _, c := range whole {
			if len(c.State) != 2 || c.Path == "" || strings.Contains(c.Path, "\x00") || strings.Contains(c.State, ".") || c.Inside != "" && !c.Submodule {
				t.Fatalf("%+v is no change", c)
			}
		}
	})
}

func TestAReasonIsTheLineThatSaysWhy(t *testing.T) {
	for stderr, want := range map[string]string{
		"": "",
		"warning: x\nfatal: bad\tthing\nhint: y\n":                                                 "bad thing",
		"error: first\nerror: second\n":                                                            "first",
		"error: bad signature\nfatal: index file corrupt\n":                                        "index file corrupt",
		"some\nwords\n\n":                                                                          "words",
		"fatal: unknown repository extensions found:\n\tone\n\ttwo\nand so on\n":                   "unknown repository extensions found: one two",
		"fatal: a \x1b[31mred\u202e \xff line\n":                                                   "a ?[31mred? ? line",
		"fatal: " + strings.Repeat("é", 300):                                                       strings.Repeat("é", 200) + "…",
		"fatal: one\nfatal: two\n":                                                                 "one",
		"fatal: detected dubious ownership in repository at '/r'\nTo add, call:\n\n\tgit config\n": "detected dubious ownership in repository at '/r'",
	} {
		if got := reason(stderr); got != want {
			t.Errorf("%q gives %q, want %q", stderr, got, want)
		}
	}
}

func TestAReasonBehindManyWarningsIsFound(t *testing.T) {
	var end tail
	for range 5000 {
		end.Write([]byte("warning: could not open directory 'x': Permission denied\n"))
	}
	end.Write([]byte("fatal: the end\n"))
	if len(end.kept) > 3*maxTail || reason(string(end.kept)) != "the end" {
		t.Errorf("kept %d bytes, reason %q", len(end.kept), reason(string(end.kept)))
	}
}
