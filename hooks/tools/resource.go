package tools

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"chatrail/hooks/work"
)

// resource is the orientation as a client may attach it by itself.
var resource = &mcp.Resource{
	URI: "chatrail://orientation", Name: "orientation", Title: "Orientation", MIMEType: "text/plain",
	Description: "North, where the work stands, what is next.",
}

// watchTime is how long a change that somebody else made may stay untold to a
// client that subscribed to it.
const watchTime = 5 * time.Second

// here is the bundle that a request without arguments means.
func (s *server) here(ctx context.Context) (*work.Desk, *work.Scope, error) {
	c := &call{server: s, ctx: ctx, req: &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}}
	c.desk = s.Desk(s.Dir)
	if err := c.asks(false); err != nil {
		return nil, nil, err
	}
	scope, err := c.scope()
	return c.desk, scope, err
}

func (s *server) read(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	d, scope, err := s.here(ctx)
	var none *work.NoBundleError
	text := "ChatRail: no orientation here yet."
	if err == nil {
		text, err = d.Recite(ctx, scope)
	}
	if err != nil && !errors.As(err, &none) {
		return nil, errors.New(work.ErrorLine(err))
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: resource.URI, MIMEType: resource.MIMEType, Text: text}}}, nil
}

// subscribe begins to watch. Nothing is watched for a client that does not ask.
func (s *server) subscribe(context.Context, *mcp.SubscribeRequest) error {
	s.watch.Do(func() { go s.follow(time.NewTicker(watchTime)) })
	return nil
}

// follow tells subscribers when the bundle has moved, by whomever.
func (s *server) follow(ticker *time.Ticker) {
	defer ticker.Stop()
	last := s.mark()
	for {
		select {
		case <-s.life.Done():
			return
		case <-ticker.C:
		case <-s.nudge:
		}
		if now := s.mark(); now != last {
			last = now
			// Who is gone need not know.
			_ = s.mcp.ResourceUpdated(s.life, &mcp.ResourceUpdatedNotificationParams{URI: resource.URI})
		}
	}
}

// mark differs where the orientation does.
func (s *server) mark() string {
	d, scope, err := s.here(s.life)
	if err != nil {
		return err.Error()
	}
	return d.Mark(scope)
}

// changed has whoever watches look at once.
func (s *server) changed() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}
