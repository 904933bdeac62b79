package refs

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// withoutPrivilege runs fn so that permissions bind it. They do not bind root,
// who gives the repository away and lets one thread act on files as its new owner.
func withoutPrivilege(t *testing.T, dir string, fn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		fn()
		return
	}
	const nobody = 65534
	for at := dir; at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
		must(t, os.Chmod(at, 0o755))
	}
	must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		syscall.RawSyscall(syscall.SYS_SETFSGID, nobody, 0, 0)
		syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		fn()
	}()
	<-done
}
