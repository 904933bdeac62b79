package objects

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// batch is one running `git cat-file --batch`: a question and its answer at a
// time.
type batch struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	timer *time.Timer // ends it while nobody reads
}

func startBatch(d *DB) (*batch, error) {
	// The process may outlive the call that started it, so it does not hang on
	// that call's context.
	cmd := d.Git(context.Background(), "cat-file", "--batch")
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
	line, err := b.out.ReadString('\n')
	if err != nil {
		return Object{}, fmt.Errorf("git cat-file ended: %w", err)
	}
	words := strings.Fields(line)
	if len(words) == 2 && words[1] == "missing" {
		return Object{}, ErrMissing
	}
	if len(words) != 3 || words[0] != id {
		return Object{}, errors.New("git cat-file gave an answer that is not one")
	}
	size, err := strconv.Atoi(words[2])
	if err != nil || size < 0 {
		return Object{}, errors.New("git cat-file gave a size that is none")
	}
	if tooLarge(Kind(words[1]), int64(size)) {
		return Object{}, ErrTooLarge
	}
	data := make([]byte, size+1) // and a line break
	if _, err := io.ReadFull(b.out, data); err != nil {
		return Object{}, fmt.Errorf("git cat-file ended: %w", err)
	}
	return Object{ID: id, Kind: Kind(words[1]), Data: data[:size]}, nil
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
