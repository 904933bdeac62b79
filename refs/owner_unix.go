//go:build unix

package refs

import (
	"os"
	"strconv"
	"syscall"
)

// ownedByUser follows git's rule: the effective user owns the path, and for
// root under sudo the user who called sudo counts as well. What cannot be
// looked at is not ours.
func ownedByUser(path string) bool {
	fi, err := os.Lstat(path)
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	euid := uint32(os.Geteuid())
	if st.Uid == euid {
		return true
	}
	if euid != 0 {
		return false
	}
	sudo, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32)
	return err == nil && st.Uid == uint32(sudo)
}
