package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"

	"chatrail/refs"
)

// looseLimit is the number of new objects above which one pack is written: many
// loose objects slow every git command of the user.
const looseLimit = 100

// Write stores objects and makes them durable. On an error some of them may be
// there; nothing refers to them.
func (d *DB) Write(ctx context.Context, objs []Object) error {
	if len(objs) == 0 {
		return nil
	}
	if !d.direct() || len(objs) > looseLimit {
		err := d.writePack(ctx, objs)
		if !errors.Is(err, exec.ErrNotFound) || !d.direct() {
			return err
		}
	}
	return d.writeLoose(objs)
}

func (d *DB) writeLoose(objs []Object) error {
	w := looseWriter{hash: d.hash, dir: d.dir(), share: d.repo.ApplySharing, dirs: map[string]bool{}}
	if err := w.write(objs); err != nil {
		return err
	}
	return w.sync()
}

// writePack hands the objects to git in one stream: many stay a pack, few
// become loose objects.
func (d *DB) writePack(ctx context.Context, objs []Object) error {
	args := []string{"-c", "core.fsync=all", "-c", "core.fsyncObjectFiles=true", "unpack-objects", "-q"}
	if len(objs) > looseLimit {
		args = []string{"-c", "core.fsync=all", "index-pack", "--stdin"}
	}
	pack, err := d.hash.encodePack(objs)
	if err != nil {
		return err
	}
	cmd := d.repo.Git(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(pack), &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err = refs.GitError(err, stderr.Bytes())
		if why := reason(stderr.String()); why != nil {
			err = fmt.Errorf("%w (%w)", err, why)
		}
		return err
	}
	return nil
}

// reason finds out what git could not do, as an error that can be told from
// others. It speaks English to us.
func reason(stderr string) error {
	switch {
	case strings.Contains(stderr, "No space left on device"):
		return syscall.ENOSPC
	case strings.Contains(stderr, "Permission denied"), strings.Contains(stderr, "insufficient permission"),
		strings.Contains(stderr, "Read-only file system"):
		return fs.ErrPermission
	}
	return nil
}
