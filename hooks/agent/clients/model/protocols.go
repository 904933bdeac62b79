//go:build agents

package model

import (
	"net/http"
	"strings"
)

// anthropic answers a Messages request, which Claude Code makes.
func anthropic(s *Server, w http.ResponseWriter, r *Request) {
	usage := object{"input_tokens": r.tokens(), "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	block, empty, stop := object{"type": "text", "text": r.Reply.Text}, object{"type": "text", "text": ""}, "end_turn"
	delta := object{"type": "text_delta", "text": r.Reply.Text}
	if c := toolCall(r); c != nil {
		id := s.id("toolu")
		block = object{"type": "tool_use", "id": id, "name": c.name, "input": c.args}
		empty, stop = object{"type": "tool_use", "id": id, "name": c.name, "input": object{}}, "tool_use"
		delta = object{"type": "input_json_delta", "partial_json": encode(c.args)}
	}
	message := object{"id": s.id("msg"), "type": "message", "role": "assistant", "model": r.Body["model"], "stop_sequence": nil}
	if !r.streams() {
		message["content"], message["stop_reason"], message["usage"] = []any{block}, stop, usage
		writeJSON(w, http.StatusOK, message)
		return
	}
	message["content"], message["stop_reason"], message["usage"] = []any{}, nil, usage
	out := newStream(w)
	out.named("message_start", object{"message": message})
	out.named("content_block_start", object{"index": 0, "content_block": empty})
	out.named("content_block_delta", object{"index": 0, "delta": delta})
	out.named("content_block_stop", object{"index": 0})
	out.named("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	out.named("message_stop", object{})
}

// responses answers a Responses request, which Codex makes.
func responses(s *Server, w http.ResponseWriter, r *Request) {
	item := object{"type": "message", "id": s.id("msg"), "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": r.Reply.Text, "annotations": []any{}}}}
	c := toolCall(r)
	if c != nil {
		item = object{"type": "function_call", "id": s.id("fc"), "call_id": s.id("call"), "name": c.name, "arguments": encode(c.args), "status": "completed"}
		if c.namespace != "" {
			item["namespace"] = c.namespace
		}
	}
	id, n := s.id("resp"), r.tokens()
	done := object{"id": id, "object": "response", "status": "completed", "model": r.Body["model"], "output": []any{item},
		"usage": object{"input_tokens": n, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": n + 10}}
	if !r.streams() {
		writeJSON(w, http.StatusOK, done)
		return
	}
	out, count := newStream(w), 0
	event := func(name string, v object) {
		v["sequence_number"] = count
		count++
		out.named(name, v)
	}
	begun := object{}
	for k, v := range item {
		begun[k] = v
	}
	begun["status"] = "in_progress"
	if c != nil {
		begun["arguments"] = ""
	} else {
		begun["content"] = []any{}
	}
	event("response.created", object{"response": object{"id": id, "object": "response", "status": "in_progress", "output": []any{}}})
	event("response.output_item.added", object{"output_index": 0, "item": begun})
	if c != nil {
		event("response.function_call_arguments.done", object{"item_id": item["id"], "output_index": 0, "arguments": item["arguments"]})
	} else {
		event("response.output_text.delta", object{"item_id": item["id"], "output_index": 0, "content_index": 0, "delta": r.Reply.Text})
	}
	event("response.output_item.done", object{"output_index": 0, "item": item})
	event("response.completed", object{"response": done})
}

// compact answers Codex where it has the server make the summary.
func compact(_ *Server, w http.ResponseWriter, r *Request) {
	writeJSON(w, http.StatusOK, object{"output": []any{object{"type": "message", "role": "user",
		"content": []any{object{"type": "input_text", "text": r.Reply.Text}}}}})
}

// chat answers a Chat Completions request, which Copilot CLI makes of a provider of one's own.
func chat(s *Server, w http.ResponseWriter, r *Request) {
	n := r.tokens()
	usage := object{"prompt_tokens": n, "completion_tokens": 10, "total_tokens": n + 10}
	message, finish := object{"role": "assistant", "content": r.Reply.Text}, "stop"
	if c := toolCall(r); c != nil {
		message, finish = object{"role": "assistant", "content": nil, "tool_calls": []any{object{"index": 0, "id": s.id("call"), "type": "function",
			"function": object{"name": c.name, "arguments": encode(c.args)}}}}, "tool_calls"
	}
	base := func(kind string, choices []any) object {
		return object{"id": "chatcmpl_scripted", "created": 1700000000, "model": r.Body["model"], "object": kind, "choices": choices}
	}
	if !r.streams() {
		whole := base("chat.completion", []any{object{"index": 0, "finish_reason": finish, "message": message}})
		whole["usage"] = usage
		writeJSON(w, http.StatusOK, whole)
		return
	}
	if message["content"] == nil {
		delete(message, "content")
	}
	out := newStream(w)
	out.data(base("chat.completion.chunk", []any{object{"index": 0, "delta": message, "finish_reason": nil}}))
	out.data(base("chat.completion.chunk", []any{object{"index": 0, "delta": object{}, "finish_reason": finish}}))
	last := base("chat.completion.chunk", []any{})
	last["usage"] = usage
	out.data(last)
	_, _ = w.Write([]byte("data: [DONE]\n\n")) // the client is gone, or it arrives
}

// gemini answers generateContent and streamGenerateContent.
func gemini(s *Server, w http.ResponseWriter, r *Request) {
	part := object{"text": r.Reply.Text}
	if c := toolCall(r); c != nil {
		part = object{"functionCall": object{"name": c.name, "args": c.args, "id": s.id("call")}}
	}
	n := r.tokens()
	answer := object{
		"candidates":    []any{object{"index": 0, "content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": n, "candidatesTokenCount": 10, "totalTokenCount": n + 10},
		"modelVersion":  "scripted", "responseId": s.id("resp"),
	}
	if !strings.HasSuffix(r.Path, ":streamGenerateContent") {
		writeJSON(w, http.StatusOK, answer)
		return
	}
	newStream(w).data(answer)
}
