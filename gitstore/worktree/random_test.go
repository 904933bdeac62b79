package worktree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// cases is how many random repositories are tried; CHATRAIL_CASES says another
// number.
func cases(t testing.TB, usual int) int {
	if text := os.Getenv("CHATRAIL_CASES"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		return n
	}
	return usual
}

func TestRandomWorkTreesAreListedAsGitListsThem(t *testing.T) {
	for seed := range cases(t, 30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := grow(t, seed)
			before := footprint(t, g.dir)
			got, err := Changed(t.Context(), g.dir, Options{})
			must(t, err)
			contents, partial := Contents(t.Context(), g.dir, got.Changed, Bounds{})
			if footprint(t, g.dir) != before {
				t.Error("asking changed something")
			}
			want, complaint := judged(t, g.dir, nil)
			if lines(got.Changed) != want || got.Refused != "" || complaint != "" || got.Partial || got.Approximate {
				t.Fatalf("got %+v %s\n%swant\n%s\nafter %q", got, complaint, lines(got.Changed), want, g.log)
			}
			for _, c := range got.Changed {
				if text := contents[c.Path]; text == "" || partial || goneInTree(c.State) && text != Deleted && !twice(got.Changed, c.Path) {
					t.Errorf("the content of %+v is %q, partial %t", c, text, partial)
				}
			}
		})
	}
}

func goneInTree(state string) bool { return state[1] == 'D' && strings.Contains(" MAT", state[:1]) }

func twice(changes []Change, path string) bool {
	n := 0
	for _, c := range changes {
		if c.Path == path {
			n++
		}
	}
	return n > 1
}

// garden is a work tree that is edited at random.
type garden struct {
	*testing.T
	*rand.Rand
	dir string
	log []string
}

// grow makes the random work tree of a seed.
func grow(t *testing.T, seed int) *garden {
	g := &garden{T: t, Rand: rand.New(rand.NewPCG(uint64(seed), 3)), dir: newRepo(t)}
	g.plant()
	for range 1 + g.IntN(14) {
		g.edit()
	}
	return g
}

func names() []string {
	list := []string{"a", "b", "dir/c", "dir/sub/d", "dir/sub/e.log", "deep/er/and/deeper/f", "é", "e\u0301", "sp ace ", " lead", "-dash", ".hidden",
		"build/x.o", "build/keep", "logs/1.log", "keep.log", "a.b", "a-b", "a0", "Case/x", ".chatrail/x", "sub/.chatrail/y", "not.chatrail/z", "dir/.chatrail"}
	if runtime.GOOS != "windows" {
		list = append(list, "new\nline", "ta\tb", "q\"q", "back\\slash", "nl\n/x\n", "star*")
	}
	if runtime.GOOS == "linux" {
		list = append(list, "\xff\xfe", "l\xe4tin/1")
	}
	return list
}

func (g *garden) name() string { list := names(); return list[g.IntN(len(list))] }

func (g *garden) path() string { return filepath.Join(g.dir, filepath.FromSlash(g.name())) }

var rules = []string{"*.log", "!keep.log", "build/", "!build/keep", "/dir/sub", "!e.log", "logs/*", "!logs/1.log", "**/deeper", "a?b", "[[:digit:]]*", "*\\*", "# no", "x.o", "!x.o", "/*", "!/dir/"}

func (g *garden) rules() string {
	var text strings.Builder
	for range 1 + g.IntN(5) {
		text.WriteString(rules[g.IntN(len(rules))] + "\n")
	}
	return text.String()
}

// put writes a file where it can be: not where a folder of the name is in the
// way.
func (g *garden) put(path, text string) {
	if os.MkdirAll(filepath.Dir(path), 0o777) == nil {
		os.WriteFile(path, []byte(text), 0o666)
	}
}

func (g *garden) text() string {
	return strings.Repeat("x", 1+g.IntN(3)) + fmt.Sprint(g.IntN(3)) + "\n"
}

