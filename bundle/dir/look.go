package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/draft"
)

// view is what one look at a bundle found.
type view struct {
	*history                 // nil where there is no readable events file
	state    *bundle.State   // of the live files, where both could be read
	pending  []bundle.Target // recorded, not yet in the live files
	cause    string          // to freeze, "" for a healthy bundle
	info     fs.FileInfo     // of the events file
	relied   int64           // bytes of the history that were verified before
}

// revision is the newest revision as far as the bundle says one.
func (v *view) revision() *bundle.Revision {
	switch {
	case v.history != nil && v.last != nil:
		rev := *v.last
		rev.State = draft.Clone(rev.State)
		return &rev
	case v.state != nil:
		return &bundle.Revision{State: *v.state}
	}
	return nil
}

// frozen is the error of a view with a cause.
func (v *view) frozen() error {
	if v.cause == "" {
		return nil
	}
	return &bundle.FrozenError{Cause: v.cause}
}

// Causes that several places give.
const (
	noEvent      = "there is no event"
	linkedFolder = "the folder is a link"
)

var errNoBundle = fmt.Errorf("bundle: %w", bundle.ErrNotFound)

// How long a reader waits before it believes that a bundle is frozen: somebody,
// such as a checkout of git, may be replacing the files one by one.
const (
	retries    = 4
	retryPause = time.Millisecond // the patience of a Store, doubled each time
	// movingRetries bound how often a reader runs after writers.
	movingRetries = 200
)

// look reads the bundle without a lock. It never takes a writer at work for
// damage: a verdict counts only if nothing moved while it was made. The error
// is bundle.ErrNotFound where there is no bundle, else one of the file system
// or of ctx; a frozen bundle is no error here. With all, nothing that was
// verified before is relied on.
func (s *Store) look(ctx context.Context, all bool) (*view, error) {
	stood := 0
	for range movingRetries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := s.glance(ctx, all)
		switch {
		case err == nil && v.cause == "" || errors.Is(err, bundle.ErrNotFound):
			return v, err
		case err == nil && !s.stands(v):
			stood = 0
		case stood < retries:
			stood++
		case err != nil || v.relied == 0:
			return v, err
		default:
			// What is remembered may be wrong, and must not freeze a bundle.
			s.forget()
			all = true
			continue
		}
		if err := pause(ctx, s.patience<<stood); err != nil {
			return nil, err
		}
	}
	return nil, bundle.ErrBusy
}

// stands reports whether the events file is still what v was made from. While
// it is, the live files can only have moved from before to after its last event.
func (s *Store) stands(v *view) bool {
	now, err := os.Lstat(s.file(bundle.EventsFile))
	if v.info == nil || err != nil {
		return v.info == nil
	}
	return os.SameFile(now, v.info) && now.Size() == v.info.Size() && now.ModTime().Equal(v.info.ModTime())
}

// glance looks once.
func (s *Store) glance(ctx context.Context, all bool) (*view, error) {
	if s.opts.Private && linked(s.path) {
		return &view{cause: linkedFolder}, nil
	}
	shape, cause, err := inspect(s.path)
	if err != nil {
		return nil, err
	}
	if shape == Absent {
		return nil, errNoBundle
	}
	v := &view{cause: cause}
	if err := s.readHistory(ctx, v, all); err != nil {
		return nil, err
	}
	live, err := s.readLive()
	if err != nil {
		return nil, err
	}
	v.judge(live)
	if v.cause == "" {
		v.cause = s.linkedNote()
	}
	if v.cause == "" {
		s.remember(v.prefix, v.relied)
	}
	return v, nil
}

// readHistory verifies the events file, as far as there is one.
func (s *Store) readHistory(ctx context.Context, v *view, all bool) error {
	f, err := openNoFollow(s.file(bundle.EventsFile), os.O_RDONLY)
	if err != nil && v.cause != "" {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if v.info, err = f.Stat(); err != nil {
		return err
	}
	var from prefix
	if !all {
		from = s.verified(f, v.info.Size())
	}
	v.relied = from.size
	v.history, err = follow(ctx, f, v.info.Size(), from)
	if v.history != nil && v.fault == "" && ctx.Err() != nil {
		// A long history takes longer than a hook may: the next one goes on here.
		s.remember(v.prefix, v.relied)
	}
	return err
}

// live is one live file as it was read.
type live struct {
	target bundle.Target
	file   string
	digest string
	cause  string // why it says nothing
}

// liveFiles are the two live files as they were read.
type liveFiles struct {
	each  [2]live
	state *bundle.State
}

// readLive reads the live files. A file that is not there or not valid is no
// error.
func (s *Store) readLive() (liveFiles, error) {
	var l liveFiles
	var state bundle.State
	for i, target := range []bundle.Target{bundle.TargetCompass, bundle.TargetRail} {
		one := live{target: target, file: liveFile(target)}
		data, err := readFile(s.file(one.file), bundle.MaxFile)
		irregular := errors.Is(err, errNotRegular)
		if err != nil && !missing(err) && !irregular {
			return l, err
		}
		switch {
		case irregular:
			one.cause = one.file + " is not a file"
		case err != nil:
			one.cause = one.file + " is missing"
		case target == bundle.TargetCompass:
			if state.Compass, err = bundle.DecodeCompass(data); err == nil {
				one.digest = state.Compass.Digest()
			}
		default:
			if state.Rail, err = bundle.DecodeRail(data); err == nil {
				one.digest = state.Rail.Digest()
			}
		}
		if err != nil && one.cause == "" {
			one.cause = invalid(one.file, data)
		}
		l.each[i] = one
	}
	if l.each[0].cause == "" && l.each[1].cause == "" {
		l.state = &state
	}
	return l, nil
}

// invalid is the cause for a live file that does not decode.
func invalid(file string, data []byte) string {
	for i, text := range bytes.Split(data, []byte("\n")) {
		if isMarker(trim(text)) {
			return markerCause(file, i+1)
		}
	}
	return fmt.Sprintf("%s is not valid", file)
}

// judge compares the live files with the history.
func (v *view) judge(l liveFiles) {
	v.state = l.state
	if v.cause != "" {
		return
	}
	switch {
	case v.fault != "":
		v.cause = v.fault
		return
	case v.last == nil:
		v.cause = noEvent
		return
	}
	for _, one := range l.each {
		switch {
		case one.cause != "":
			v.cause = one.cause
			return
		case one.digest == digestOf(one.target, v.last.State):
		case v.events > 0 && one.digest == digestOf(one.target, v.prefix.state):
			v.pending = append(v.pending, one.target)
		default:
			v.cause = one.file + " matches no recorded state"
			return
		}
	}
}

func liveFile(t bundle.Target) string {
	if t == bundle.TargetCompass {
		return bundle.CompassFile
	}
	return bundle.RailFile
}

func digestOf(t bundle.Target, s bundle.State) string {
	if t == bundle.TargetCompass {
		return s.Compass.Digest()
	}
	return s.Rail.Digest()
}

func (s *Store) file(name string) string { return filepath.Join(s.path, filepath.FromSlash(name)) }

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
