package objects

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// Bounds of what a Reader holds of objects that nobody asked for yet.
const (
	aheadBytes   = 32 << 20
	aheadObjects = 20_000
)

// Ahead reads objects before they are asked for: git gets all the questions at
// once, where Get waits for each answer. It is a hint and has no result: what it
// did not read, whatever the reason, Get reads and gives the reason. Objects
// stay until Forget, of which whoever reads a long history ahead calls one for
// every part of it.
func (r *Reader) Ahead(ctx context.Context, ids []string) {
	if r.ahead == nil {
		r.ahead = map[string]Object{}
	}
	asked := make(map[string]bool, len(ids))
	var ask []string
	var own []looseFile
	for _, id := range ids {
		if _, ok := r.ahead[id]; ok || asked[id] || !r.db.hash.Valid(id) {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		if len(r.ahead)+len(ask)+len(own) >= aheadObjects {
			break
		}
		asked[id] = true
		dir, loose := r.listedLoose(id)
		if !loose {
			ask = append(ask, id)
			continue
		}
		own = append(own, looseFile{dir, id})
	}
	r.looseAhead(ctx, own)
	if len(ask) > 0 && !r.noGit {
		r.askAhead(ctx, ask)
	}
}

// Ready gives an object that Ahead has read.
func (r *Reader) Ready(id string, kind Kind) ([]byte, bool) {
	o, ok := r.ahead[id]
	if !ok || o.Kind != kind {
		return nil, false
	}
	return o.Data, true
}

// Forget drops what Ahead has read.
func (r *Reader) Forget() {
	r.ahead, r.aheadSize = nil, 0
}

func (r *Reader) keepAhead(o Object) {
	if len(o.Data) > aheadBytes-r.aheadSize {
		return
	}
	r.aheadSize += len(o.Data)
	r.ahead[o.ID] = o
}

type looseFile struct{ dir, id string }

// looseAhead reads files, one on each processor: most of the time goes into
// opening and inflating them. Of a damaged file git is not asked, see packed.
func (r *Reader) looseAhead(ctx context.Context, files []looseFile) {
	var all sync.WaitGroup
	var mu sync.Mutex
	next := 0
	take := func() (f looseFile, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(files) || ctx.Err() != nil {
			return f, false
		}
		next++
		return files[next-1], true
	}
	for range min(runtime.GOMAXPROCS(0), looseReaders, len(files)) {
		all.Go(func() {
			for f, ok := take(); ok; f, ok = take() {
				if o, err := r.db.hash.readLoose(f.dir, f.id); err == nil {
					mu.Lock()
					r.keepAhead(o)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
}

// looseReaders bounds how many files are held at once, each of which may be as
// large as an object can be.
const looseReaders = 4

// listedLoose says in which directory an object has a file of its own. Most
// that are read ahead lie in packs, and one listing of a folder costs less than
// a look for each of them.
func (r *Reader) listedLoose(id string) (dir string, ok bool) {
	if r.dirs == nil {
		r.dirs = objectDirs(r.db.repo.CommonDir)
	}
	for _, dir := range r.dirs {
		fan := filepath.Join(dir, id[:2])
		names, ok := r.listed[fan]
		if !ok {
			names = map[string]bool{}
			entries, _ := os.ReadDir(fan)
			for _, e := range entries {
				names[e.Name()] = true
			}
			if r.listed == nil {
				r.listed = map[string]map[string]bool{}
			}
			r.listed[fan] = names
		}
		if names[id[2:]] {
			return dir, true
		}
	}
	return "", false
}

// askAhead asks git for many objects.
func (r *Reader) askAhead(ctx context.Context, ids []string) {
	for again := true; again; {
		again = false
		if r.batch == nil {
			b, err := r.db.take()
			if err != nil {
				return
			}
			r.batch = b
		}
		err := r.batch.each(ctx, ids, func(size int64) bool { return size <= int64(aheadBytes-r.aheadSize) }, func(o Object) {
			if r.db.hash.Object(o.Kind, o.Data).ID == o.ID {
				r.keepAhead(o)
			}
		})
		if err != nil && !errors.Is(err, ErrMissing) {
			again = r.db.drop(r.batch)
			r.batch = nil
		}
	}
}