// plant commits a first set of files.
func (g *garden) plant() {
	for range 4 + g.IntN(12) {
		g.put(g.path(), g.text())
	}
	if g.IntN(2) == 0 {
		g.put(filepath.Join(g.dir, ".gitignore"), g.rules())
	}
	if g.IntN(2) == 0 {
		g.put(filepath.Join(g.dir, "link"), "")
		os.Remove(filepath.Join(g.dir, "link"))
		os.Symlink("a", filepath.Join(g.dir, "link"))
	}
	g.git("add", "-A", "-f")
	if g.IntN(12) == 0 {
		g.submodule()
	}
	g.git("commit", "-q", "-m", "planted")
}

// git may refuse: the path may not be there.
func (g *garden) git(args ...string) {
	_, err := tryGit(g.dir, args...)
	g.log = append(g.log, fmt.Sprint(args, err == nil))
}

func (g *garden) submodule() {
	from, err := template()
	must(g.T, err)
	g.git("submodule", "--quiet", "add", from, "module")
}

// edit makes one change to the work tree, the index or HEAD.
func (g *garden) edit() {
	path := g.path()
	step := g.IntN(24)
	g.log = append(g.log, fmt.Sprint(step, " ", strings.TrimPrefix(path, g.dir)))
	switch step {
	case 0, 1, 2, 3:
		g.put(path, g.text())
	case 4, 5:
		os.Remove(path)
	case 6:
		os.RemoveAll(filepath.Dir(path + "/."))
	case 7:
		os.Rename(path, g.path())
	case 8:
		os.Chmod(path, 0o755)
	case 9:
		os.Chmod(path, 0o644)
	case 10:
		os.Remove(path)
		os.Symlink([]string{"a", "dir", "nowhere", "../outside"}[g.IntN(4)], path)
	case 11: // a file in place of a folder
		if parent := filepath.Dir(path); parent != g.dir {
			os.RemoveAll(parent)
			g.put(parent, g.text())
		}
	case 12: // a folder in place of a file
		os.Remove(path)
		g.put(filepath.Join(path, "inner"), g.text())
	case 13:
		g.put(filepath.Join(g.dir, []string{"", "dir", "build", "deep"}[g.IntN(4)], ".gitignore"), g.rules())
	case 14:
		g.put(filepath.Join(g.dir, ".git", "info", "exclude"), g.rules())
	case 15, 16:
		g.git("add", "-A", "--", g.rel(path))
	case 17:
		g.git("rm", "-q", "-r", "--cached", "--ignore-unmatch", "--", g.rel(path))
	case 18:
		g.put(path, g.text())
		g.git("add", "-N", "-f", "--", g.rel(path))
	case 19:
		g.conflict(path)
	case 20:
		g.git("mv", "-k", "--", g.rel(path), "moved")
	case 21:
		g.nested(path)
	case 22:
		g.git("commit", "-q", "-m", "more")
	case 23:
		g.put(filepath.Join(g.dir, "module", "inside"), g.text())
	}
}

func (g *garden) rel(path string) string {
	rel, err := filepath.Rel(g.dir, path)
	must(g.T, err)
	return ":(literal)" + filepath.ToSlash(rel)
}

// conflict gives a path some of the three stages of a merge.
func (g *garden) conflict(path string) {
	name := strings.TrimPrefix(g.rel(path), ":(literal)")
	out, err := tryGit(g.dir, "hash-object", "-w", "--stdin")
	must(g.T, err)
	info := "0 " + strings.Repeat("0", 40) + "\t" + name + "\x00"
	stages := 1 + g.IntN(7)
	for stage := range 3 {
		if stages&(1<<stage) != 0 {
			info += fmt.Sprintf("100644 %s %d\t%s\x00", out, stage+1, name)
		}
	}
	cmd := gitCommand(g.dir, "update-index", "-z", "--index-info")
	cmd.Stdin = strings.NewReader(info)
	g.log = append(g.log, fmt.Sprint("stages ", stages, cmd.Run()))
}

// nested puts a repository of its own at a path.
func (g *garden) nested(path string) {
	from, err := template()
	must(g.T, err)
	os.RemoveAll(path)
	if os.MkdirAll(filepath.Dir(path), 0o777) == nil {
		os.CopyFS(path, os.DirFS(from))
	}
}
