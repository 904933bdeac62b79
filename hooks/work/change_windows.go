package work

import (
	"os"
	"time"
)

// lastChange is when what stands at a path was last written, as far as Windows
// tells.
func lastChange(path string) (at time.Time, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}
