package secret

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"chatrail/hooks/secret/secrettest"
)

func TestEveryKindIsReplacedAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, k := range secrettest.Kinds() {
		for name, around := range map[string][2]string{
			"alone":          {"", ""},
			"in a sentence":  {"It worked with ", " after all."},
			"before a comma": {"First ", ", then the rest."},
			"at a full stop": {"Never use ", ". Ask for another."},
			"in brackets":    {"(it was ", ")"},
			"in backticks":   {"run it with `", "` again"},
			"in JSON":        {`{"say": "`, `", "then": 1}`},
			"in quoted JSON": {`"{\"say\": \"`, `\"}"`},
			"on a line":      {"one\n", "\nthree\n"},
			"in a long text": {strings.Repeat("A token of thanks, the key to it all. ", 400), strings.Repeat("\nAccess was granted by nobody.", 400)},
			"broken UTF-8":   {"\xff\xfe ", " \xc3(\x00"},
		} {
			if strings.HasSuffix(name, "JSON") && strings.Contains(k.Text(), `"`) {
				continue // it would have to be escaped
			}
			text := around[0] + k.Text() + around[1]
			want := around[0] + k.Before + Mark(k.Rule) + k.After + around[1]
			clean, found := Redact(text)
			if clean != want {
				t.Errorf("%s %s: %q became %q", k.Name, name, text[:min(len(text), 300)], clean[:min(len(clean), 300)])
			}
			if !maps.Equal(found, map[string]int{k.Rule: 1}) {
				t.Errorf("%s %s: found %v", k.Name, name, found)
			}
		}
	}
}

func TestAKindIsFoundAsOftenAsItIsThere(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	want := map[string]int{}
	for range 3 {
		for _, k := range secrettest.Kinds() {
			text.WriteString("Then " + k.Text() + " was said.\n")
			want[k.Rule]++
		}
	}
	clean, found := Redact(text.String())
	if !maps.Equal(found, want) {
		t.Errorf("found %v, not %v", found, want)
	}
	secrettest.Search{Kinds: secrettest.Kinds(), Found: func(kind, _ string) { t.Errorf("%s is left", kind) }}.Bytes("", []byte(clean))
}

func TestASecretInAQuotedTextIsFound(t *testing.T) {
	t.Parallel()
	for _, k := range secrettest.Kinds() {
		clean, _ := Redact("refused: " + strconv.Quote(k.Text()) + " is no number")
		secrettest.Search{Kinds: []secrettest.Kind{k}, Found: func(kind, _ string) { t.Errorf("%s is left in %q", kind, clean) }}.Bytes("", []byte(clean))
	}
}

func TestAnIDInThePlaceOfASecretIsOne(t *testing.T) {
	t.Parallel()
	i := idsOf(1)
	for text, secret := range map[string]string{
		`curl -H "Authorization: Token ` + i.commit + `" https://example.org`: i.commit,
		"https://ada:" + i.short + "@example.org/":                            i.short,
		"Authorization: Bearer " + i.commit256:                                i.commit256,
		"DATADOG_API_KEY=" + i.commit + " make":                               i.commit,
		"the api key: " + i.md5 + ".":                                         i.md5,
		`{"client_secret": "` + i.uuid + `"}`:                                 i.uuid,
		`password = "` + i.commit + `"`:                                       i.commit,
		"heroku: " + i.uuid:                                                   i.uuid,
	} {
		if clean, _ := Redact(text); strings.Contains(clean, secret) || !strings.Contains(clean, markStart) {
			t.Errorf("%q became %q", text, clean)
		}
	}
}

func TestAPartOfAPrivateKeyIsSecretToo(t *testing.T) {
	t.Parallel()
	for _, k := range secrettest.Kinds() {
		if k.Rule != "private-key" {
			continue
		}
		lines := strings.SplitAfter(k.Secret, "\n")
		for _, text := range []string{
			strings.Join(lines[:4], "") + "… and so on",
			strings.Join(strings.Fields(strings.Join(lines[:4], "")), " ") + " …",
			strings.ReplaceAll(strings.Join(lines[:4], ""), "\n", `\n`) + "…",
		} {
			clean, _ := Redact(text)
			secrettest.Search{Kinds: []secrettest.Kind{k}, Found: func(kind, _ string) { t.Errorf("%s is left in %q", kind, clean) }}.Bytes("", []byte(clean))
			if !strings.HasPrefix(clean, Mark("private-key")) {
				t.Errorf("%q", clean)
			}
		}
	}
}

func TestALongValueInALongTextIsReplacedWhole(t *testing.T) {
	t.Parallel()
	value := ""
	for _, k := range secrettest.Kinds() {
		if k.Rule == "private-key" {
			value += strings.Join(strings.Split(k.Secret, "\n")[1:7], "")
		}
	}
	value = strings.Repeat(value, 6) // some KiB of base64
	filler := strings.Repeat("Nothing to see here.\n", 500)
	want := filler + "the secret = \"" + Mark(genericRule) + "\"\n" + filler
	if clean, _ := Redact(filler + "the secret = \"" + value + "\"\n" + filler); clean != want {
		t.Errorf("%q", clean)
	}
}

func TestNothingFoundIsTheSameText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\x00", "\xff\xfe\xfd", "key", strings.Repeat("ÄÖÜ key = ", 1000), "[redacted:github-pat]", "[redacted:"} {
		if clean, found := Redact(text); clean != text || found != nil {
			t.Errorf("%q became %q with %v", text, clean, found)
		}
	}
}
