package refs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const packedHeader = "# pack-refs with: peeled fully-peeled sorted \n"

// scan is the plain reading of packed-refs that the search is held against.
func scan(text string) (list []Ref) {
	for line := range strings.Lines(text) {
		if line[0] == '#' || line[0] == '^' {
			continue
		}
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		list = append(list, Ref{name, id})
	}
	return list
}

func openText(t interface{ Fatal(...any) }, text string) *packed {
	p, err := newPacked(strings.NewReader(text), int64(len(text)), 40)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// packedText draws a file as git writes it, with names from a small alphabet so
// that they share beginnings, and some longer than a block.
func packedText(t *rapid.T) string {
	part := rapid.StringMatching(`[ab\-.z]{1,6}`)
	names := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		name := "refs/" + strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "/")
		if rapid.IntRange(0, 40).Draw(t, "long") == 0 {
			name += strings.Repeat("l", packedBlock)
		}
		return name
	}), 0, 300).Draw(t, "names")
	slices.Sort(names)
	var b strings.Builder
	if sorted := rapid.Bool().Draw(t, "sorted"); sorted {
		b.WriteString(packedHeader)
	}
	for i, name := range slices.Compact(names) {
		fmt.Fprintf(&b, "%s %s\n", id(i), name)
		if rapid.IntRange(0, 2).Draw(t, "peeled") == 0 {
			fmt.Fprintf(&b, "^%s\n", id(1000+i))
		}
	}
	return b.String()
}

func TestSearchInPackedRefsEqualsAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := packedText(t)
		all := scan(text)
		p := openText(t, text)
		names := []string{"refs/", "refs/zzzz", "refs/a", ""}
		for _, ref := range all {
			names = append(names, ref.Name, ref.Name+"a", ref.Name[:len(ref.Name)-1])
		}
		for _, name := range names {
			want := ""
			if i := slices.IndexFunc(all, func(r Ref) bool { return r.Name == name }); i >= 0 {
				want = all[i].ID
			}
			if got, err := p.lookup(name); err != nil || got != want {
				t.Fatalf("lookup(%q) = %q, %v, a scan finds %q", name, got, err, want)
			}
		}
		from := rapid.SampledFrom(names).Draw(t, "from")
		var rest []Ref
		err := p.each(from, func(name, id string) bool { rest = append(rest, Ref{name, id}); return true })
		want := slices.DeleteFunc(all, func(r Ref) bool { return p.sorted && r.Name < from })
		if err != nil || !slices.Equal(rest, want) {
			t.Fatalf("each(%q) gives %v, %v, a scan %v", from, rest, err, want)
		}
	})
}

func FuzzPackedRefs(f *testing.F) {
	line := id(1) + " refs/heads/a\n"
	for _, seed := range []string{
		"", "\n", "#", packedHeader, packedHeader + line, line + "^" + id(2) + "\n" + line, "^\n^\n",
		packedHeader + line[:50], packedHeader + strings.Repeat("x", 2*packedBlock), packedHeader + strings.Repeat("^\n", packedBlock),
	} {
		f.Add([]byte(seed), "refs/heads/a")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		p, err := newPacked(bytes.NewReader(data), int64(len(data)), 40)
		if err != nil {
			t.Fatal("a header can always be read: ", err)
		}
		if id, err := p.lookup(name); err == nil && id != "" && !(len(id) == 40 && isHex(id)) {
			t.Errorf("lookup(%q) = %q", name, id)
		}
		p.each(name, func(string, string) bool { return true })
	})
}

func TestACutPackedRefsIsCorruptNotEmpty(t *testing.T) {
	dir := newRepo(t)
	r := found(t, dir)
	write(t, dir+"/.git/packed-refs", packedHeader+id(1)+" refs/chatrail/pro\n"+id(2)[:20])
	if got, err := r.Read(Project()); err == nil || got != "" {
		t.Errorf("read %q, %v", got, err)
	}
}

// manyRefs is a repository with a hundred thousand packed references.
func manyRefs(t testing.TB) *Repo {
	dir := newRepo(t)
	var b strings.Builder
	b.WriteString(packedHeader)
	fmt.Fprintf(&b, "%s %s\n", id(1), Project())
	for i := range 100_000 {
		fmt.Fprintf(&b, "%s refs/tags/v%06d\n^%s\n", id(i), i, id(i))
	}
	write(t, dir+"/.git/packed-refs", b.String())
	return found(t, dir)
}

func TestAReferenceIsFoundAmongAHundredThousand(t *testing.T) {
	r := manyRefs(t)
	for name, want := range map[string]string{Project(): id(1), "refs/tags/v000000": id(0), "refs/tags/v099999": id(99_999)} {
		if got, err := r.Read(name); err != nil || got != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	list, err := r.List(Namespace)
	if err != nil || !slices.Equal(list, []Ref{{Project(), id(1)}}) {
		t.Errorf("listed %v, %v", list, err)
	}
}

func BenchmarkReadPackedAmongAHundredThousand(b *testing.B) {
	r := manyRefs(b)
	for b.Loop() {
		if _, err := r.Read("refs/tags/v050000"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiscoverHeadRead(b *testing.B) {
	dir := newRepo(b)
	must(b, found(b, dir).Swap(b.Context(), Swap{Name: Project(), New: id(1)}))
	for b.Loop() {
		r, err := Discover(dir)
		must(b, err)
		_, err = r.Head()
		must(b, err)
		_, err = r.Read(Project())
		must(b, err)
	}
}
