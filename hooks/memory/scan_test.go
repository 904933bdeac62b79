package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// secret finds what these tests take for one.
func secret(text string) bool { return strings.Contains(text, "hunter2") }

func project(name, description string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\nmetadata:\n  type: project\n---\n\nThe fact.\n", name, description)
}

func scanned(t testing.TB, folder string) Listing {
	t.Helper()
	l, err := Scan(context.Background(), folder, secret, Wanted{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestOnlyNotesOfTypeProjectAreObligations(t *testing.T) {
	dir := t.TempDir()
	for file, text := range map[string]string{
		"MEMORY.md":           "- [a](a.md)\n",
		"a.md":                project("ship-in-march", "It ships in March"),
		"sub/b.md":            "---\r\nname: older\r\ndescription: an older form\r\ntype: project\r\n---\r\nx",
		"user.md":             "---\nname: u\nmetadata:\n  type: user\n---\n",
		"feedback.md":         "---\nname: f\ntype: project\nmetadata: {type: feedback}\n---\n",
		"colon.md":            "---\nname: colon\ndescription: one: two: three\nmetadata:\n  node_type: memory\n  type: project\n---\n",
		"nameless.md":         "---\ntype: project\n---\n",
		"notes.txt":           project("x", "y"),
		".hidden.md":          project("x", "y"),
		"team/shared.md":      project("x", "y"),
		"logs/2026/11/30.md":  project("x", "y"),
		"sub/MEMORY.md":       project("x", "y"),
		"plain.md":            "no front matter",
		"open.md":             "---\nname: x\ntype: project\n",
		"typeless.md":         "---\nname: x\n---\n",
		"binary.md":           "\x00\xff\xfe---\n",
		"bom.md":              "\ufeff---\nname: bom\ntype: Project\n---\n",
		"list.md":             "---\n- type: project\n---\n",
		"a/b/c/d/e/f/deep.md": project("x", "y"),
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(file)), text)
	}
	l := scanned(t, dir)
	var got []string
	for _, n := range l.Notes {
		got = append(got, n.File+"="+n.Name+"="+n.Description)
	}
	want := "bom.md=bom= colon.md=colon=one: two: three nameless.md=nameless= sub/b.md=older=an older form a.md=ship-in-march=It ships in March"
	if strings.Join(got, " ") != want {
		t.Errorf("notes:\n got %s\nwant %s", strings.Join(got, " "), want)
	}
	if l.Others != 2 || l.Partial || len(l.Held) != 0 {
		t.Errorf("others %d, partial %v, held %v", l.Others, l.Partial, l.Held)
	}
	reasons := map[string]string{}
	for _, p := range l.Passed {
		reasons[p.File] = p.Reason
	}
	for file, why := range map[string]string{
		"plain.md": "no front matter", "open.md": "no front matter", "binary.md": "no front matter",
		"typeless.md": "no type", "list.md": "no type", "a/b/c/d": "too many folders deep",
	} {
		if reasons[file] != why {
			t.Errorf("%s was passed over for %q, not %q", file, reasons[file], why)
		}
		delete(reasons, file)
	}
	if len(reasons) > 0 {
		t.Errorf("also passed over: %v", reasons)
	}
}

func TestANoteThatLooksLikeASecretIsHeldBack(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "token.md"), project("deploy-token", "how to deploy")+"\npassword hunter2\n")
	write(t, filepath.Join(dir, "described.md"), project("x", "hunter2"))
	write(t, filepath.Join(dir, "hunter2.md"), project("named", "clean"))
	write(t, filepath.Join(dir, "hunter2-odd.md"), "no front matter")
	l := scanned(t, dir)
	if len(l.Notes) != 0 || len(l.Held) != 3 || len(l.Passed) != 1 {
		t.Fatalf("%+v", l)
	}
	said := fmt.Sprintf("%+v", l)
	for _, word := range []string{"hunter2", "deploy-token", "how to deploy"} {
		if strings.Contains(said, word) {
			t.Errorf("%q is said: %s", word, said)
		}
	}
	if !strings.Contains(said, "token.md") {
		t.Errorf("a clean file name is not said: %s", said)
	}
}

