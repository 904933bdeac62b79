package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// StagedPath is one path that a commit would change.
type StagedPath struct {
	Path string // as in Change
	// Mode is what the commit would hold there: "100644", "100755", "120000" for a
	// link, "160000" for a submodule; "" where it would remove the path.
	Mode string
	ID   string // of the blob or the submodule's commit, "" where the path goes
	// Before is the same of what HEAD holds there, with an empty mode where it holds
	// nothing.
	BeforeMode, BeforeID string
}

// Before is what HEAD holds at the path, as if it were staged.
func (p StagedPath) Before() StagedPath {
	return StagedPath{Path: p.Path, Mode: p.BeforeMode, ID: p.BeforeID}
}

// Staging is what a commit would take at this moment.
type Staging struct {
	Paths   []StagedPath // as git orders them
	Top     string       // of the work tree
	Head    string       // what it would be committed on, "" before the first commit
	Partial bool         // the deadline came before the end: there may be more
	Refused string       // why there is no answer, in one line of git's own words
}

// maxStaged bounds git's answer, in bytes: some hundred thousand paths.
const maxStaged = 64 << 20

// Staged lists how the index differs from HEAD, or from nothing before the first
// commit: what "git commit" would take, without what lies inside a .chatrail
// folder. Paths that wait for the end of a merge and those that git was only
// told of ("git add -N") are in no commit. It starts one process, which reads no
// work tree and neither writes, locks nor refreshes anything.
//
// With HonourEnv it is the index that GIT_INDEX_FILE names: inside a hook of
// "commit -a" and "commit PATH" that is the one about to be committed.
func Staged(ctx context.Context, dir string, o Options) (Staging, error) {
	repo, err := o.discover(dir)
	if err != nil {
		return Staging{}, err
	}
	head, err := repo.Head()
	if err != nil {
		return Staging{}, err
	}
	s := Staging{Top: repo.WorkTree, Head: head.Commit}
	if s.Top == "" {
		s.Refused = "there is no work tree here"
		return s, nil
	}
	base := s.Head
	if base == "" {
		base = emptyTree[repo.ObjectFormat]
	}
	args := []string{"--no-optional-locks", "-c", "core.fsmonitor=false", "diff-index", "--cached", "--raw", "-z",
		"--no-abbrev", "--no-renames", "--no-relative", "--ita-invisible-in-index", "--ignore-submodules=dirty", base, "--"}
	if dir != "" {
		args = append([]string{"-C", dir}, args...)
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = o.environ()
	cmd.WaitDelay = afterEnd
	inGroup(cmd)
	answer, complaint := &bounded{limit: maxStaged}, &tail{}
	cmd.Stdout, cmd.Stderr = answer, complaint
	err = cmd.Run()
	var exit *exec.ExitError
	var whole bool
	var failed error
	s.Paths, whole, failed = parseRaw(answer.Bytes())
	switch {
	case noProgram(err):
		s.Refused = noGit
	case failed != nil:
		return Staging{}, failed
	case err == nil && !whole:
		return Staging{}, errors.New("the answer of git diff-index ends in the middle of a record")
	case err == nil:
	case ctx.Err() != nil, answer.full, errors.Is(err, exec.ErrWaitDelay):
		s.Partial = true
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		s.Paths = nil
		if s.Refused = reason(string(complaint.kept)); s.Refused == "" {
			s.Refused = "git diff-index ended with " + exit.String() + " and no reason"
		}
	default:
		return Staging{}, fmt.Errorf("git diff-index: %w", err)
	}
	return s, nil
}

// emptyTree is the tree without entries, which every repository has.
var emptyTree = map[string]string{
	"sha1":   "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	"sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

// parseRaw reads the answer of "git diff-index --raw -z --no-renames", which is
// pairs of a record and a path. It is strict: a record that git does not write
// is an error, never a guess. whole is false where the answer ends early.
func parseRaw(data []byte) (paths []StagedPath, whole bool, err error) {
	for len(data) > 0 {
		record, rest, ok := bytes.Cut(data, []byte{0})
		if !ok {
			return paths, false, nil
		}
		path, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return paths, false, nil
		}
		p, counts, ok := stagedPath(string(record))
		if !ok || len(path) == 0 {
			return nil, false, fmt.Errorf("git diff-index wrote a record that is not understood: %.80q", record)
		}
		p.Path = string(path)
		if counts && !inOwnFolder(p.Path) {
			paths = append(paths, p)
		}
		data = rest
	}
	return paths, true, nil
}

// stagedPath reads ":<old mode> <new mode> <old id> <new id> <letter>". A path
// with several sides counts in no commit.
func stagedPath(record string) (p StagedPath, counts, ok bool) {
	rest, ok := strings.CutPrefix(record, ":")
	fields := strings.Split(rest, " ")
	if !ok || len(fields) != 5 || !isID(fields[2]) || !isID(fields[3]) {
		return p, false, false
	}
	for _, mode := range fields[:2] {
		if len(mode) != 6 || strings.Trim(mode, "01234567") != "" {
			return p, false, false
		}
	}
	if fields[0] != "000000" {
		p.BeforeMode, p.BeforeID = fields[0], fields[2]
	}
	switch fields[4] {
	case "U":
		return p, false, true
	case "D":
		return p, true, true
	case "A", "M", "T":
		p.Mode, p.ID = fields[1], fields[3]
		return p, true, p.Mode != "000000"
	}
	return p, false, false
}

// bounded keeps what a process writes, up to a limit.
type bounded struct {
	bytes.Buffer
	limit int
	full  bool
}

func (b *bounded) Write(data []byte) (int, error) {
	if b.Len()+len(data) > b.limit {
		b.full = true
		return 0, errEnough
	}
	return b.Buffer.Write(data)
}
