package chronicle_test

import (
	"slices"
	"strings"
	"testing"

	"chatrail/bundle/chronicle"
)

func TestAPartIsSettledByAChangeOfItAndOfNothingElse(t *testing.T) {
	base := appended(t, head("title: a\nstatus: todo\nmine: 1\n")+"free\n", block(1, "text"))
	swap := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	for name, c := range map[string]struct{ a, b, settle, other func(string) string }{
		"a key":        {swap("mine: 1", "mine: 2"), swap("mine: 1", "mine: 3"), swap("mine: 3", "mine: 4"), swap("title: a", "title: b")},
		"a status":     {swap("status: todo", "status: done"), swap("status: todo", "status: cut"), swap("status: cut", "status: cut\nclosed_by: x"), swap("mine: 1", "mine: 2")},
		"a block":      {swap("text", "one"), swap("text", "two"), swap("\ntwo\n", "\nthree\n"), swap("\nfree\n", "\nfreer\n")},
		"a kept block": {swap("text", "one"), swap("text", "two"), swap("\none\n", "\nboth\n"), swap("mine: 1", "mine: 2")},
		"free text":    {swap("free", "one"), swap("free", "two"), swap("\ntwo\n", "\nthree\n"), swap("\ntext\n", "\nother text\n")},
		"a whole head": {swap("title: a", "title: [a"), swap("mine: 1", "mine: 2"), nil, swap("\nfree\n", "\nfreer\n")},
	} {
		a, b := version(1, base, c.a(base)), version(2, base, c.b(base))
		merged := unite(t, base, a, b)
		if len(merged.SetAside) != 1 {
			t.Errorf("%s: told %+v", name, merged.SetAside)
			continue
		}
		on := string(merged.Data)
		if u := unite(t, base, a, b, version(3, on, c.other(on), 0, 1)); c.other(on) == on || len(u.SetAside) != 1 {
			t.Errorf("%s: settled by another part of\n%s", name, on)
		}
		if c.settle == nil {
			continue
		}
		if u := unite(t, base, a, b, version(3, on, c.settle(on), 0, 1)); c.settle(on) == on || len(u.SetAside) > 0 {
			t.Errorf("%s: told %+v after it was settled:\n%s", name, u.SetAside, c.settle(on))
		}
	}
}

func TestABlockThatCameToCoverSomethingKeepsAnEditOfTheOtherSide(t *testing.T) {
	base := appended(t, head("title: a\n"), block(1, "text -->", first))
	none := strings.Replace(base, " covers="+first, "", 1)
	for _, c := range []struct {
		base, a string
		want    []string
	}{{none, base, []string{first}}, {base, none, nil}} {
		u := beside(t, c.base, c.a, strings.Replace(c.base, "text", "edited", 1))
		blocks := chronicle.Blocks(body(u.Data))
		if len(blocks) != 1 || blocks[0].Text != "edited -->" || !slices.Equal(blocks[0].Covers, c.want) {
			t.Errorf("got\n%s", u.Data)
		}
	}
}

func TestAKeyOfSomebodyElseIsTakenOverAsItIsWritten(t *testing.T) {
	base := head("title: a\n")
	for _, mine := range []string{"mine: 1\n", "mine:\n  - deep: {x: 1} # why\n    # inside\n", "mine: |\n  text\n  # no comment\n", "'mine' : ~\n", "\"mine\": 2026-11-30\n"} {
		u := beside(t, base, head("title: a\n"+mine), head("title: b\n"))
		if want := head("title: b\n" + mine); string(u.Data) != want || len(u.SetAside) > 0 {
			t.Errorf("got\n%s%v\nwant\n%s", u.Data, u.SetAside, want)
		}
	}
	// What cannot be taken over as it is is written anew, or kept as a block.
	for mine, want := range map[string]string{
		"mine: &x one\n":                    "\nmine: one\n---\n",
		"mine: &x {a: 1}\nyours: {b: *x}\n": "\nmine: &x {a: 1}\n<!-- chatrail:end",
	} {
		u := beside(t, base, head("title: a\n"+mine), head("title: b\n"))
		if !strings.Contains(string(u.Data), want) {
			t.Errorf("%q is not in\n%s", want, u.Data)
		}
	}
}
