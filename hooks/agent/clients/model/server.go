//go:build agents

// Package model is a model that follows a script. It speaks the protocols of
// the clients as far as they need them, on the loopback address, and keeps every
// request.
package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Server is the model of one scenario.
type Server struct {
	http *httptest.Server

	mu       sync.Mutex
	rules    []*rule
	requests []*Request
	other    []string
	ids      int
}

// Start starts a model with a script.
func Start(rules ...Rule) *Server {
	s := &Server{rules: compile(rules)}
	s.http = httptest.NewServer(s)
	return s
}

// URL is where the model listens.
func (s *Server) URL() string { return s.http.URL }

// Close ends the model and the connections to it.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Add puts rules behind those that are there.
func (s *Server) Add(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, compile(rules)...)
}

// Requests are those so far, oldest first.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Other lists what else was asked for, which is no request for an answer.
func (s *Server) Other() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.other)
}

// id is a new name of something in an answer.
func (s *Server) id(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("%s_scripted%06d", prefix, s.ids)
}

// protocol is one way to answer.
type protocol func(s *Server, w http.ResponseWriter, r *Request)

func protocolOf(path string) protocol {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic
	case strings.HasSuffix(path, "/responses"):
		return responses
	case strings.HasSuffix(path, "/responses/compact"):
		return compact
	case strings.HasSuffix(path, "/chat/completions"):
		return chat
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini
	}
	return nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	raw, err := io.ReadAll(hr.Body)
	if err != nil {
		return
	}
	answer := protocolOf(hr.URL.Path)
	if hr.Method != http.MethodPost || answer == nil {
		s.serveOther(w, hr, len(raw))
		return
	}
	r, err := newRequest(hr.URL.Path, raw)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.decide(r)
	if r.Reply.Status != 0 {
		writeJSON(w, r.Reply.Status, object{"type": "error", "error": object{"type": "api_error", "message": r.Reply.Text, "code": r.Reply.Status, "status": "SCRIPTED"}})
		return
	}
	answer(s, w, r)
}

// decide picks the rule for a request and keeps the request with its reply: who
// sees a request sees what was answered. The reply is made outside the lock, so
// that it may look at the world.
func (s *Server) decide(r *Request) {
	s.mu.Lock()
	i := slices.IndexFunc(s.rules, func(c *rule) bool { return c.take(r) })
	var reply func(*Request) Reply
	if i >= 0 {
		reply = s.rules[i].Reply
	}
	s.mu.Unlock()
	r.Reply = Reply{Text: Unscripted}
	if reply != nil {
		r.Reply, r.Fits = reply(r), true
	}
	s.mu.Lock()
	r.N = len(s.requests) + 1
	s.requests = append(s.requests, r)
	s.mu.Unlock()
}

// Unscripted is the answer where no rule fits.
const Unscripted = "the script has no answer"

func (s *Server) serveOther(w http.ResponseWriter, hr *http.Request, size int) {
	s.mu.Lock()
	s.other = append(s.other, hr.Method+" "+hr.URL.Path)
	s.mu.Unlock()
	switch path := hr.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, http.StatusOK, object{"input_tokens": size/4 + 1})
	case strings.HasSuffix(path, ":countTokens"):
		writeJSON(w, http.StatusOK, object{"totalTokens": size/4 + 1})
	case strings.HasSuffix(path, "/models"):
		writeJSON(w, http.StatusOK, object{"object": "list", "data": []any{}, "models": []any{}})
	case hr.Method == http.MethodGet || hr.Method == http.MethodHead:
		writeJSON(w, http.StatusOK, object{})
	default:
		writeJSON(w, http.StatusNotFound, object{"error": object{"message": "not scripted: " + path}})
	}
}

type object = map[string]any

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone, or it arrives
}

// stream writes the events of an answer.
type stream struct{ w http.ResponseWriter }

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return stream{w}
}

// named writes an event with a name.
func (s stream) named(name string, v object) {
	v["type"] = name
	fmt.Fprintf(s.w, "event: %s\n", name)
	s.data(v)
}

// data writes an event without a name.
func (s stream) data(v object) {
	line, _ := json.Marshal(v) // of strings and numbers only
	fmt.Fprintf(s.w, "data: %s\n\n", line)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// tokens is what the input is said to cost.
func (r *Request) tokens() int {
	if r.Reply.Tokens == 0 {
		return 100
	}
	return r.Reply.Tokens
}

func (r *Request) streams() bool { return r.Body["stream"] == true }

func encode(v any) string {
	b, _ := json.Marshal(v) // of strings and numbers only
	return string(b)
}
