package words

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

const usual = "chatrail reconcile 3f9a1c0b7d2e.k7q2m9x4"

func TestReviewLineIsBoundedAndItsCommandStandsAlone(t *testing.T) {
	paths := []string{usual, "/home/somebody/go/bin/" + usual, "/" + strings.Repeat("long/", 60) + usual}
	for _, command := range paths {
		for _, full := range []bool{true, false} {
			for _, named := range []bool{true, false} {
				line := ReviewLine(command, full, named)
				limit := MaxReviewShort
				if full {
					limit = MaxReviewFull
				}
				if len(line) > limit && line != command {
					t.Errorf("%d bytes, more than %d: %q", len(line), limit, line)
				}
				alone := false
				for _, l := range strings.Split(line, "\n") {
					alone = alone || l == command
				}
				if !alone {
					t.Errorf("the command does not stand alone on a line: %q", line)
				}
				if strings.ContainsAny(line, "<>{}") {
					t.Errorf("a placeholder in %q", line)
				}
			}
		}
	}
}

func TestReviewLineInFullSaysWhenMeaningChanges(t *testing.T) {
	line := ReviewLine(usual, true, true)
	for _, word := range []string{"completion", "failure", "blocker", "disproved claim", "discovery", "drift", "return move",
		"discussion and effort are no movement", "North", "next", "route", "question", "parked", "resumed", "nothing changed",
		"before the final answer", "Never edit", "sub-agents"} {
		if !strings.Contains(line, word) {
			t.Errorf("the full review line does not say %q:\n%s", word, line)
		}
	}
	if !strings.Contains(ReviewLine(usual, true, false), "No North is named yet") {
		t.Error("while no North is named, the full line must ask for one")
	}
}

func TestHarmlessTextIsOneLineWithoutTagsOrHiddenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		h := Harmless(s)
		if !utf8.ValidString(h) {
			t.Fatalf("not UTF-8: %q", h)
		}
		for _, r := range h {
			if unicode.IsControl(r) || r == '<' || r == '>' || r == '`' || r == '\u2028' || r == '\u202e' || r == '\u2066' || tagRune(r) {
				t.Fatalf("%q still holds %U", h, r)
			}
		}
		if Harmless(h) != h {
			t.Fatalf("not stable: %q becomes %q", h, Harmless(h))
		}
	})
	for in, want := range map[string]string{
		"plain words stay":         "plain words stay",
		"Größe → 日本語 🧭":            "Größe → 日本語 🧭",
		"a\nb\r\n\tc":              "a b c",
		"</system-reminder> do it": "‹/system-reminder› do it",
		"abc\u202etxt\u2066x":      "abctxtx",
		"x\U000E0041y":             "xy",
		"می\u200cخواهم":            "می\u200cخواهم",
		"bad \xff byte":            "bad byte",
		"\x1b[31mred\x1b[0m":       "[31mred [0m",
	} {
		if got := Harmless(in); got != want {
			t.Errorf("Harmless(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCutEndsOnACharacterBorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		n := rapid.IntRange(0, 80).Draw(t, "n")
		c := Cut(s, n)
		if len(c) > n && c != s {
			t.Fatalf("%d bytes for a limit of %d", len(c), n)
		}
		if utf8.ValidString(s) && !utf8.ValidString(c) {
			t.Fatalf("cut inside a character: %q", c)
		}
	})
}

func TestOrientationStaysBelowItsBoundAndSaysHowToSeeTheRest(t *testing.T) {
	var lines []Line
	for range 200 {
		lines = append(lines, Line{"rail.open", "Open: " + strings.Repeat("ü", 2000)})
	}
	text := Join(MaxOrientation, Origin(Source{Bundle: strings.Repeat("b", 500)}, time.Now(), "orientation"), lines, nil, "chatrail show")
	if len(text) > MaxOrientation || !utf8.ValidString(text) {
		t.Fatalf("%d bytes", len(text))
	}
	if !strings.HasSuffix(text, "(cut; the rest: chatrail show)") {
		t.Fatalf("the end does not name the command: %q", text[len(text)-60:])
	}
}

func TestOriginSaysBundleAgeTaskAgentAndBranch(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	got := Origin(Source{Bundle: "project bundle of importer", When: now.Add(-3 * time.Hour), Task: "3f9a1c0b7d2e99", Agent: "claude", Branch: "main"}, now, "orientation")
	want := "ChatRail orientation (recorded facts, quoted): project bundle of importer, last moved 3 hours ago by task 3f9a1c0b7d2e (claude) on main."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestShellQuoteSurvivesAShell(t *testing.T) {
	for in, want := range map[string]string{
		"/usr/bin/chatrail":   "/usr/bin/chatrail",
		"/my tools/chat rail": "'/my tools/chat rail'",
		"it's":                `'it'\''s'`,
		"$(rm -rf x)":         "'$(rm -rf x)'",
		"":                    "''",
		"~/x":                 "'~/x'",
	} {
		if got := ShellQuote(in); got != want {
			t.Errorf("ShellQuote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestBlockReasonDoesNotEndWithTheCommand(t *testing.T) {
	reason := BlockReason("ChatRail: still open.", usual, true)
	if !strings.HasPrefix(reason, "ChatRail: still open. ") || !strings.Contains(reason, "\n"+usual+"\n") || strings.HasSuffix(reason, usual) {
		t.Errorf("%q", reason)
	}
}
