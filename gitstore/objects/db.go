package objects

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"chatrail/refs"
)

// idleTime is how long a `git cat-file` waits for the next reader.
const idleTime = 300 * time.Millisecond

// DB is the object database of one repository, with what it borrows from
// others. Its methods may be called from several goroutines.
type DB struct {
	repo *refs.Repo
	hash Hash

	mu     sync.Mutex
	idle   *batch      // ready for the next reader, ends by itself
	oldGit atomic.Bool // git has no cat-file --batch-command
}

// Open gives access to the objects of a repository. It reads nothing yet.
func Open(repo *refs.Repo) *DB {
	d := &DB{repo: repo, hash: SHA1}
	if repo.ObjectFormat == string(SHA256) {
		d.hash = SHA256
	}
	return d
}

// Hash is the object format of the repository.
func (d *DB) Hash() Hash { return d.hash }

// direct says whether objects are written by us: only in the format and the
// layout that every git knows. Anything else goes through the git program.
func (d *DB) direct() bool {
	return d.hash == SHA1 && (d.repo.RefStorage == "" || d.repo.RefStorage == "files")
}

func (d *DB) dir() string { return filepath.Join(d.repo.CommonDir, "objects") }

// take gives a running git, the one that waits or a new one.
func (d *DB) take() (*batch, error) {
	d.mu.Lock()
	b := d.idle
	d.idle = nil
	d.mu.Unlock()
	if b != nil && b.timer.Stop() {
		return b, nil
	}
	return startBatch(d)
}

// give returns a git that works. It waits a moment for the next reader: who
// reads many notes, one call a note, starts one process.
func (d *DB) give(b *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.idle != nil {
		go b.close()
		return
	}
	d.idle = b
	b.timer = time.AfterFunc(idleTime, func() {
		d.mu.Lock()
		if d.idle == b {
			d.idle = nil
		}
		d.mu.Unlock()
		b.close()
	})
}
