package dir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"chatrail/bundle"
)

// Condition says how much of a bundle a folder holds.
type Condition int

// The conditions of a folder.
const (
	Absent   Condition = iota // nothing of a bundle: no folder, or none of the three files
	Partial                   // some of the three files, or something else in their place
	Complete                  // the three files
)

func (c Condition) String() string {
	switch c {
	case Complete:
		return "complete"
	case Partial:
		return "partial"
	}
	return "absent"
}

// files are the three that make a bundle, in the order in which causes name them.
var files = [...]string{bundle.CompassFile, bundle.RailFile, bundle.EventsFile}

// Shape says whether the folder at path holds a bundle, without reading it. The
// folder may be reached through a link; a link in place of one of its files is
// not followed and makes it Partial. The error is that of the file system.
func Shape(path string) (Condition, error) {
	shape, _, err := inspect(path)
	return shape, err
}

// inspect is Shape with the cause to freeze a partial bundle.
func inspect(path string) (Condition, string, error) {
	cause, regular := "", 0
	found := false
	for _, name := range files {
		info, err := os.Lstat(filepath.Join(path, name))
		why := ""
		switch {
		case err != nil && !missing(err):
			return Absent, "", err
		case err != nil:
			why = name + " is missing"
		case info.Mode().IsRegular():
			found = true
			regular++
		case info.Mode()&fs.ModeSymlink != 0:
			found = true
			why = name + " is a link"
		default:
			found = true
			why = name + " is not a file"
		}
		if cause == "" {
			cause = why
		}
	}
	switch {
	case regular == len(files):
		return Complete, "", nil
	case found:
		return Partial, cause, nil
	}
	return Absent, "", nil
}

// missing reports that nothing is at a path, also because a part of the path is
// a file.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isNotDir(err)
}

// linked reports whether path itself is a link.
func linked(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
