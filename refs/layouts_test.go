package refs

import (
	"os"
	"strings"
	"testing"
)

// layouts build a repository each and name the folders from which it is looked
// for. The judge is git.
var layouts = map[string]func(t *testing.T, top string) []string{
	"plain, from the top and below": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		must(t, os.MkdirAll(top+"/r/a/b", 0o777))
		return []string{"r", "r/a", "r/a/b"}
	},
	"no repository": func(t *testing.T, top string) []string {
		must(t, os.MkdirAll(top+"/a/b", 0o777))
		return []string{"a/b"}
	},
	"empty .git folder is passed by": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		must(t, os.MkdirAll(top+"/r/a/.git", 0o777))
		return []string{"r/a"}
	},
	"linked work trees, beside and nested": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "worktree", "add", "-q", "../wt")
		git(t, top+"/r", "worktree", "add", "-q", "--detach", ".trees/x")
		must(t, os.MkdirAll(top+"/r/.trees/x/sub", 0o777))
		return []string{"wt", "r/.trees/x", "r/.trees/x/sub", "r/.trees", "r/.git/worktrees/wt", "r/.git/worktrees"}
	},
	"submodule": func(t *testing.T, top string) []string {
		plain(t, top+"/sub")
		plain(t, top+"/r")
		git(t, top+"/r", "submodule", "--quiet", "add", "../sub", "libs/sub")
		must(t, os.MkdirAll(top+"/r/libs/sub/x", 0o777))
		return []string{"r/libs", "r/libs/sub", "r/libs/sub/x", "r/.git/modules/libs/sub", "r/.git/modules"}
	},
	".bare with work trees": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top, "clone", "-q", "--bare", "r", "p/.bare")
		write(t, top+"/p/.git", "gitdir: ./.bare\n")
		git(t, top+"/p", "worktree", "add", "-q", "main")
		git(t, top+"/p", "worktree", "add", "-q", "-b", "side/way", "side")
		return []string{"p", "p/main", "p/side", "p/.bare"}
	},
	"separate git dir": func(t *testing.T, top string) []string {
		git(t, top, "init", "-q", "--separate-git-dir", "store.git", "r")
		git(t, top+"/r", "commit", "-q", "--allow-empty", "-m", "x")
		return []string{"r", "store.git"}
	},
	"broken .git file": func(t *testing.T, top string) []string {
		plain(t, top)
		write(t, top+"/a/.git", "gitdir: ../nowhere\n")
		write(t, top+"/b/.git", "nonsense\n")
		write(t, top+"/c/.git", "gitdir: \n")
		write(t, top+"/d/.git", "")
		return []string{"a", "b", "c", "d", "."}
	},
	".git is a link": func(t *testing.T, top string) []string {
		plain(t, top+"/store")
		must(t, os.MkdirAll(top+"/r/a", 0o777))
		link(t, "../store/.git", top+"/r/.git")
		git(t, top+"/store", "worktree", "add", "-q", "../wt")
		must(t, os.Mkdir(top+"/other", 0o777))
		link(t, "../wt/.git", top+"/other/.git")
		return []string{"r", "r/a", "other"}
	},
	"bare": func(t *testing.T, top string) []string {
		git(t, top, "init", "-q", "--bare", "b.git")
		return []string{"b.git", "b.git/refs/heads"}
	},
	"bare by setting only": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "config", "core.bare", "true")
		return []string{"r", "r/.git"}
	},
	"inside the git dir": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		return []string{"r/.git", "r/.git/refs/heads", "r/.git/objects"}
	},
	"unborn": func(t *testing.T, top string) []string {
		git(t, top, "init", "-q", "-b", "feature/new", "r")
		return []string{"r"}
	},
	"detached": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "checkout", "-q", "--detach")
		return []string{"r"}
	},
	"packed references": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "tag", "-a", "-m", "x", "v1")
		git(t, top+"/r", "branch", "a/b")
		git(t, top+"/r", "pack-refs", "--all")
		return []string{"r"}
	},
	"HEAD outside refs/heads, and a chain": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "update-ref", "refs/other/x", "HEAD")
		git(t, top+"/r", "symbolic-ref", "refs/heads/alias", "refs/other/x")
		git(t, top+"/r", "symbolic-ref", "HEAD", "refs/heads/alias")
		return []string{"r"}
	},
	"HEAD is a link": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		must(t, os.Remove(top+"/r/.git/HEAD"))
		link(t, "refs/heads/main", top+"/r/.git/HEAD")
		return []string{"r"}
	},
	"bisect and rewritten references are the work tree's own": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "worktree", "add", "-q", "../wt")
		git(t, top+"/wt", "commit", "-q", "--allow-empty", "-m", "y")
		git(t, top+"/wt", "update-ref", "refs/worktree/x", "HEAD")
		git(t, top+"/wt", "symbolic-ref", "HEAD", "refs/worktree/x")
		return []string{"wt"}
	},
	"working directory behind a link": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		must(t, os.MkdirAll(top+"/r/a", 0o777))
		link(t, "r/a", top+"/in")
		return []string{"in"}
	},
	"core.worktree": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		plain(t, top+"/s")
		must(t, os.MkdirAll(top+"/elsewhere", 0o777))
		git(t, top+"/r", "config", "core.worktree", "../../elsewhere")
		git(t, top+"/s", "config", "core.worktree", top+"/elsewhere")
		return []string{"r", "r/.git", "s"}
	},
	"core.worktree and core.bare": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "config", "core.worktree", top)
		git(t, top+"/r", "config", "core.bare", "true")
		return []string{"r"}
	},
	"core.worktree without a format version": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		write(t, top+"/r/.git/config", "[core]\n\tworktree = ../../elsewhere\n")
		return []string{"r"}
	},
	"no configuration": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		must(t, os.Remove(top+"/r/.git/config"))
		return []string{"r"}
	},
	"worktreeConfig": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "worktree", "add", "-q", "../wt")
		must(t, os.MkdirAll(top+"/there", 0o777))
		git(t, top+"/r", "config", "extensions.worktreeConfig", "true")
		git(t, top+"/wt", "config", "--worktree", "core.worktree", top+"/there")
		return []string{"r", "wt"}
	},
	"worktreeConfig, bare main": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top, "clone", "-q", "--bare", "r", "b.git")
		git(t, top+"/b.git", "worktree", "add", "-q", "../wt")
		git(t, top+"/b.git", "config", "extensions.worktreeConfig", "true")
		return []string{"b.git", "wt"}
	},
	"sha256": func(t *testing.T, top string) []string {
		git(t, top, "init", "-q", "--object-format=sha256", "r")
		git(t, top+"/r", "commit", "-q", "--allow-empty", "-m", "x")
		git(t, top+"/r", "pack-refs", "--all")
		return []string{"r"}
	},
	"extensions that are known": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "config", "core.repositoryFormatVersion", "1")
		for _, name := range []string{"noop", "noop-v1", "preciousObjects"} {
			git(t, top+"/r", "config", "extensions."+name, "true")
		}
		return []string{"r"}
	},
	"extension that is not known": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		git(t, top+"/r", "config", "extensions.frobnicate", "true")
		plain(t, top+"/s")
		git(t, top+"/s", "config", "extensions.frobnicate", "true")
		write(t, top+"/s/.git/config", strings.Replace(read(t, top+"/s/.git/config"), "version = 0", "version = 1", 1))
		plain(t, top+"/u")
		write(t, top+"/u/.git/config", "[core]\nrepositoryformatversion = 2\n")
		plain(t, top+"/v")
		git(t, top+"/v", "config", "extensions.objectFormat", "sha1")
		return []string{"r", "s", "u", "v"}
	},
	"configuration with every liberty": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		write(t, top+"/r/.git/config", "\xef\xbb\xbf# first\r\n[CORE]RepositoryFormatVersion = 0 ; end\r\n"+
			"[x \"core\"]\n\tbare = true\n[x.core] bare\n[core \"sub\"] bare = true\n"+
			"[Core] Bare = \"fal\"se # no\n\tworkTree = \\\n  \"../../else\\\\wh#ere\"\\\n ; not part\n")
		must(t, os.MkdirAll(top+"/else\\wh#ere", 0o777))
		return []string{"r"}
	},
	"bare stated without a value": func(t *testing.T, top string) []string {
		plain(t, top+"/r")
		write(t, top+"/r/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare\n")
		return []string{"r"}
	},
}
