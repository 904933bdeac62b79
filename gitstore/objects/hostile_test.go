package objects

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// inflatesTo makes the content of a loose file that holds head and then n zero
// bytes.
func inflatesTo(t *testing.T, head string, n int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, head)
	if n > 0 {
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = 'x'
		}
		for ; n > 0; n -= int64(len(block)) {
			z.Write(block)
		}
	}
	z.Close()
	return b.Bytes()
}

func putLoose(t *testing.T, dir, id string, content []byte) string {
	t.Helper()
	path := loosePath(filepath.Join(dir, "objects"), id)
	os.MkdirAll(filepath.Dir(path), 0o755)
	os.RemoveAll(path)
	if err := os.WriteFile(path, content, 0o444); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLooseFilesThatLieCostNoMemory(t *testing.T) {
	const bomb, allowed = 64 << 20, 4 << 20
	dir, db := bareRepo(t)
	id := SHA1.Object(Blob, []byte("hello")).ID
	for name, content := range map[string][]byte{
		"negative size":           inflatesTo(t, "blob -5\x00hello", 0),
		"size above all integers": inflatesTo(t, "blob 99999999999999999999\x00hello", 0),
		"size that is none":       inflatesTo(t, "blob x\x00hello", 0),
		"more than it promises":   inflatesTo(t, "blob 5\x00", bomb),
		"less than it promises":   inflatesTo(t, "blob "+strconv.Itoa(MaxSize)+"\x00hello", 0),
		"header without an end":   inflatesTo(t, "", bomb),
	} {
		for _, git := range []bool{true, false} {
			t.Run(name+", git "+strconv.FormatBool(git), func(t *testing.T) {
				if !git {
					t.Setenv("PATH", t.TempDir())
				}
				putLoose(t, dir, id, content)
				r := db.Reader(nil)
				defer r.Close()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := r.Get(t.Context(), id, Blob)
				runtime.ReadMemStats(&after)
				if !errors.Is(err, errDamaged) {
					t.Errorf("got %v", err)
				}
				if used := after.TotalAlloc - before.TotalAlloc; used > allowed {
					t.Errorf("reading took %d bytes", used)
				}
			})
		}
	}
}

func TestWhatIsNoFileIsNoLooseObject(t *testing.T) {
	for name, make := range map[string]func(string) error{
		"pipe":      mkfifo,
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, db := bareRepo(t)
			o := SHA1.Object(Blob, []byte("hello"))
			path := putLoose(t, dir, o.ID, nil)
			os.Remove(path)
			if err := make(path); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r := db.Reader(nil)
			defer r.Close()
			if _, err := r.Get(ctx, o.ID, Blob); !errors.Is(err, ErrMissing) {
				t.Errorf("got %v", err)
			}
			os.Remove(path)
			git(t, dir, "hello", "hash-object", "-w", "--stdin")
			git(t, dir, o.ID+"\n", "pack-objects", "-q", "objects/pack/pack")
			git(t, dir, "", "prune-packed")
			os.MkdirAll(filepath.Dir(path), 0o755)
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			r2 := db.Reader(nil)
			defer r2.Close()
			if data, err := r2.Get(ctx, o.ID, Blob); err != nil || string(data) != "hello" {
				t.Errorf("packed beside it: %q, %v", data, err)
			}
		})
	}
}

func TestLongCommitsAreNotRead(t *testing.T) {
	_, db := bareRepo(t)
	objs := sample(t, SHA1)
	long := SHA1.Object(Commit, append(objs[4].Data, strings.Repeat("x", MaxCommit)...))
	if err := db.Write(t.Context(), []Object{long}); err != nil {
		t.Fatal(err)
	}
	r := db.Reader(nil)
	defer r.Close()
	if _, err := r.Get(t.Context(), long.ID, Commit); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestPartialCloneIsNotFilledByReading(t *testing.T) {
	for _, format := range []Hash{SHA1, SHA256} {
		t.Run(string(format), func(t *testing.T) {
			from, db := bareRepo(t, "--object-format="+string(format))
			objs := sample(t, format)
			if err := db.Write(t.Context(), objs); err != nil {
				t.Fatal(err)
			}
			git(t, from, "", "update-ref", "HEAD", objs[4].ID)
			git(t, from, "", "config", "uploadpack.allowFilter", "true")
			to := filepath.Join(t.TempDir(), "clone.git")
			git(t, ".", "", "clone", "-q", "--bare", "--filter=blob:none", "file://"+filepath.ToSlash(from), to)
			r := openDB(t, to).Reader(nil)
			defer r.Close()
			for range 2 {
				if _, err := r.Get(t.Context(), objs[0].ID, Blob); !errors.Is(err, ErrLeftOut) {
					t.Errorf("got %v", err)
				}
			}
			if _, err := r.Get(t.Context(), objs[4].ID, Commit); err != nil {
				t.Errorf("what is there: %v", err)
			}
			packs, _ := filepath.Glob(filepath.Join(to, "objects", "pack", "*.pack"))
			if len(packs) != 1 {
				t.Errorf("packs are now %q", packs)
			}
		})
	}
}
