package fallback

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"chatrail/refs"
)

// rule is one line of an ignore file.
type rule struct {
	gitignore.Pattern
	byName bool // it holds no slash, and so speaks of names, wherever they are
	below  bool // it ends in "/**" and speaks of all that lies in a folder
}

// match asks the pattern about a path itself. The library lets one that matches
// a folder match all in it, too; a "!dir/" would bring back what another line
// ignores there.
func (r rule) match(path []string, dir bool) gitignore.MatchResult {
	last := len(path) - 1
	if r.byName {
		return r.Match(path[last:], dir)
	}
	above := r.Match(path[:last], true)
	if r.below {
		return above
	}
	if above != gitignore.NoMatch {
		return gitignore.NoMatch
	}
	return r.Match(path, dir)
}

// rules stand in the order of ascending priority.
type rules []rule

// ignore reports whether a path is ignored, in a folder that is not.
func (rs rules) ignore(path []string, dir bool) bool {
	for i := len(rs) - 1; i >= 0; i-- {
		if result := rs[i].match(path, dir); result != gitignore.NoMatch {
			return result == gitignore.Exclude
		}
	}
	return false
}

// maxRules bounds the bytes of an ignore file that are read.
const maxRules = 16 << 20

// folderRules reads the ignore file of a folder. A link in its place is not
// followed, as in git.
func folderRules(full string, folder []string) rules {
	file := filepath.Join(full, ".gitignore")
	if fi, err := os.Lstat(file); err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	return readRules(file, folder)
}

// readRules reads an ignore file that speaks of a folder.
func readRules(file string, folder []string) rules {
	f, err := openFile(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRules))
	if err != nil {
		return nil
	}
	return parseRules(string(data), folder)
}

// sets turns what git allows in a set of characters into what the library, which
// matches as filepath.Match does, allows there.
var sets = strings.NewReplacer("[!", "[^", "[:digit:]", "0-9", "[:lower:]", "a-z", "[:upper:]", "A-Z",
	"[:alpha:]", "A-Za-z", "[:alnum:]", "0-9A-Za-z", "[:xdigit:]", "0-9A-Fa-f", "[:space:]", " \t\v\f\r")

func parseRules(text string, folder []string) rules {
	var parsed rules
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		bare := strings.TrimRight(line, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		r := rule{
			byName: !strings.Contains(strings.TrimSuffix(bare, "/"), "/"),
			below:  strings.HasSuffix(bare, "/**"),
		}
		domain := folder
		if r.byName {
			domain = nil // match gives it the name alone
		}
		r.Pattern = gitignore.ParsePattern(sets.Replace(line), domain)
		parsed = append(parsed, r)
	}
	return parsed
}

// sharedRules are those that do not come from the work tree: the user's and the
// repository's.
func sharedRules(repo *refs.Repo, set settings) rules {
	return append(readRules(set.excludes, nil), readRules(filepath.Join(repo.CommonDir, "info", "exclude"), nil)...)
}
