package chronicle_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"chatrail/bundle/chronicle"
)

const (
	first  = "1111111111111111111111111111111111111111"
	second = "2222222222222222222222222222222222222222"
	third  = "3333333333333333333333333333333333333333"
)

func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestANewEntryIsADraftAtItsMoment(t *testing.T) {
	note := must(chronicle.NewEntry(chronicle.Meta{Title: "The importer streams", Tags: []string{"importer"}, Task: "3f9a1c0b7d2e"}, at, []string{"entries/2026/11/30-the-importer-streams.md"}))(t)
	if note.Path != "entries/2026/11/30-the-importer-streams-2.md" || chronicle.Published(note.Data) {
		t.Errorf("got %s, published %v", note.Path, chronicle.Published(note.Data))
	}
	const want = "---\ntitle: The importer streams\ndate: 2026-11-30\ntime: 14:05:09.25Z\ntags: [importer]\ntask: \"3f9a1c0b7d2e\"\n---\n"
	if string(note.Data) != want {
		t.Errorf("got\n%s", note.Data)
	}
	for _, title := range []string{"", " \n"} {
		if _, err := chronicle.NewEntry(chronicle.Meta{Title: title}, at, nil); err == nil {
			t.Errorf("%q is a title", title)
		}
	}
}

func TestStampingPublishesADraftAndSumsItsCommits(t *testing.T) {
	entry := []byte("---\ntitle: a\nmine: {b: c} # kept\n---\nbody\n")
	entry = must(chronicle.Stamp(entry, []chronicle.Commit{{ID: first, Files: 1, Added: 2, Deleted: 3}}))(t)
	if want := "---\ntitle: a\nmine: {b: c} # kept\nhash: \"" + first + "\"\nstat: {f: 1, a: 2, d: 3}\n---\nbody\n"; string(entry) != want {
		t.Errorf("got\n%s", entry)
	}
	entry = must(chronicle.Stamp(entry, []chronicle.Commit{{ID: second, Files: 10, Added: 20, Deleted: 30}, {ID: third}, {ID: second, Files: 10}}))(t)
	if want := "---\ntitle: a\nmine: {b: c} # kept\nhashes: [\"" + first + "\", \"" + second + "\", \"" + third + "\"]\nstat: {f: 11, a: 22, d: 33}\n---\nbody\n"; string(entry) != want {
		t.Errorf("got\n%s", entry)
	}
	if !chronicle.Published(entry) {
		t.Error("it is still a draft")
	}
}

func TestStampingTwiceIsStampingOnce(t *testing.T) {
	commits := []chronicle.Commit{{ID: first, Files: 1}, {ID: second, Added: 2}}
	once := must(chronicle.Stamp([]byte("---\ntitle: a\n---\n"), commits))(t)
	if twice := must(chronicle.Stamp(once, commits))(t); !bytes.Equal(once, twice) {
		t.Errorf("got\n%s", twice)
	}
	short := []byte("---\nhash: " + first[:8] + "\n---\n")
	if got := must(chronicle.Stamp(short, commits[:1]))(t); !bytes.Equal(got, short) {
		t.Errorf("an abbreviated id was stamped again:\n%s", got)
	}
}

func TestWhatIsNoCommitIsNotStamped(t *testing.T) {
	for _, id := range []string{"", "HEAD", "abc", strings.ToUpper("abcdef1"), strings.Repeat("a", 65), "abcdef1\n"} {
		if got, err := chronicle.Stamp([]byte("---\ntitle: a\n---\n"), []chronicle.Commit{{ID: id}}); err == nil {
			t.Errorf("%q was stamped:\n%s", id, got)
		}
	}
}

func TestStampsFollowAnAmendAndARebase(t *testing.T) {
	for _, c := range []struct {
		name  string
		head  string
		moved map[string]string
		want  []string
	}{
		{"amend", "hash: \"" + first + "\"\n", map[string]string{first: second}, []string{second}},
		{"rebase in a chain", "hashes: [\"" + first + "\", \"" + second + "\"]\n", map[string]string{first: second, second: third}, []string{second, third}},
		{"squash", "hashes: [\"" + first + "\", \"" + second + "\"]\n", map[string]string{first: third, second: third}, []string{third}},
		{"abbreviated", "hash: \"" + first[:9] + "\"\n", map[string]string{first: second}, []string{second}},
		{"both keys", "hash: \"" + first + "\"\nhashes: [\"" + second + "\"]\n", map[string]string{first: third}, []string{third, second}},
		{"another commit", "hash: \"" + first + "\"\n", map[string]string{second: third}, []string{first}},
		{"a draft", "title: a\n", map[string]string{second: third}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			entry := []byte("---\n" + c.head + "stat: {f: 1, a: 2, d: 3}\n---\n")
			got := must(chronicle.Restamp(entry, c.moved))(t)
			if n := chronicle.Read(got); !reflect.DeepEqual(n.Hashes, c.want) || n.Stat.Files != 1 {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestAStatIsReplacedWhole(t *testing.T) {
	got := must(chronicle.SetStat([]byte("---\nstat: {f: 1, a: 2, d: 3} # was\nhash: abcdef1\n---\n"), chronicle.Stat{Files: 9}))(t)
	if want := "---\nstat: {f: 9, a: 0, d: 0} # was\nhash: abcdef1\n---\n"; string(got) != want {
		t.Errorf("got\n%s", got)
	}
}
