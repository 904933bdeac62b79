//go:build unix

package task

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const nobody = 65534

// asNobody runs the calling test in a process without privileges: here, when
// this is one, else in a child of another user. It returns false in the parent,
// which has nothing more to do. scratch belongs to the user of the child.
func asNobody(t *testing.T) (scratch string, here bool) {
	t.Helper()
	if os.Geteuid() != 0 {
		if dir := os.Getenv("CHATRAIL_TEST_SCRATCH"); dir != "" {
			return dir, true
		}
		return realTemp(t), true
	}
	dir := openTemp(t)
	program := filepath.Join(dir, "test")
	self, err := os.Executable()
	must(t, err)
	data, err := os.ReadFile(self)
	must(t, err)
	must(t, os.WriteFile(program, data, 0o755))
	scratch = filepath.Join(dir, "scratch")
	must(t, os.Mkdir(scratch, 0o700))
	must(t, os.Chown(scratch, nobody, nobody))
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Dir = scratch
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + scratch, "TMPDIR=" + scratch, "CHATRAIL_TEST_SCRATCH=" + scratch}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
	return "", false
}

// openTemp is a temporary folder that every user can reach.
func openTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "task-test-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	dir, err = filepath.EvalSymlinks(dir)
	must(t, err)
	return dir
}

// needRoot skips a test that has to make files of another user.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of another user")
	}
}

// openMask makes new files as open as their makers ask for.
func openMask(t *testing.T) {
	t.Helper()
	old := syscall.Umask(0)
	t.Cleanup(func() { syscall.Umask(old) })
}
