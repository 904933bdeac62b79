//go:build unix

package work

import (
	"time"

	"golang.org/x/sys/unix"
)

// lastChange is when what stands at a path last changed: any write moves that
// time of its inode, which nobody can set back.
func lastChange(path string) (at time.Time, ok bool) {
	var s unix.Stat_t
	if unix.Lstat(path, &s) != nil {
		return time.Time{}, false
	}
	return time.Unix(0, s.Ctim.Nano()), true
}
