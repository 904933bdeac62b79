//go:build linux || darwin

package wire

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// attributes gives a new file the extended attributes of the one that it
// replaces. Access lists are among them, and without one the mode of a file says
// something else; of the others some are the system's alone to set.
func attributes(to, from string) error {
	size, err := unix.Listxattr(from, nil)
	if err != nil || size == 0 {
		return nil // none, or a file system without them
	}
	list := make([]byte, size)
	if size, err = unix.Listxattr(from, list); err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.Trim(string(list[:size]), "\x00"), "\x00") {
		if size, err = unix.Getxattr(from, name, nil); err != nil {
			continue
		}
		value := make([]byte, size)
		if size, err = unix.Getxattr(from, name, value); err == nil {
			err = unix.Setxattr(to, name, value[:size], 0)
		}
		if err != nil && strings.Contains(name, "acl") && !errors.Is(err, unix.ENOTSUP) {
			return err
		}
	}
	return nil
}
