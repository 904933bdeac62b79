package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"chatrail/hooks/words"
)

// Bounds of what is read. A note is one fact: what is far beyond is none.
const (
	maxNote    = 256 << 10 // bytes of one note
	maxNotes   = 1000      // notes
	maxAll     = 16 << 20  // bytes of all notes
	maxEntries = 5000      // names, of whatever
	maxDepth   = 4         // folders in folders

	maxLabel       = 120 // bytes of a name
	maxDescription = 300 // bytes of a description
)

// Detector tells whether a text looks like it holds a secret.
type Detector func(text string) (found bool)

// Note is one note of type project. Name and Description are one harmless line
// each, and bounded.
type Note struct {
	File        string // path below the folder, with slashes, as it is
	Name        string // the name of the file where the note has none
	Description string
	Generation  string // SHA-256 of the bytes, in hex
}

// Passed is something that was not read as a note, and why. The name is
// harmless; it is "" where it looks like a secret itself.
type Passed struct {
	File   string `json:"file,omitempty"`
	Reason string `json:"reason"`
}

// Listing is what a folder of notes holds.
type Listing struct {
	Notes  []Note   // of type project, sorted by name
	Held   []Passed // of type project, that look like they hold a secret
	Passed []Passed // that could not be read as notes
	Others int      // notes of other types
	More   int      // wanted notes that were not looked at, see Wanted
	// Partial says that there is more than was looked at.
	Partial bool
}

// skippedFolders are those at the top in which Claude Code keeps other things
// than notes of this project.
var skippedFolders = []string{"team", "logs", "sessions", "proposals"}

// Wanted says which notes of type project are asked for. To look for secrets
// takes longer than to read, so whoever has little time wants few. The same
// folder gives the same notes.
type Wanted struct {
	// Note tells whether a note is wanted, by its file and generation alone; nil
	// wants all.
	Note func(Note) bool
	// Most is how many are looked at, in the order of their files; 0 is all.
	// Bytes bounds the text of them in the same way.
	Most, Bytes int
}

// Scan reads the notes of a folder. Where there is no folder there are none. It
// fails when the folder cannot be read or the context ends, and never for what
// a note holds.
func Scan(ctx context.Context, folder string, secret Detector, want Wanted) (Listing, error) {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return Listing{}, nil
	}
	if err != nil {
		return Listing{}, fmt.Errorf("the project memory cannot be read: %w", err)
	}
	defer root.Close()
	s := scan{root: root, secret: secret, want: want}
	if err := s.list(ctx, ".", 0); err != nil {
		return Listing{}, err
	}
	slices.Sort(s.files)
	for i, file := range s.files {
		if err := ctx.Err(); err != nil {
			return Listing{}, err
		}
		if i == maxNotes || s.bytes > maxAll {
			s.Partial = true
			break
		}
		s.read(file)
	}
	slices.SortFunc(s.Notes, func(a, b Note) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.File, b.File))
	})
	return s.Listing, nil
}

type scan struct {
	Listing
	root    *os.Root
	secret  Detector
	want    Wanted
	files   []string
	entries int
	bytes   int // read
	looked  int // notes that were looked through
	through int // bytes of them
}

// list collects the files of a folder, and of the folders in it.
func (s *scan) list(ctx context.Context, dir string, depth int) error {
	f, err := s.root.Open(dir)
	if err != nil {
		if dir == "." {
			return fmt.Errorf("the project memory cannot be read: %w", err)
		}
		s.pass(dir, reason(err))
		return nil
	}
	defer f.Close()
	var entries []fs.DirEntry
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		some, err := f.ReadDir(200)
		entries = append(entries, some...)
		if s.entries += len(some); s.entries > maxEntries {
			s.Partial = true
			break
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.pass(dir, reason(err))
			break
		}
	}
	f.Close() // not one open file a level
	for _, e := range entries {
		if err := s.entry(ctx, path.Join(dir, e.Name()), e, depth); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) entry(ctx context.Context, name string, e fs.DirEntry, depth int) error {
	switch {
	case strings.HasPrefix(e.Name(), "."):
	case e.IsDir():
		if depth == 0 && slices.Contains(skippedFolders, strings.ToLower(e.Name())) {
			return nil
		}
		if depth+1 >= maxDepth {
			s.pass(name, "too many folders deep")
			return nil
		}
		return s.list(ctx, name, depth+1)
	case strings.HasSuffix(name, ".md") && e.Name() != "MEMORY.md":
		s.files = append(s.files, name)
	}
	return nil
}

// read reads one note into the listing.
func (s *scan) read(file string) {
	data, err := readIn(s.root, file, maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return // deleted a moment ago
	}
	if err != nil {
		s.pass(file, reason(err))
		return
	}
	s.bytes += len(data)
	h, ok := readHead(data)
	switch {
	case !ok:
		s.pass(file, "no front matter")
		return
	case h.kind == "":
		s.pass(file, "no type")
		return
	case !strings.EqualFold(h.kind, "project"):
		s.Others++
		return
	}
	s.note(file, h, data)
}

// note takes a note of type project into the listing, if it is wanted and holds
// no secret.
func (s *scan) note(file string, h head, data []byte) {
	sum := sha256.Sum256(data)
	n := Note{File: file, Generation: hex.EncodeToString(sum[:])}
	if s.want.Note != nil && !s.want.Note(n) {
		return
	}
	if s.want.Most > 0 && s.looked >= s.want.Most || s.want.Bytes > 0 && s.looked > 0 && s.through+len(data) > s.want.Bytes {
		s.More++
		return
	}
	s.looked++
	s.through += len(data)
	if s.secret(string(data)) || s.secret(file) {
		s.Held = append(s.Held, Passed{s.safe(file), "it looks like it holds a secret"})
		return
	}
	n.Name = words.Cut(words.Harmless(h.name), maxLabel)
	n.Description = words.Cut(words.Harmless(h.description), maxDescription)
	if n.Name == "" {
		n.Name = words.Cut(words.Harmless(strings.TrimSuffix(path.Base(file), ".md")), maxLabel)
	}
	s.Notes = append(s.Notes, n)
}

func (s *scan) pass(file, why string) {
	s.Passed = append(s.Passed, Passed{s.safe(file), why})
}

// safe is a file's name as it may be said, "" where it may not.
func (s *scan) safe(file string) string {
	if s.secret(file) {
		return ""
	}
	return words.Cut(words.Harmless(file), maxLabel)
}

// reason is the bare cause of an error of the file system, without the path.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
