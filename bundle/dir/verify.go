package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"chatrail/bundle"
)

// Verify reads the whole history again, whatever was verified before, and
// compares the live files and the notes with it. A half-written last line and
// notes that were changed by hand are warnings: the next Apply takes care of
// them. Of a frozen bundle it counts all complete lines as events.
func (s *Store) Verify(ctx context.Context) (*bundle.Report, error) {
	// A writer at work looks for a moment like one that died.
	const patience = 10 * time.Millisecond
	for try := 0; ; try++ {
		v, err := s.look(ctx, try == 0)
		if err != nil {
			return nil, err
		}
		if v.cause != "" {
			n, err := s.countLines(ctx)
			return &bundle.Report{Frozen: v.cause, Events: n}, err
		}
		passing, err := s.unfinished(ctx, v)
		if err != nil {
			return nil, err
		}
		if len(passing) > 0 && (try < retries || !s.stands(v) && try < movingRetries) {
			if err := pause(ctx, patience); err != nil {
				return nil, err
			}
			continue
		}
		aside, err := s.asideWarnings()
		return &bundle.Report{Valid: true, Events: v.count(), Pending: v.pending, Warnings: append(passing, aside...)}, err
	}
}

// unfinished lists what the next Apply will take care of.
func (s *Store) unfinished(ctx context.Context, v *view) ([]string, error) {
	var warnings []string
	if v.torn > 0 {
		warnings = append(warnings,
			fmt.Sprintf("the last line is incomplete (%d bytes): the next write sets it aside", v.torn))
	}
	changed, err := s.changedNotes(ctx, v.recorded())
	if len(changed) > 0 {
		warnings = append(warnings,
			fmt.Sprintf("%d notes were changed without an event: the next write records them", len(changed)))
	}
	return warnings, err
}

// asideWarnings names what earlier writes set aside.
func (s *Store) asideWarnings() ([]string, error) {
	names, err := s.filesWith(tornPrefix)
	if err != nil {
		return nil, err
	}
	var warnings []string
	for _, name := range names {
		warnings = append(warnings, "an incomplete line was set aside in "+name)
	}
	return warnings, nil
}

// countLines counts the complete lines of a history that may not hold.
func (s *Store) countLines(ctx context.Context) (int, error) {
	f, err := openNoFollow(s.file(bundle.EventsFile), os.O_RDONLY)
	if errors.Is(err, errNotRegular) || err != nil && missing(err) {
		return 0, nil // the cause says so
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	lines := newForward(f, 0, info.Size())
	for n := 0; ; {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		l, err := lines.next()
		if err == io.EOF || errors.Is(err, errLongLine) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if !l.torn && !l.blank() {
			n++
		}
	}
}
