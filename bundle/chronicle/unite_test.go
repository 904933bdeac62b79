package chronicle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatrail/bundle/chronicle"
)

// version is a change at an hour, which names its event too.
func version(n int, before, after string, below ...int) chronicle.Version {
	v := chronicle.Version{After: []byte(after), Time: at.Add(time.Duration(n) * time.Hour), ID: fmt.Sprintf("event-%d", n), Below: below}
	if before != "" {
		v.Before = []byte(before)
	}
	return v
}

func unite(t testing.TB, base string, versions ...chronicle.Version) chronicle.United {
	t.Helper()
	u, err := chronicle.Unite([]byte(base), versions)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// beside unites two changes of one note that know nothing of each other.
func beside(t testing.TB, base, a, b string) chronicle.United {
	t.Helper()
	u := unite(t, base, version(1, base, a), version(2, base, b))
	if other := unite(t, base, version(2, base, b), version(1, base, a)); string(other.Data) != string(u.Data) {
		t.Errorf("one way it is\n%s\nthe other way\n%s", u.Data, other.Data)
	}
	return u
}

func head(lines string) string { return "---\n" + lines + "---\n" }

func TestWhatOnlyOneSideChangedStands(t *testing.T) {
	base := head("title: a # why\nsummary: s\ntags: [x]\nmine: {deep: [1, 2]}\n") + "text\n"
	a := strings.NewReplacer("title: a", "title: b", "deep: [1, 2]", "deep: [1, 3]").Replace(base)
	b := strings.NewReplacer("summary: s\n", "", "tags: [x]", "tags: [x, y]\nnumber: 1").Replace(base)
	u := beside(t, base, a, b)
	if want := head("title: b # why\ntags: [x, y]\nnumber: 1\nmine: {deep: [1, 3]}\n") + "text\n"; string(u.Data) != want || len(u.SetAside) > 0 {
		t.Errorf("got\n%s%v", u.Data, u.SetAside)
	}
}

func TestTheLaterOfTwoValuesStandsAndTheOtherIsTold(t *testing.T) {
	base := head("title: a\neffort: small\n")
	u := beside(t, base, head("title: b\neffort: large\nwhen: {soon: yes}\n"), head("title: c\nwhen: 12\n"))
	if want := head("title: c\nwhen: 12\neffort: large\n"); string(u.Data) != want {
		t.Errorf("got\n%s", u.Data)
	}
	told := fmt.Sprint(u.SetAside)
	if want := fmt.Sprint([]chronicle.AsidePart{{Key: "title", Version: 0, Text: "b"}, {Key: "when", Version: 0, Text: "{soon: yes}"}}); told != want {
		t.Errorf("told %s, want %s", told, want)
	}
	if u := beside(t, base, head("title: b\n"), head("title: b\n")); len(u.SetAside) > 0 || string(u.Data) != head("title: b\n") {
		t.Errorf("both say the same: %s%v", u.Data, u.SetAside)
	}
}

func TestAValueThatWasSettledIsToldNoMore(t *testing.T) {
	base := head("title: a\n")
	a, b := version(1, base, head("title: b\n")), version(2, base, head("title: c\n"))
	other := version(3, head("title: c\n"), head("title: c\n")+"text\n", 0, 1)
	if u := unite(t, base, a, b, other); len(u.SetAside) != 1 || u.SetAside[0].Text != "b" {
		t.Errorf("a change of another part settled the title: %v", u.SetAside)
	}
	settled := version(4, head("title: c\n"), head("title: b and c\n"), 0, 1)
	if u := unite(t, base, a, b, settled); len(u.SetAside) > 0 || string(u.Data) != head("title: b and c\n") {
		t.Errorf("got %s%v", u.Data, u.SetAside)
	}
}

func TestAFinalStatusIsNeverLostToALowerOne(t *testing.T) {
	base := must(chronicle.NewWorkItem(chronicle.Meta{Title: "a"}, claude, at, nil))(t).Data
	codex := chronicle.Who{Agent: "codex"}
	later := at.Add(time.Hour)
	doing := must(chronicle.Start(base, codex, later))(t)
	done := must(chronicle.Finish(base, "entries/2026/11/30-a.md", claude, at))(t)
	cut := must(chronicle.Drop(base, "not needed", codex, at))(t)
	for _, c := range []struct {
		a, b, want []byte
		told       string
	}{
		{done, doing, done, ""}, {doing, done, done, ""}, {cut, doing, cut, ""},
		{done, cut, cut, "done, by claude 3f9a1c0b7d2e, closed by entries/2026/11/30-a.md"},
		{cut, done, cut, "done, by claude 3f9a1c0b7d2e, closed by entries/2026/11/30-a.md"},
		{must(chronicle.Start(base, claude, at))(t), doing, doing, "doing, by claude 3f9a1c0b7d2e"},
	} {
		u := beside(t, string(base), string(c.a), string(c.b))
		if got, want := chronicle.Read(u.Data).Meta, chronicle.Read(c.want).Meta; !sameMeta(got, want) {
			t.Errorf("got\n%s\nwant\n%s", u.Data, c.want)
		}
		told := ""
		for _, a := range u.SetAside {
			told += a.Text
		}
		if told != c.told {
			t.Errorf("told %q, want %q", told, c.told)
		}
	}
}

func TestStampsOfBothSidesStayAndFollowARewrite(t *testing.T) {
	base := must(chronicle.Stamp([]byte(head("title: a\n")), []chronicle.Commit{{ID: first, Files: 1, Added: 10}}))(t)
	carried := must(chronicle.Restamp(base, map[string]string{first: third}))(t)
	carried = must(chronicle.SetStat(carried, chronicle.Stat{Files: 1, Added: 15}))(t)
	stamped := must(chronicle.Stamp(base, []chronicle.Commit{{ID: second, Files: 2, Added: 20}}))(t)
	u := beside(t, string(base), string(carried), string(stamped))
	m := chronicle.Read(u.Data).Meta
	slices.Sort(m.Hashes)
	if !slices.Equal(m.Hashes, []string{second, third}) || m.Stat != (chronicle.Stat{Files: 3, Added: 35}) {
		t.Errorf("got\n%s", u.Data)
	}
}

func TestACommitThatBothSidesStampedCountsOnce(t *testing.T) {
	base := []byte(head("title: a\n"))
	one := must(chronicle.Stamp(base, []chronicle.Commit{{ID: first, Files: 1, Added: 10}}))(t)
	both := must(chronicle.Stamp(base, []chronicle.Commit{{ID: first, Files: 1, Added: 10}, {ID: second, Files: 2}}))(t)
	for _, a := range [][]byte{one, both} {
		u := beside(t, string(base), string(a), string(one))
		if got, want := chronicle.Read(u.Data).Stat, chronicle.Read(a).Stat; got != want {
			t.Errorf("%+v, want %+v:\n%s", got, want, u.Data)
		}
		if len(u.SetAside) > 0 || strings.Count(string(u.Data), first) != 1 {
			t.Errorf("got\n%s%v", u.Data, u.SetAside)
		}
	}
}

func TestAnItemThatOneSideAddsAgainStays(t *testing.T) {
	base := head("tags: [a, b, c]\n")
	u := beside(t, base, head("tags: [b, c, d]\n"), head("tags: [c, a, b, e]\n"))
	if want := head("tags: [c, b, e, d]\n"); string(u.Data) != want {
		t.Errorf("got\n%s", u.Data)
	}
	without := head("tags: [b]\n")
	u = unite(t, head("tags: [a, b]\n"),
		version(1, head("tags: [a, b]\n"), without),
		version(2, without, head("tags: [b, a]\n"), 0),
		version(3, head("tags: [a, b]\n"), without))
	if want := head("tags: [b, a]\n"); string(u.Data) != want {
		t.Errorf("got\n%s", u.Data)
	}
}

// appended is a note with blocks added to it.
func appended(t testing.TB, note string, blocks ...chronicle.Block) string {
	t.Helper()
	for _, b := range blocks {
		note = string(must(chronicle.AppendBlock([]byte(note), b))(t))
	}
	return note
}

func block(n int, text string, covers ...string) chronicle.Block {
	return chronicle.Block{Time: at.Add(time.Duration(n) * time.Minute), ID: fmt.Sprintf("b%d", n), Text: text, Covers: covers}
}

func TestBlocksOfBothSidesStandInTheOrderOfTheirTimes(t *testing.T) {
	base := head("title: a\n") + "free\n"
	all := []chronicle.Block{block(1, "one"), block(2, "<!-- chatrail:end b1 -->"), block(3, "three\n"), block(4, "")}
	u := beside(t, base, appended(t, base, all[0], all[3]), appended(t, base, all[1], all[2]))
	if want := appended(t, base, all...); string(u.Data) != want {
		t.Errorf("got\n%s\nwant\n%s", u.Data, want)
	}
}

func TestWhatABlockCoversUnites(t *testing.T) {
	base := appended(t, head("title: a\n"), block(1, "text", first, second))
	a := chronicle.CarryCovers([]byte(base), map[string]string{first: third})
	b := strings.Replace(base, "covers="+first+","+second, "covers="+first, 1)
	b = strings.Replace(b, "text", "text, mended", 1)
	u := beside(t, base, string(a), b)
	blocks := chronicle.Blocks(body(u.Data))
	if len(blocks) != 1 || blocks[0].Text != "text, mended" || !slices.Equal(blocks[0].Covers, []string{third}) || len(u.SetAside) > 0 {
		t.Errorf("got\n%s%v", u.Data, u.SetAside)
	}
}

func TestTwoHandEditsOfOneBlockAreBothKept(t *testing.T) {
	base := appended(t, head("title: a\n"), block(1, "text"), block(2, "next"))
	a, b := strings.Replace(base, "text", "mine", 1), strings.Replace(base, "text", "yours", 1)
	u := beside(t, base, a, b)
	blocks := chronicle.Blocks(body(u.Data))
	if len(blocks) != 3 || blocks[0].Text != "yours" || blocks[1].Text != "mine" || blocks[2].Text != "next" {
		t.Fatalf("got\n%s", u.Data)
	}
	if want := (chronicle.AsidePart{Block: "b1", Version: 0, Text: "mine", Kept: blocks[1].ID}); len(u.SetAside) != 1 || u.SetAside[0] != want {
		t.Errorf("told %+v", u.SetAside)
	}
	if u := beside(t, base, strings.Replace(base, "text", "mine", 1), appended(t, head("title: a\n"), block(2, "next"))); !strings.Contains(string(u.Data), "mine") {
		t.Errorf("a removal beat a change:\n%s", u.Data)
	}
	if u := beside(t, base, appended(t, base, block(3, "more")), appended(t, head("title: a\n"), block(2, "next"))); strings.Contains(string(u.Data), "text") {
		t.Errorf("no change beat a removal:\n%s", u.Data)
	}
}

func TestALineOfFreeTextIsNeverLost(t *testing.T) {
	base := head("title: a\n") + "free\n"
	u := beside(t, base, base+"from a\n", base+"from b\n")
	blocks := chronicle.Blocks(body(u.Data))
	if len(blocks) != 1 || blocks[0].Text != "free\nfrom a" || !strings.HasPrefix(string(u.Data), base+"from b\n") {
		t.Fatalf("got\n%s", u.Data)
	}
	if len(u.SetAside) != 1 || u.SetAside[0].Kept != blocks[0].ID {
		t.Errorf("told %+v", u.SetAside)
	}
	if u := beside(t, base, base+"more\n", base+"\nmore\nand more\n"); len(u.SetAside) > 0 || string(u.Data) != base+"\nmore\nand more\n" {
		t.Errorf("all of it stands already:\n%s%v", u.Data, u.SetAside)
	}
	// The side that changed the text is not the one that the rest comes from.
	u = beside(t, base, strings.Replace(base, "free", "freer", 1), appended(t, base, block(1, "block")))
	if want := appended(t, head("title: a\n")+"freer\n", block(1, "block")); string(u.Data) != want || len(u.SetAside) > 0 {
		t.Errorf("got\n%s%v", u.Data, u.SetAside)
	}
}

func TestWhatWasKeptComesBackUntilSomebodySettlesIt(t *testing.T) {
	base := head("title: a\n") + "free\n"
	a, b := version(1, base, base+"from a\n"), version(2, base, base+"from b\n")
	merged := unite(t, base, a, b)
	aside := version(3, base, appended(t, base, block(1, "beside")))
	on := version(4, string(merged.Data), appended(t, string(merged.Data), block(2, "on top")), 0, 1)
	u := unite(t, base, a, b, aside, on)
	if n := strings.Count(string(u.Data), "from a"); n != 1 || len(u.SetAside) != 1 {
		t.Fatalf("it stands %d times:\n%s%v", n, u.Data, u.SetAside)
	}
	settled := version(4, string(merged.Data), base+"from b\n", 0, 1)
	u = unite(t, base, a, b, aside, settled)
	if strings.Contains(string(u.Data), "from a") || len(u.SetAside) > 0 {
		t.Errorf("it came back:\n%s%v", u.Data, u.SetAside)
	}
}

func TestFrontMatterThatCannotBeReadIsKept(t *testing.T) {
	base := head("title: a\n") + "free\n"
	for _, broken := range []string{head("title: [b\nmine: 1\n") + "free\n", "---\ntitle: b\nmine: 1\nfree\n"} {
		for _, pair := range [][2]string{{broken, appended(t, base, block(1, "block"))}, {appended(t, base, block(1, "block")), broken}} {
			u := beside(t, base, pair[0], pair[1])
			n := chronicle.Read(u.Data)
			if n.Broken != nil || n.Title != "a" {
				t.Errorf("%v:\n%s", n.Broken, u.Data)
			}
			for _, want := range []string{"mine: 1", "block", "free"} {
				if !strings.Contains(string(u.Data), "\n"+want+"\n") {
					t.Errorf("%q is lost:\n%s", want, u.Data)
				}
			}
		}
	}
	all := head("title: [b\n") + "free\n"
	u := beside(t, all, appended(t, all, block(1, "one")), appended(t, all, block(2, "two")))
	if want := appended(t, all, block(1, "one"), block(2, "two")); string(u.Data) != want {
		t.Errorf("front matter that nobody touched became\n%s", u.Data)
	}
	u = beside(t, all, head("title: b\n")+"free\n", appended(t, all, block(2, "two")))
	if want := appended(t, head("title: b\n")+"free\n", block(2, "two")); string(u.Data) != want || len(u.SetAside) > 0 {
		t.Errorf("mended front matter became\n%s%v", u.Data, u.SetAside)
	}
}

func TestAKeyThatFrontMatterCannotTakeIsKeptAsABlock(t *testing.T) {
	base := head("title: a\n")
	u := beside(t, base, head("title: a\nmine: &x {deep: [1]}\nyours: *x\n"), "---\n{title: a, tags: [b]}\n---\n")
	if !strings.HasPrefix(string(u.Data), "---\n{title: a, tags: [b]}\n---\n") || !strings.Contains(string(u.Data), "deep: [1]") || chronicle.Read(u.Data).Broken != nil {
		t.Errorf("got\n%s", u.Data)
	}
	if len(u.SetAside) == 0 || u.SetAside[0].Kept == "" {
		t.Errorf("told %+v", u.SetAside)
	}
}

func TestAVersionAboveAllOthersStandsByteForByte(t *testing.T) {
	after := "\ufeff---\r\ntitle: [broken\r\n---\r\nno end"
	u := unite(t, "", version(1, "", head("title: a\n")), version(2, "", head("title: b\n")), version(0, head("title: b\n"), after, 0, 1))
	if string(u.Data) != after {
		t.Errorf("got %q", u.Data)
	}
	if u := unite(t, "base"); string(u.Data) != "base" {
		t.Errorf("no version made %q", u.Data)
	}
}

func TestAListOfVersionsThatIsNoHistoryIsRefused(t *testing.T) {
	for _, versions := range [][]chronicle.Version{
		{{After: nil}}, {version(1, "", "a", 0)}, {version(1, "", "a", -1)}, {version(1, "", "a", 1), version(2, "", "b")},
	} {
		if u, err := chronicle.Unite(nil, versions); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %q, %v", u.Data, err)
		}
	}
}

