package objects

import (
	"context"
	"errors"
	"fmt"
)

// Recover is asked once by a Reader that misses an object. It gives objects
// from elsewhere, by id, after having written them back where it could.
type Recover func(ctx context.Context, r *Reader) map[string]Object

// Reader reads objects for the length of one call. It is for one goroutine.
type Reader struct {
	db      *DB
	recover Recover
	dirs    []string
	batch   *batch
	library *library
	noGit   bool
	extra   map[string]Object // what recover gave

	ahead     map[string]Object          // what was read before it was asked for
	aheadSize int                        // bytes in ahead
	listed    map[string]map[string]bool // files below folders of loose objects
}

// Reader starts reading. recover may be nil. The caller closes it.
func (d *DB) Reader(recover Recover) *Reader { return &Reader{db: d, recover: recover} }

// Close gives back what the reader holds.
func (r *Reader) Close() {
	if r.batch != nil {
		r.db.give(r.batch)
		r.batch = nil
	}
}

// Get reads one object of a kind. It returns ErrMissing when the object is
// nowhere and cannot be recovered, ErrTooLarge above MaxSize.
func (r *Reader) Get(ctx context.Context, id string, kind Kind) ([]byte, error) {
	o, err := r.find(ctx, id)
	if errors.Is(err, ErrMissing) && r.recover != nil {
		ask := r.recover
		r.recover = nil
		r.extra = ask(ctx, r)
		o, err = r.find(ctx, id)
	}
	if err == nil {
		err = o.expect(kind)
	}
	if errors.Is(err, ErrMissing) && !errors.Is(err, errDamaged) {
		err = r.absent(kind)
	}
	if err != nil {
		return nil, err
	}
	return o.Data, nil
}

// Has says whether an object is stored, loose or packed, and whole where that
// can be seen. It recovers nothing.
func (r *Reader) Has(ctx context.Context, id string) (bool, error) {
	_, err := r.stored(ctx, id)
	if errors.Is(err, ErrMissing) {
		return false, nil
	}
	return err == nil, err
}

func (r *Reader) find(ctx context.Context, id string) (Object, error) {
	if o, ok := r.ahead[id]; ok {
		return o, ctx.Err()
	}
	o, err := r.stored(ctx, id)
	if errors.Is(err, ErrMissing) {
		if extra, ok := r.extra[id]; ok {
			return extra, nil
		}
	}
	return o, err
}

func (r *Reader) stored(ctx context.Context, id string) (Object, error) {
	if !r.db.hash.Valid(id) {
		return Object{}, fmt.Errorf("%q is not an object id", id)
	}
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	if r.dirs == nil {
		r.dirs = objectDirs(r.db.repo.CommonDir)
	}
	damaged := false
	for _, dir := range r.dirs {
		o, err := r.db.hash.readLoose(dir, id)
		if !errors.Is(err, ErrMissing) {
			return o, err
		}
		damaged = damaged || errors.Is(err, errDamaged)
	}
	o, err := r.packed(ctx, id, damaged)
	if err != nil && damaged && ctx.Err() == nil {
		return Object{}, errDamaged
	}
	return o, err
}

// packed asks git, and the library where git does not answer. Where a loose
// file of this name is damaged git is not asked: on one that is too short, or
// on a pipe, it never comes to an end.
func (r *Reader) packed(ctx context.Context, id string, damaged bool) (Object, error) {
	if damaged && r.db.hash != SHA1 {
		return Object{}, errDamaged
	}
	if !r.noGit && !damaged {
		o, err := r.ask(ctx, id)
		if err == nil && r.db.hash.Object(o.Kind, o.Data).ID != id {
			return Object{}, errDamaged // git takes what stands at the place
		}
		if err == nil || errors.Is(err, ErrMissing) || errors.Is(err, ErrTooLarge) || ctx.Err() != nil {
			return o, err
		}
		if r.db.hash != SHA1 {
			if r.partial() {
				return Object{}, ErrMissing // git ends where it may not fetch
			}
			return Object{}, err
		}
		r.noGit = true
	}
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	if r.library == nil {
		r.library = openLibrary(r.dirs)
	}
	return r.library.get(id)
}

// ask asks the running git. One that had been waiting may have been ended by
// somebody, so a second try is made with a new one.
func (r *Reader) ask(ctx context.Context, id string) (o Object, err error) {
	for tries := 2; tries > 0; tries-- {
		if r.batch == nil {
			if r.batch, err = r.db.take(); err != nil {
				return Object{}, err
			}
		}
		o, err = r.batch.get(ctx, id)
		if err == nil || errors.Is(err, ErrMissing) {
			return o, err
		}
		if r.db.drop(r.batch) {
			tries++
		}
		r.batch = nil
		if errors.Is(err, ErrTooLarge) || ctx.Err() != nil {
			break
		}
	}
	return o, err
}
