package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

// Options say for whom a server works.
type Options struct {
	Version string
	Env     func(string) string
	Dir     string // working directory of the process, "" where it is gone
	Session string // the agent's session id, where whoever starts the server knows it
	Child   bool   // it serves a sub-agent: it reads and never writes
	// Desk is the desk in a folder.
	Desk func(dir string) *work.Desk
}

// maxInput bounds one message, in bytes.
const maxInput = 16 << 20

// server is what the tools of one process share.
type server struct {
	Options
	began time.Time
	mcp   *mcp.Server
	roots roots
	watch sync.Once // the resource is watched from the first subscription on
	nudge chan struct{}
	life  context.Context
}

// New is a server with the tools of the commands.
func New(o Options) *mcp.Server { return newServer(context.Background(), o).mcp }

func newServer(life context.Context, o Options) *server {
	s := &server{Options: o, began: time.Now(), life: life, nudge: make(chan struct{}, 1)}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "chatrail", Title: "ChatRail", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{Subscribe: true}},
		//lint:ignore SA1019 older protocols, which today's clients speak, say so where they work
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { s.roots.forget() },
		SubscribeHandler:        s.subscribe,
		// What is listed and read depends on who asks.
		SetCacheable:       func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	for _, o := range offers {
		s.mcp.AddTool(o.tool(), s.handler(o))
	}
	s.mcp.AddResource(resource, s.read)
	s.mcp.AddReceivingMiddleware(s.withoutWriting)
	return s
}

// Serve serves one client on in and out, until the input ends or ctx does.
func Serve(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	s := newServer(ctx, o)
	l := newLines(in, out)
	err := s.mcp.Run(ctx, draining{&mcp.IOTransport{Reader: l, Writer: lineOut{l}, MaxLineLength: maxInput + 1}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// withoutWriting lists only what a client that says it is a child may call.
func (s *server) withoutWriting(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return res, err
		}
		if r, ok := req.(*mcp.ListToolsRequest); ok && s.child(r.ClientCapabilities(), nil) {
			reading := *list
			reading.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool { return !t.Annotations.ReadOnlyHint })
			return &reading, nil
		}
		return res, nil
	}
}

// call is one call of a tool.
type call struct {
	*server
	ctx   context.Context
	req   *mcp.CallToolRequest
	known []string // arguments
	asked common

	desk *work.Desk
	in   string // where, if that is not as expected
}

// handler carries out calls of one tool. What is wrong with one is for the agent
// to read, not for the protocol.
func (s *server) handler(o offer) mcp.ToolHandler {
	known := slices.Sorted(maps.Keys(o.schema()["properties"].(map[string]any)))
	return func(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		defer func() {
			if bug := recover(); bug != nil {
				res, err = failed(fmt.Errorf("a bug in ChatRail, please report it: %v", bug)), nil
			}
		}()
		c := &call{server: s, ctx: ctx, req: req, known: known}
		if err := c.begin(o.writes); err != nil {
			return failed(err), nil
		}
		a, err := o.do(c)
		if err != nil {
			return failed(err), nil
		}
		if o.writes {
			s.changed()
		}
		return a.result(c.in)
	}
}

// begin finds out who asks and where.
func (c *call) begin(writes bool) error {
	child := c.child(c.req.ClientCapabilities(), c.req.Params.Meta)
	if child && writes {
		return &work.RefusedError{Text: "a sub-agent reads and never writes: tell the main agent what you found"}
	}
	var all struct{ common }
	if err := decode(c.req.Params.Arguments, c.known, &all); err != nil {
		return err
	}
	c.asked = all.common
	dir, in, err := c.folder()
	if err != nil {
		return err
	}
	c.desk, c.in = c.Desk(dir), in
	c.desk.Child, c.desk.Agent = child, true
	return c.asks(writes)
}

// args decodes the arguments of the call.
func (c *call) args(into any) error { return decode(c.req.Params.Arguments, c.known, into) }

// scope is the bundle that is meant.
func (c *call) scope() (*work.Scope, error) { return c.desk.Scope(c.ctx, "") }

// needTask refuses a change where it is not known for which task it is.
func (c *call) needTask() error {
	if c.desk.Caller == "" {
		return &work.RefusedError{Text: "which task this is for cannot be told: give `review`, the id that ChatRail's hook printed last; a sub-agent has none and writes nothing"}
	}
	return nil
}

// child tells whether a client says that it is a sub-agent: by how the server was
// started, in its experimental capabilities, or in the metadata of a call.
func (s *server) child(caps *mcp.ClientCapabilities, meta mcp.Meta) bool {
	if s.Child || task.InChild(s.Env) {
		return true
	}
	if caps != nil {
		if said, ok := caps.Experimental["chatrail"].(map[string]any); ok && said["child"] == true {
			return true
		}
	}
	return meta["chatrail/child"] == true || codexOf(meta).child
}