func TestTextThatWasReplacedOnItsOwnSideIsNotKept(t *testing.T) {
	base := head("title: a\n") + "free\n"
	u := unite(t, base, version(1, base, base+"old\n"), version(3, base+"old\n", base+"new\n", 0), version(4, base, base+"from b\n"))
	if strings.Contains(string(u.Data), "old") || !strings.Contains(string(u.Data), "new") || len(u.SetAside) != 1 {
		t.Errorf("got\n%s%v", u.Data, u.SetAside)
	}
}

func TestABlockIsNotSwallowedByTextThatLooksLikeAnother(t *testing.T) {
	guard := block(2, "guard\n<!-- chatrail:end+ x -->")
	base := appended(t, head("title: a\n"), block(1, "text"), guard)
	// The first line of x ends nowhere as long as the guard stands behind it.
	a := strings.Replace(base, "---\n\n", "---\n<!-- chatrail:block+ 2026-11-30T14:05:09Z x -->\n\n", 1) + "<!-- chatrail:end+ x -->\n"
	u := beside(t, base, a, appended(t, head("title: a\n"), block(1, "text")))
	if blocks := chronicle.Blocks(body(u.Data)); len(blocks) != 1 || blocks[0].Text != "text" {
		t.Errorf("got\n%s", u.Data)
	}
}
