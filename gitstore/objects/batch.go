package objects

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// batch is one running `git cat-file --batch`.
type batch struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	timer *time.Timer // ends it while nobody reads
}

func startBatch(d *DB) (*batch, error) {
	// The process may outlive the call that started it, so it does not hang on
	// that call's context.
	// What is too large for us is not to be held by git either: it streams it.
	cmd := d.Git(context.Background(), "-c", fmt.Sprintf("core.bigFileThreshold=%d", MaxSize), "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &batch{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

// get asks for one object. After any error but ErrMissing the process is of no
// more use.
func (b *batch) get(ctx context.Context, id string) (Object, error) {
	if err := ctx.Err(); err != nil {
		return Object{}, err
	}
	stop := context.AfterFunc(ctx, func() { b.cmd.Process.Kill() })
	defer stop()
	o, err := b.ask(id)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return o, err
}

func (b *batch) ask(id string) (Object, error) {
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return Object{}, err
	}
	kind, size, err := b.head(id)
	if err != nil {
		return Object{}, err
	}
	return b.body(id, kind, size)
}

// each asks for many objects at once and calls fn for those that are there.
// What want refuses by its size is passed by. After any error the process is of
// no more use.
func (b *batch) each(ctx context.Context, ids []string, want func(size int64) bool, fn func(Object)) (err error) {
	stop := context.AfterFunc(ctx, func() { b.cmd.Process.Kill() })
	defer stop()
	// Answers are read while questions are written: neither pipe holds them all.
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(b.in, strings.Join(ids, "\n")+"\n")
		written <- err
	}()
	defer func() {
		if err != nil {
			b.cmd.Process.Kill() // which also ends the writing
		}
		err = cmp.Or(err, <-written)
	}()
	for _, id := range ids {
		kind, size, err := b.head(id)
		if errors.Is(err, ErrMissing) {
			continue
		}
		if err != nil {
			return err
		}
		if !want(size) {
			if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
				return err
			}
			continue
		}
		o, err := b.body(id, kind, size)
		if err != nil {
			return err
		}
		fn(o)
	}
	return ctx.Err()
}

// head reads the line in front of an object.
func (b *batch) head(id string) (Kind, int64, error) {
	line, err := b.out.ReadString('\n')
	if err != nil {
		return "", 0, fmt.Errorf("git cat-file ended: %w", err)
	}
	words := strings.Fields(line)
	if len(words) == 2 && words[1] == "missing" {
		return "", 0, ErrMissing
	}
	if len(words) != 3 || words[0] != id {
		return "", 0, errors.New("git cat-file gave an answer that is not one")
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || size < 0 {
		return "", 0, errors.New("git cat-file gave a size that is none")
	}
	if tooLarge(Kind(words[1]), size) {
		b.cmd.Process.Kill() // or it goes on inflating what nobody reads
		return "", 0, ErrTooLarge
	}
	return Kind(words[1]), size, nil
}

// body reads the object behind its head.
func (b *batch) body(id string, kind Kind, size int64) (Object, error) {
	data := make([]byte, size+1) // and a line break
	if _, err := io.ReadFull(b.out, data); err != nil {
		return Object{}, fmt.Errorf("git cat-file ended: %w", err)
	}
	return Object{ID: id, Kind: kind, Data: data[:size]}, nil
}

// close ends the process: it stops by itself when nobody asks any more, and is
// stopped where it does not.
func (b *batch) close() {
	b.in.Close()
	kill := time.AfterFunc(time.Second, func() { b.cmd.Process.Kill() })
	io.Copy(io.Discard, b.out)
	b.cmd.Wait()
	kill.Stop()
}
