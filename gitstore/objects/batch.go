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

// batch is one running git that is asked for objects.
type batch struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	timer    *time.Timer // ends it while nobody reads
	buffers  bool        // answers when told to, and until then in large pieces
	answered bool
}

// startBatch starts `git cat-file --batch-command`, which hands many objects over
// in large pieces: --batch writes each in three, and wakes us for each. Where git
// is too old to have it (before 2.36) it is --batch.
func startBatch(d *DB) (*batch, error) {
	// The process may outlive the call that started it, so it does not hang on
	// that call's context.
	// What is too large for us is not to be held by git either: it streams it.
	args := []string{"-c", fmt.Sprintf("core.bigFileThreshold=%d", MaxSize), "cat-file"}
	buffers := !d.oldGit.Load()
	if buffers {
		args = append(args, "--batch-command", "--buffer")
	} else {
		args = append(args, "--batch")
	}
	cmd := d.Git(context.Background(), args...)
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
	return &batch{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10), buffers: buffers}, nil
}

// questions are the lines that ask for objects.
func (b *batch) questions(ids ...string) string {
	if !b.buffers {
		return strings.Join(ids, "\n") + "\n"
	}
	return "contents " + strings.Join(ids, "\ncontents ") + "\nflush\n"
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
	if _, err := io.WriteString(b.in, b.questions(id)); err != nil {
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
		_, err := io.WriteString(b.in, b.questions(ids...))
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
	b.answered = true
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

// drop gives up a git that is of no more use. It tells whether that is because
// git knows no --batch-command: then the next one does without.
func (d *DB) drop(b *batch) (again bool) {
	if b.answered || !b.buffers {
		go b.close()
		return false
	}
	b.close()
	if b.cmd.ProcessState.ExitCode() != usageExit {
		return false
	}
	d.oldGit.Store(true)
	return true
}

// usageExit is how git ends when it does not know an option.
const usageExit = 129

// close ends the process: it stops by itself when nobody asks any more, and is
// stopped where it does not.
func (b *batch) close() {
	b.in.Close()
	kill := time.AfterFunc(time.Second, func() { b.cmd.Process.Kill() })
	io.Copy(io.Discard, b.out)
	b.cmd.Wait()
	kill.Stop()
}
