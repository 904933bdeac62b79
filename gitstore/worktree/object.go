package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"chatrail/refs"
)

// object is what is needed of a commit.
type object struct {
	parents []string
	origin  string // author, time of writing and subject: what a rebase keeps
	subject string
}

// lookUp reads the commits of some deeds and HEAD. One that the repository does
// not have is missing in the answer.
func lookUp(ctx context.Context, repo *refs.Repo, deeds []deed, head string) (map[string]object, error) {
	ids := []string{head}
	for _, d := range deeds {
		ids = append(ids, d.id)
	}
	// A missing commit is not worth asking a server for.
	out, err := output(repo.Git(ctx, "-c", "protocol.allow=never", "rev-list", "--no-walk", "--ignore-missing", "--stdin",
		"--encoding=UTF-8", "--date=raw", "--format=%P%n%an <%ae> %ad%n%s"), ids)
	if err != nil {
		return nil, err
	}
	known := map[string]object{}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for ; len(lines) >= 4; lines = lines[4:] {
		id, ok := strings.CutPrefix(lines[0], "commit ")
		if !ok {
			break
		}
		known[id] = object{parents: strings.Fields(lines[1]), origin: lines[2] + "\n" + lines[3], subject: lines[3]}
	}
	if len(lines) > 0 && lines[0] != "" {
		return nil, fmt.Errorf("git rev-list wrote a line that is not understood: %.80q", lines[0])
	}
	return known, nil
}

// output runs a git command on some lines of input and returns what it wrote.
func output(cmd *exec.Cmd, lines []string) (string, error) {
	var out bytes.Buffer
	complaint := &tail{}
	if lines != nil {
		cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	}
	cmd.Stdout, cmd.Stderr = &out, complaint
	if err := cmd.Run(); err != nil {
		return "", refs.GitError(err, complaint.kept)
	}
	return out.String(), nil
}
