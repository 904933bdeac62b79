//go:build unix

package objects

import (
	"os"
	"syscall"
)

// openFile opens a file for reading. A named pipe without a writer does not
// hold it up.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