func TestAFolderThatIsNotThereHoldsNothing(t *testing.T) {
	if l := scanned(t, filepath.Join(t.TempDir(), "none")); len(l.Notes)+len(l.Passed) != 0 {
		t.Errorf("%+v", l)
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	if _, err := Scan(context.Background(), file, secret, Wanted{}); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestWhatIsReadIsBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "large.md"), project("large", "x")+strings.Repeat("x", maxNote))
	write(t, filepath.Join(dir, "long.md"), project(strings.Repeat("nä", 400), strings.Repeat("dé", 4000)))
	write(t, filepath.Join(dir, "headlong.md"), "---\nx: "+strings.Repeat("x", maxHead)+"\ntype: project\n---\n")
	l := scanned(t, dir)
	if len(l.Notes) != 1 || len(l.Passed) != 2 {
		t.Fatalf("%+v", l)
	}
	if n := l.Notes[0]; len(n.Name) > maxLabel || len(n.Description) > maxDescription || !utf8.ValidString(n.Name+n.Description) {
		t.Errorf("%d bytes of name, %d of description", len(n.Name), len(n.Description))
	}
	many := t.TempDir()
	for i := range maxNotes + 5 {
		write(t, filepath.Join(many, fmt.Sprintf("%d.md", i)), "---\ntype: project\n---\n")
	}
	if l := scanned(t, many); len(l.Notes) != maxNotes || !l.Partial {
		t.Errorf("%d notes, partial %v", len(l.Notes), l.Partial)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Scan(ended, many, secret, Wanted{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a scan that nobody waits for went on: %v", err)
	}
}

func TestOnlyWantedNotesAreLookedThrough(t *testing.T) {
	dir := t.TempDir()
	for i := range 9 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.md", i)), project(fmt.Sprint("n", i), "x"))
	}
	write(t, filepath.Join(dir, "1.md"), project("n1", "hunter2"))
	for _, want := range []Wanted{{Most: 3}, {Bytes: 3 * len(project("n0", "hunter2"))}} {
		want.Note = func(n Note) bool { return n.Name == "" && n.Generation != "" && n.File != "0.md" }
		looked := 0
		l, err := Scan(context.Background(), dir, func(text string) bool {
			if strings.HasPrefix(text, "---") {
				looked++
			}
			return secret(text)
		}, want)
		if err != nil || looked != 3 || len(l.Notes) != 2 || l.Notes[0].Name != "n2" || len(l.Held) != 1 || l.More != 5 {
			t.Errorf("%d were looked through: %+v, %v", looked, l, err)
		}
	}
}

func TestWordsOfANoteAreHarmless(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.md"), "---\nname: \"</system>\\u202e`x`\"\ndescription: |\n  one\n  two\ntype: project\n---\n")
	n := scanned(t, dir).Notes[0]
	if n.Name != "‹/system›ˋxˋ" || n.Description != "one two" {
		t.Errorf("%q, %q", n.Name, n.Description)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "x.md"), project("outside", "x"))
	write(t, filepath.Join(dir, "real.md"), project("inside", "x"))
	for link, target := range map[string]string{
		"out.md": filepath.Join(outside, "x.md"), "folder": outside, "in.md": "real.md", "loop": ".", "gone.md": "nowhere.md",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if l := scanned(t, dir); len(l.Notes) != 1 || l.Notes[0].Name != "inside" || len(l.Passed) != 3 {
		t.Errorf("%+v", l)
	}
}

func FuzzANoteIsReadOrPassedOver(f *testing.F) {
	for _, seed := range []string{
		project("a", "b"), "---\ntype: project\n---", "---\nname: 'it''s\"\ndescription: a: b\nmetadata:\n type: project\n---\n",
		"---\nmetadata: &a {type: *a}\n---\n", "---\na: &a [*a]\n? type\n: project\n---\n", "---\n!!map {type: !!str project}\n---\n",
		"---\n\ttype: project\n---\n", "---\n%YAML 9.9\n---\n", "---\n" + strings.Repeat("[", 2000) + "\n---\n", "---\n\xff: \x00\ntype: project\n---\n",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		h, ok := readHead(data)
		again, okAgain := readHead(append([]byte("\ufeff"), data...))
		if h != again && !strings.HasPrefix(string(data), "\ufeff") && len(data) < maxHead-3 || !ok && h != (head{}) {
			t.Fatalf("%+v %v, with a byte order mark %+v %v", h, ok, again, okAgain)
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.md", os.Getpid()))
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		l := scanned(t, dir)
		if len(l.Notes)+len(l.Held)+len(l.Passed)+l.Others != 1 {
			t.Fatalf("one file, and %+v", l)
		}
		for _, n := range l.Notes {
			said := n.Name + n.Description
			if n.Name == "" || strings.ContainsAny(said, "\x00\n\r\x1b<>`") || !utf8.ValidString(said) || len(n.Name) > maxLabel || len(n.Description) > maxDescription {
				t.Fatalf("%+v", n)
			}
		}
	})
}
