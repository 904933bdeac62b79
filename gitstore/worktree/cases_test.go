package worktree_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"chatrail/gitstore/worktree"
	"chatrail/gitstore/worktree/fallback"
)

// caseList is testdata/worktree-cases.json: repositories that a reader of git's
// files gets wrong easily. Its "about" says how they are set up.
type caseList struct {
	Gitconfig string
	BaseSetup string `json:"base_setup"`
	Cases     []repoCase
}

type repoCase struct {
	Name, Setup, Cwd string
	Fresh            bool
	Env              map[string]string

	top string // the folder that the text calls @D
}

func (c repoCase) place() string { return filepath.Join(c.top, "r", c.Cwd) }

func (c repoCase) environ() []string {
	var env []string
	for name, value := range c.Env {
		value = strings.ReplaceAll(value, "@D", c.top)
		env = append(env, name+"="+strings.ReplaceAll(value, "@R", c.top+"/r"))
	}
	return env
}

// script runs a setup in a home of its own.
func script(text, dir, home, top string) error {
	cmd := exec.Command("bash", "-e", "-c", strings.ReplaceAll(text, "@D", top))
	cmd.Dir = dir
	for _, v := range os.Environ() {
		// The configuration of these cases is in their home.
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "XDG_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+home, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func makeHome(dir, config string) (string, error) {
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(filepath.Join(home, ".config", "git"), 0o777); err != nil {
		return "", err
	}
	return home, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o666)
}

// build sets up a case below a folder, from the base that was set up once.
func (c *repoCase) build(list *caseList, base, parent string) error {
	home, err := makeHome(parent, list.Gitconfig)
	if err != nil {
		return err
	}
	c.top = filepath.Join(parent, "d")
	repo := filepath.Join(c.top, "r")
	if c.Fresh {
		err = os.CopyFS(repo, os.DirFS(base))
	} else {
		err = os.MkdirAll(repo, 0o777)
	}
	if err != nil {
		return err
	}
	return script(c.Setup, repo, home, c.top)
}

func buildAll(t *testing.T) []repoCase {
	data, err := os.ReadFile("../../testdata/worktree-cases.json")
	must(t, err)
	var list caseList
	must(t, json.Unmarshal(data, &list))
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	base := filepath.Join(top, "base")
	must(t, os.Mkdir(base, 0o777))
	home, err := makeHome(top, list.Gitconfig)
	must(t, err)
	must(t, script(list.BaseSetup, base, home, base))

	var running sync.WaitGroup
	next := make(chan int)
	for range runtime.NumCPU() {
		running.Go(func() {
			for i := range next {
				c := &list.Cases[i]
				if err := c.build(&list, base, filepath.Join(top, fmt.Sprint(i))); err != nil {
					t.Errorf("%s: %v", c.Name, err)
				}
			}
		})
	}
	for i := range list.Cases {
		if strings.Contains(list.Cases[i].Setup, "chown") && os.Geteuid() != 0 {
			continue
		}
		next <- i
	}
	close(next)
	running.Wait()
	t.Cleanup(func() {
		for _, c := range list.Cases {
			os.Chmod(filepath.Join(c.top, "r", "nr"), 0o700) // a case about a folder that cannot be read
		}
	})
	return list.Cases
}

// useCase makes this process's environment that of a case.
func useCase(t *testing.T, c repoCase) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("HOME", filepath.Join(filepath.Dir(c.top), "home"))
	for _, v := range c.environ() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

func TestEveryCaseIsListedAsGitListsIt(t *testing.T) {
	worktree.Needs(t, "bash", "python3", "iconv", "sha256sum")
	for _, c := range buildAll(t) {
		t.Run(c.Name, func(t *testing.T) {
			if c.top == "" {
				t.Skip("needs to be root")
			}
			useCase(t, c)
			want, complaint := worktree.Judged(t, c.place(), nil)
			before := worktree.Footprint(t, c.top)
			o := worktree.Options{HonourEnv: len(c.Env) > 0, Fallback: fallback.Status}
			got, err := worktree.Changed(t.Context(), c.place(), o)
			must(t, err)
			if worktree.Footprint(t, c.top) != before {
				t.Error("asking changed something")
			}
			if got.Partial || got.Approximate {
				t.Errorf("got %+v", got)
			}
			if worktree.Lines(got.Changed) != want {
				t.Errorf("got\n%swant\n%s", worktree.Lines(got.Changed), want)
			}
			if !sameRefusal(got.Refused, complaint) {
				t.Errorf("refused with %q, git with %q", got.Refused, complaint)
			}

			t.Setenv("PATH", "")
			guess, err := worktree.Changed(t.Context(), c.place(), o)
			must(t, err)
			if !guess.Approximate {
				t.Error("the answer without git is not marked as approximate")
			}
			if (guess.Refused == "") == (complaint == "") && worktree.Lines(guess.Changed) == want {
				return
			}
			if known[c.Name] == "" {
				t.Errorf("without git: refused with %q, git with %q, got\n%swant\n%s",
					guess.Refused, complaint, worktree.Lines(guess.Changed), want)
			}
		})
	}
}

// known are the cases in which the answer without git is another one, and why.
var known = map[string]string{
	"assume-unchanged": "the library drops the flag",
	"same size edit, mtime restored, ctime differs": "looks at sizes, times of writing and modes",
	"replaced inode via mv same size/mtime":         "looks at sizes, times of writing and modes",
	"gitignore ignorecase":                          "names are compared as they are",
	"gitattributes text eol=crlf":                   "knows no attributes",
	"gitattributes ident":                           "knows no attributes",
	"working-tree-encoding UTF-16":                  "knows no attributes",
	"clean/smudge filter":                           "knows no filters",
	"lfs-like pointer filter":                       "knows no filters",
	"submodule ignore=all":                          "knows no settings of submodules",
	"include in repo config":                        "follows no include",
	"replace ref of HEAD commit":                    "knows no replacements",
	"split index":                                   "refused: read by git alone",
	"split index clean":                             "refused: read by git alone",
	"sparse index":                                  "refused: read by git alone",
	"SHA-256 repo":                                  "refused: read by git alone",
	"GIT_INDEX_FILE":                                "asks about the folder, not about git's variables",
	"GIT_DIR+GIT_WORK_TREE":                         "asks about the folder, not about git's variables",
	"GIT_DIR points to other repo":                  "asks about the folder, not about git's variables",
	"GIT_CEILING_DIRECTORIES":                       "asks about the folder, not about git's variables",
	"extensions.relativeWorktrees (2.48+)":          "git refuses it before 2.48",
	"reftable marker (extensions.refstorage)":       "git refuses it before 2.45",
}

// sameRefusal compares a reason with what git wrote to standard error.
func sameRefusal(refused, complaint string) bool {
	if complaint == "" || refused == "" {
		return complaint == refused
	}
	_, fatal, ok := strings.Cut("\n"+complaint, "\nfatal: ")
	first, _, _ := strings.Cut(fatal, "\n")
	return ok && strings.HasPrefix(refused, first) && !strings.Contains(refused, "\n")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
