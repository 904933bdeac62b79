package tools

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTime bounds how long calls may go on after the client closed the input.
const drainTime = 10 * time.Second

// draining is a transport that ends when the calls that it has brought are
// answered: a client that says its last word and hangs up is heard.
type draining struct{ mcp.Transport }

// Connect connects.
func (t draining) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drained{Connection: c, open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1)}, nil
}

type drained struct {
	mcp.Connection
	mu       sync.Mutex
	open     map[jsonrpc.ID]bool // calls without an answer
	answered chan struct{}
}

// Read reads the next message.
func (c *drained) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	// One that waits for changes has no answer before the end.
	if r, ok := msg.(*jsonrpc.Request); ok && err == nil && r.IsCall() && r.Method != "subscriptions/listen" {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	if errors.Is(err, io.EOF) {
		c.drain(ctx)
	}
	return msg, err
}

func (c *drained) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	for {
		c.mu.Lock()
		left := len(c.open)
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-ctx.Done():
			return
		}
	}
}

// Write writes a message.
func (c *drained) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if r, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}
