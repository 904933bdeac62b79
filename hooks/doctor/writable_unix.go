//go:build unix

package doctor

import "golang.org/x/sys/unix"

// mayWrite asks whether this process may write in a folder, and writes nothing.
func mayWrite(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
