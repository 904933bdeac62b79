package objects

import (
	"context"
	"os"
	"os/exec"
)

// Git is a git command, not started yet, that reads what is stored: without the
// network, also in a partial clone, and without what makes history look other
// than it was recorded (replacements, grafts, the border of a shallow clone).
func (d *DB) Git(ctx context.Context, args ...string) *exec.Cmd {
	// git takes an empty name for: no shallow file.
	args = append([]string{"--no-replace-objects", "--shallow-file", ""}, args...)
	cmd := d.repo.Git(ctx, args...)
	// Older versions know only the list of protocols.
	cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_GRAFT_FILE="+os.DevNull)
	return cmd
}
