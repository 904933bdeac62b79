package secrettest

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Search looks for traces of secrets.
type Search struct {
	Kinds []Kind
	// Found is called with the name of the kind and where a trace of it is.
	Found func(kind, where string)
}

// Bytes looks through what a program printed, or a file.
func (s Search) Bytes(where string, data []byte) {
	for _, k := range s.Kinds {
		for _, trace := range k.Traces() {
			if bytes.Contains(data, []byte(trace)) {
				s.Found(k.Name, where)
				break
			}
		}
	}
}

// Folder looks through the names and bytes of everything below a folder. It
// returns how many files it has read, so that a test can be sure of something
// to look at.
func (s Search) Folder(folder string) (files int, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		s.Bytes("the name "+path, []byte(path))
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		s.Bytes(path, data)
		return nil
	})
	return files, err
}

// Repository looks through every object of a git repository, reachable or not,
// unpacked, and through the files of its git directory. It returns the number of
// bytes in the objects.
func (s Search) Repository(dir string, env []string) (size int, err error) {
	git := func(args ...string) ([]byte, error) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "safe.directory=*"}, args...)...)
		cmd.Env = env
		return cmd.Output()
	}
	objects, err := git("cat-file", "--batch-all-objects", "--batch")
	if err != nil {
		return 0, err
	}
	s.Bytes("an object of "+dir, objects)
	gitDir, err := git("rev-parse", "--absolute-git-dir")
	if err != nil {
		return 0, err
	}
	_, err = s.Folder(string(bytes.TrimSpace(gitDir)))
	return len(objects), err
}
