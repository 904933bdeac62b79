package worktree

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
)

// foreignEnv keeps git from fetching what a partial clone lacks: the address, and
// the program that is run for it, would be the repository's to say.
var foreignEnv = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}

// errUnnamed says that a filter has a name that git cannot be told on its command
// line.
var errUnnamed = errors.New("the repository configures a filter with an odd name")

// foreign returns what goes before git's subcommand so that it runs no program
// that the repository's own configuration names. There is no switch for that, so
// its filters are asked for and each is switched off; those of the user stay. A
// submodule has a configuration of its own, see foreignStatus.
func (o Options) foreign(ctx context.Context, dir string) ([]string, error) {
	args := []string{"config", "--show-scope", "--name-only", "-z", "--get-regexp", `^filter\..*\.(clean|process)$`}
	if dir != "" {
		args = append([]string{"-C", dir}, args...)
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = o.environ()
	cmd.WaitDelay = afterEnd
	inGroup(cmd)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil, nil // there are none
	}
	if err != nil {
		return nil, err
	}
	var off []string
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		scope, name := string(fields[i]), string(fields[i+1])
		if scope == "system" || scope == "global" {
			continue
		}
		filter := name[:strings.LastIndexByte(name, '.')]
		if strings.ContainsAny(filter, "=\n") {
			return nil, errUnnamed
		}
		off = append(off, "-c", filter+".clean=", "-c", filter+".process=", "-c", filter+".required=false")
	}
	return off, nil
}

// foreignStatus has git status not look into submodules, where it would run a git
// that goes by their configuration.
const foreignStatus = "--ignore-submodules=dirty"
