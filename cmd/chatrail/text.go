package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// given is text that a command takes: words on the command line, a file, or
// what is piped in.
type given struct {
	File string `help:"Take the text from this file; - is standard input." placeholder:"PATH" xor:"text"`
}

// How long a command waits for the first byte of a standard input that is open:
// where text is optional, and where nothing goes without it.
const (
	graceOptional = time.Second
	graceNeeded   = 10 * time.Second
	graceTyping   = 10 * time.Minute
)

// maxInput bounds what is read; what is stored has a lower bound with words of
// its own.
const maxInput = 64 << 20

// text is the text of a command, as it was given. Words win over an input that
// is merely there: a program may have left one open.
func (g given) text(a *app, words []string, needed bool) (text string, err error) {
	if len(words) == 1 && words[0] == "-" && g.File == "" {
		words, g.File = nil, "-"
	}
	switch {
	case len(words) > 0 && g.File != "":
		return "", &usageError{"text on the command line and --file: give one of them"}
	case len(words) > 0:
		text = strings.Join(words, " ")
	case g.File != "" && g.File != "-":
		text, err = readFile(a, g.File)
	default:
		text, err = piped(a, g.File == "-", needed)
	}
	if err == nil && needed && strings.TrimSpace(text) == "" {
		err = &usageError{"no text: give it as words, with --file PATH, or on standard input"}
	}
	return text, err
}

// readFile reads a file that was named, which may be a pipe.
func readFile(a *app, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().IsRegular() {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		return readText(f)
	}
	return readSoon(a.ctx, func() (io.Reader, error) { return os.Open(path) }, graceNeeded)
}

// piped reads standard input where something is piped in. One that is open and
// says nothing is waited for only a while.
func piped(a *app, asked, needed bool) (string, error) {
	f, isFile := a.in.(*os.File)
	if !isFile {
		return readText(a.in)
	}
	info, err := f.Stat()
	if err != nil { // closed
		return "", nil
	}
	grace := graceOptional
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return readText(f)
	case mode&fs.ModeCharDevice != 0:
		if !asked || !isTerminal(info) {
			return "", nil
		}
		grace = graceTyping // somebody sits there and asked for it
	case asked || needed:
		grace = graceNeeded
	}
	return readSoon(a.ctx, func() (io.Reader, error) { return f, nil }, grace)
}

// isTerminal tells a terminal from other devices, such as the null device.
func isTerminal(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return info.Mode()&fs.ModeCharDevice != 0 && (err != nil || !os.SameFile(info, null))
}

// readSoon reads an input to its end, unless its first byte does not come
// within the grace. A reader that is left behind ends with the process.
func readSoon(ctx context.Context, open func() (io.Reader, error), grace time.Duration) (string, error) {
	type result struct {
		text string
		err  error
	}
	begun, done := make(chan struct{}, 1), make(chan result, 1)
	go func() {
		in, err := open() // of a named pipe waits for a writer
		if err != nil {
			done <- result{err: err}
			return
		}
		text, err := readText(&noticing{Reader: in, begun: begun})
		done <- result{text, err}
	}()
	silence := time.After(grace)
	for {
		select {
		case r := <-done:
			return r.text, r.err
		case <-begun:
			silence = nil
		case <-silence:
			return "", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// noticing tells when the first byte came.
type noticing struct {
	io.Reader
	begun chan struct{}
}

func (n *noticing) Read(p []byte) (int, error) {
	k, err := n.Reader.Read(p)
	if k > 0 {
		select {
		case n.begun <- struct{}{}:
		default:
		}
	}
	return k, err
}

func readText(in io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxInput {
		return "", fmt.Errorf("the text has more than %d MiB: keep it in a file of the project and name that", maxInput>>20)
	}
	return string(data), nil
}
