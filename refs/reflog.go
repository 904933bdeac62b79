package refs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// appendLog writes the line of a swap into the reference's reflog and makes the
// log where there is none: ours always have one. It is called while git's lock
// on the reference is held, which is the lock of its log too. undo takes the
// line back.
func (r *Repo) appendLog(s Swap) (undo func() error, err error) {
	path := filepath.Join(r.CommonDir, "logs", filepath.FromSlash(s.Name))
	f, err := r.openLog(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	undo = func() error { return os.Truncate(path, fi.Size()) }
	line := r.logLine(s)
	if size := fi.Size(); size > 0 {
		// A write that was cut short must not swallow this line as well.
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && !bytes.Equal(last, []byte("\n")) {
			line = "\n" + line
		}
	}
	if _, err := f.WriteString(line); err != nil {
		return nil, also(fmt.Errorf("reflog: %w", err), undo())
	}
	return undo, nil
}

func (r *Repo) openLog(path string) (*os.File, error) {
	open := func() (*os.File, error) {
		return os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	}
	f, err := open()
	if err == nil {
		return f, nil
	}
	if isDir(path) {
		// What is left of the logs of references that were deleted.
		if err := removeEmptyBelow(path); err != nil {
			return nil, fmt.Errorf("reflog: %w", err)
		}
	}
	if err := r.shared.mkdirs(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("reflog: %w", err)
	}
	if f, err := r.shared.create(path); err == nil {
		f.Close()
	} else if !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("reflog: %w", err)
	}
	if f, err = open(); err != nil {
		return nil, fmt.Errorf("reflog: %w", err)
	}
	return f, nil
}

func (r *Repo) logLine(s Swap) string {
	old := s.Old
	if old == "" {
		old = r.ZeroID()
	}
	line := fmt.Sprintf("%s %s %s %d %s", old, s.New, s.Who.ident(), s.When.Unix(), s.When.Format("-0700"))
	if message := oneLine(s.Message); message != "" {
		line += "\t" + message
	}
	return line + "\n"
}

// oneLine makes every run of white space one blank, as git does for a reflog.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c < 0x80 && isSpace(byte(c)) || c == 0 }), " ")
}
