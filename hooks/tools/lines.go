package tools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines lets through what is a message and answers the rest as JSON-RPC says: for
// the SDK one line that it cannot read is the end of the session, and of the
// tools with it.
type lines struct {
	in   io.ReadCloser
	from *bufio.Reader
	left []byte // of the line that is being read
	out  io.WriteCloser
	mu   sync.Mutex // whole lines go out
}

// The errors of JSON-RPC for what is no message.
const (
	parseError     = -32700
	invalidRequest = -32600
)

func newLines(in io.ReadCloser, out io.WriteCloser) *lines {
	return &lines{in: in, from: bufio.NewReaderSize(in, 1<<16), out: out}
}

// Read reads messages, each with its line end.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, long, err := l.line()
		line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\xef\xbb\xbf"))
		switch {
		case long:
			err = errors.Join(err, l.refuse(invalidRequest, "the message is larger than 16 MiB"))
		case len(line) == 0:
		case !json.Valid(line):
			err = errors.Join(err, l.refuse(parseError, "the line is no JSON: one message stands in one line"))
		case !message(line):
			err = errors.Join(err, l.refuse(invalidRequest, "the line is no message of JSON-RPC 2.0"))
		default:
			l.left = append(line, '\n')
			err = nil // the end comes again
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.EOF
			}
			return 0, err
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// line reads a line; of one that is too long nothing is kept.
func (l *lines) line() (line []byte, long bool, err error) {
	for {
		part, err := l.from.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxInput; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// message tells whether a line can be given to the SDK: a message, or a batch that
// it can keep apart.
func message(line []byte) bool {
	if line[0] != '[' {
		_, err := jsonrpc.DecodeMessage(line)
		return err == nil && named(line)
	}
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
		return false
	}
	seen := map[jsonrpc.ID]bool{}
	for _, raw := range batch {
		msg, err := jsonrpc.DecodeMessage(raw)
		if err != nil || !named(raw) {
			return false
		}
		if r, ok := msg.(*jsonrpc.Request); ok {
			if !r.IsCall() || seen[r.ID] {
				return false
			}
			seen[r.ID] = true
		}
	}
	return true
}

// named tells whether a message has an id that an answer can repeat: the SDK cuts
// the fraction off a number, and takes a call with null for one that wants no
// answer.
func named(message []byte) bool {
	var head struct{ ID, Method json.RawMessage }
	if json.Unmarshal(message, &head) != nil {
		return false
	}
	switch {
	case len(head.ID) == 0, head.ID[0] == '"':
		return true
	case string(head.ID) == "null":
		return len(head.Method) == 0 // the answer to what had no id
	}
	_, err := strconv.ParseInt(string(head.ID), 10, 64)
	return err == nil
}

// refuse answers what has no id that could be read.
func (l *lines) refuse(code int, text string) error {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": text}})
	if err == nil {
		_, err = l.Write(append(answer, '\n'))
	}
	return err
}

// noCode begins an error that the SDK gives no code. Within a text its quotes
// would be escaped.
var noCode = []byte(`"error":{"code":0,`)

// Write writes whole lines.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := p
	if bytes.Contains(p, noCode) {
		line = bytes.ReplaceAll(p, noCode, []byte(`"error":{"code":`+strconv.Itoa(invalidRequest)+`,`))
	}
	if _, err := l.out.Write(line); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close closes the input.
func (l *lines) Close() error { return l.in.Close() }

// lineOut is the way out of lines, which closes on its own.
type lineOut struct{ *lines }

func (o lineOut) Close() error { return o.out.Close() }
