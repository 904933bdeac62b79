// Package dirtest makes bundles of any length in folders, for tests of what does
// not grow with them.
package dirtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/dir"
)

// North is what the bundles are about.
const North = "Move the importer to streaming reads"

// Fill makes a bundle with that many events, a second apart. All but the first
// are written as the format says, without a sync for each.
func Fill(path string, events int) error {
	ctx, begin := context.Background(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	state := bundle.DefaultState()
	state.Rail.North = North
	store, err := dir.Create(ctx, path, bundle.Draft{State: state, Meta: bundle.EventMeta{ReviewID: bundle.ReviewGenesis, Reason: "Begin", Time: begin}}, dir.Options{})
	if err != nil {
		return err
	}
	tip, err := store.Tip(ctx)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(path, bundle.EventsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	w, at := bufio.NewWriter(f), tip.State
	for i := 1; i < events; i++ {
		next := at
		next.Compass.Heading.Context = fmt.Sprintf("Revision %d of the road.", i)
		ev, err := bundle.NewEvent(bundle.EventMeta{
			EventID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), ReviewID: "bench", Reason: fmt.Sprintf("revision %d", i),
			Time: begin.Add(time.Duration(i) * time.Second),
		}, &at, next, nil)
		if err != nil {
			return err
		}
		w.Write(ev.Line) // Flush tells of an error
		w.WriteByte('\n')
		at = next
	}
	if err := w.Flush(); err != nil {
		return err
	}
	compass, err := bundle.EncodeCompass(at.Compass)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(path, bundle.CompassFile), compass, 0o644)
}
