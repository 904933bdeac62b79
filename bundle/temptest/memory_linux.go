package temptest

import (
	"os"
	"syscall"
)

const (
	tmpfs    = 0x01021994 // TMPFS_MAGIC of linux/magic.h
	noExec   = 0x8        // ST_NOEXEC of statvfs: hooks of git could not run there
	roomy    = 2 << 30    // a container's usual 64 MB are not
	inMemory = "/dev/shm"
)

// memory is a folder of the file system that Linux keeps in memory, or "".
func memory() string {
	var fs syscall.Statfs_t
	if syscall.Statfs(inMemory, &fs) != nil || fs.Type != tmpfs || fs.Flags&noExec != 0 {
		return ""
	}
	if fs.Bavail*uint64(fs.Bsize) < roomy || !writable(inMemory) {
		return ""
	}
	return inMemory
}

// writable tells whether files can be made in a folder.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, "chatrail-try-")
	if err != nil {
		return false
	}
	f.Close()
	return os.Remove(f.Name()) == nil
}
