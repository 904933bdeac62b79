//go:build unix

package wire

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayWrite asks whether this process may write in a folder, and writes nothing.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// mayOwn tells whether a new file can be given the owner of this one.
func mayOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || os.Geteuid() == 0 || int(st.Uid) == os.Geteuid()
}

// names is how many names a file has.
func names(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}

// own gives a new file the owner of the one that it replaces.
func own(f *os.File, like fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	a, _ := now.Sys().(*syscall.Stat_t)
	b, _ := like.Sys().(*syscall.Stat_t)
	if a == nil || b == nil || a.Uid == b.Uid && a.Gid == b.Gid {
		return nil
	}
	return f.Chown(int(b.Uid), int(b.Gid))
}
