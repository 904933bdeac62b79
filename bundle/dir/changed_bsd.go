//go:build unix && !linux

package dir

import "syscall"

// changed is when an inode last changed, in nanoseconds.
func changed(s *syscall.Stat_t) int64 { return s.Ctimespec.Nano() }
