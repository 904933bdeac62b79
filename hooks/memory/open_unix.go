//go:build unix

package memory

import (
	"os"
	"syscall"
)

// openFlags open for reading and never wait: a named pipe without a writer does
// not hold it up.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK
