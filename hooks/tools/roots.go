package tools

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rootsTime bounds how long a client is waited for that was asked for its roots.
const rootsTime = 2 * time.Second

// handshake is the newest version of the protocol in which a server may ask for
// roots; in later ones the folder is an argument.
const handshake = "2025-11-25"

// roots are the folders of a client, asked for once and after each change.
type roots struct {
	mu      sync.Mutex
	known   bool
	folders []string
}

// forget has the client asked anew.
func (r *roots) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = false
}

// of are the folders of the client that calls, none where it does not say.
func (r *roots) of(ctx context.Context, req *mcp.CallToolRequest) []string {
	caps := req.ClientCapabilities()
	//lint:ignore SA1019 older protocols, which today's clients speak, say so where they work
	if caps == nil || caps.RootsV2 == nil || req.ProtocolVersion() > handshake {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known {
		return r.folders
	}
	ctx, cancel := context.WithTimeout(ctx, rootsTime)
	defer cancel()
	//lint:ignore SA1019 older protocols, which today's clients speak, say so where they work
	list, err := req.Session.ListRoots(ctx, nil)
	if err != nil {
		return nil // asked again at the next call
	}
	r.known, r.folders = true, nil
	for _, root := range list.Roots {
		if dir := folderOf(root.URI); dir != "" {
			r.folders = append(r.folders, dir)
		}
	}
	return r.folders
}

// folderOf is the path of a file URI, "" for another one.
func folderOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}
