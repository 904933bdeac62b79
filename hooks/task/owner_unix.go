//go:build unix

package task

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// noFollow makes opening a link fail.
const noFollow = syscall.O_NOFOLLOW

// mine tells whether this process's user owns what info describes.
func mine(info fs.FileInfo, _ string) bool {
	uid, ok := ownerOf(info)
	return ok && uid == uint32(os.Geteuid())
}

// ownedByUser is mine with git's exception: root under sudo also counts what
// belongs to the user who called sudo.
func ownedByUser(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if mine(info, path) {
		return true
	}
	if os.Geteuid() != 0 {
		return false
	}
	uid, ok := ownerOf(info)
	sudo, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32)
	return ok && err == nil && uid == uint32(sudo)
}

func ownerOf(info fs.FileInfo) (uint32, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, true
}

// closed tells whether nobody but the owner can look into a folder or file.
func closed(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// linkCount is how many names a file has.
func linkCount(info fs.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(stat.Nlink)
}

// userID names this process's user in the name of the drop box.
func userID() string { return strconv.Itoa(os.Geteuid()) }
