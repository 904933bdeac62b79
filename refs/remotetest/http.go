package remotetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// Server serves the repositories of a folder over smart HTTP, by git's own
// program. Its rules may be changed between two requests through Set.
type Server struct {
	URL string // http://127.0.0.1:port

	web     *httptest.Server
	git     cgi.Handler
	release chan struct{}
	config  string

	mu       sync.Mutex
	rules    Rules
	requests int
}

// Rules say how a Server treats who comes.
type Rules struct {
	User, Password string // Basic authentication, where User is set
	Header         string // a line "Name: value" that every request must have, where set
	ReadOnly       bool   // a push is answered with 403
	Forbidden      bool   // everything is answered with 403
	Broken         bool   // everything is answered with 500
	Hang           bool   // nothing is answered before Close
}

// Serve starts a server for the repositories below a folder.
func Serve(root string, rules Rules) (*Server, error) {
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("git --exec-path: %w", err)
	}
	config, err := os.CreateTemp("", "git-http-config")
	if err != nil {
		return nil, err
	}
	// A repository's own configuration may still say false.
	_, err = config.WriteString("[http]\n\treceivepack = true\n")
	if err = errors.Join(err, config.Close()); err != nil {
		return nil, err
	}
	s := &Server{rules: rules, release: make(chan struct{}), config: config.Name()}
	s.git = cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Root: "/",
		Env: []string{
			"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + s.config,
		},
		Stderr: io.Discard,
	}
	s.web = httptest.NewServer(s)
	s.URL = s.web.URL
	return s, nil
}

// Set changes the rules.
func (s *Server) Set(rules Rules) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = rules
}

// Requests is how many requests have come.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// With is the server's URL with a user and password in it.
func (s *Server) With(user, password string) string {
	return strings.Replace(s.URL, "://", "://"+user+":"+password+"@", 1)
}

// Close ends the server and lets go of whoever hangs.
func (s *Server) Close() {
	close(s.release)
	s.web.CloseClientConnections()
	s.web.Close()
	os.Remove(s.config)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	rules := s.rules
	s.requests++
	s.mu.Unlock()
	user, password, _ := req.BasicAuth()
	name, value, _ := strings.Cut(rules.Header, ": ")
	push := req.URL.Query().Get("service") == "git-receive-pack" || strings.HasSuffix(req.URL.Path, "/git-receive-pack")
	switch {
	case rules.Hang:
		select {
		case <-s.release:
		case <-req.Context().Done():
		}
	case rules.Broken:
		http.Error(w, "broken", http.StatusInternalServerError)
	case rules.User != "" && (user != rules.User || password != rules.Password):
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "who are you", http.StatusUnauthorized)
	case rules.Header != "" && req.Header.Get(name) != value:
		http.Error(w, "no header", http.StatusUnauthorized)
	case rules.Forbidden, rules.ReadOnly && push:
		http.Error(w, "no", http.StatusForbidden)
	default:
		s.serveGit(w, req)
	}
}

// serveGit hands a request to git. CGI needs to know how long a body is, and git
// sends a long one in pieces.
func (s *Server) serveGit(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.ContentLength, req.TransferEncoding = int64(len(body)), nil
	s.git.ServeHTTP(w, req)
}
