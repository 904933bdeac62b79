//go:build unix

package task

import "os"

// syncFolder makes a rename in the folder durable.
func syncFolder(folder *os.Root) error {
	f, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
