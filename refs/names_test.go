package refs

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func gitAccepts(name string) bool {
	return exec.Command("git", "check-ref-format", name).Run() == nil
}

// text draws names that people and agents give, and ones that they do not.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-z/@{.~^:?*\[\\ ]{0,12}(\.lock)?`),
		rapid.StringN(150, 300, -1),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

func TestNamesOfOursAreAlwaysAcceptedByGit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		for _, name := range []string{Task(text), AtFolder(text)} {
			last := name[strings.LastIndexByte(name, '/')+1:]
			if !validName(name) || len(last) == 0 || len(last) > maxEncoded || strings.HasSuffix(name, ".lock") {
				t.Fatalf("%q gives %q", text, name)
			}
		}
		if !gitAccepts(Task(text)) {
			t.Fatalf("git refuses %q", Task(text))
		}
	})
}

func TestEncodingIsUndoneByDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		name := Encode(text)
		back, ok := Decode(name)
		if cut := strings.Contains(name, "=="); ok == cut || ok && back != text {
			t.Fatalf("%q becomes %q becomes %q, %t", text, name, back, ok)
		}
		if other := anyText().Draw(t, "other"); other != text && Encode(other) == name {
			t.Fatalf("%q and %q are both %q", text, other, name)
		}
	})
}

func TestDecodeRefusesWhatEncodeDidNotMake(t *testing.T) {
	for _, name := range []string{"", "a=", "a=4", "=zz", "=2f", "a/b", "=41", "==", "a.b", Encode(strings.Repeat("x", 201))} {
		if text, ok := Decode(name); ok {
			t.Errorf("Decode(%q) = %q", name, text)
		}
	}
}

func TestEncodedNamesStayAsTheyAre(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "=",
		"a-b_C9":                      "a-b_C9",
		"a/b.lock":                    "a=2Fb=2Elock",
		"é":                           "=C3=A9",
		strings.Repeat("x", 200):      strings.Repeat("x", 200),
		strings.Repeat("x", 201):      strings.Repeat("x", 134) + "==" + "84a0678c90937f5dcf9994d5866668da6b995109c8ad845410559b48a4ecafed",
		"x" + strings.Repeat("/", 99): "x" + strings.Repeat("=2F", 44) + "==" + "d25403be9a85c7f9d90cb7feb729c97c3ff6e2fb490bccc3bbf9bdd6e4f75ae2",
	} {
		if got := Encode(text); got != want {
			t.Errorf("Encode(%q) = %q", text, got)
		}
	}
	if a, b := AtFolder("a/b"), AtFolder("./a//b/"); a != "refs/chatrail/at/a=2Fb" || a != b {
		t.Errorf("one folder has the names %q and %q", a, b)
	}
}

func TestValidNamesAreTheOnesThatGitAccepts(t *testing.T) {
	for _, name := range []string{
		"refs/a", "refs/a/b", "refs/a.lock", "refs/a.lock/b", "refs/.a", "refs/a..b", "refs/a.", "refs/a./b", "refs/@", "refs/a@{b", "refs/a@b",
		"refs//a", "refs/a/", "refs/", "refs/a b", "refs/a\x7f", "refs/a\tb", "refs/é", "refs/-", "refs/a~", "refs/a^", "refs/a:", "refs/a?", "refs/a*", "refs/a[", "refs/a]", "refs/a\\b", "refs/{",
	} {
		if ours, gits := validName(name), gitAccepts(name); ours != gits {
			t.Errorf("%q: we say %t, git says %t", name, ours, gits)
		}
	}
	for _, name := range []string{"", "HEAD", "a/b", "../refs/a", "/refs/a"} {
		if validName(name) {
			t.Errorf("%q is not below refs/", name)
		}
	}
}
