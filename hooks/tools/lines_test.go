package tools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestALineThatIsNoMessageIsAnsweredAndEndsNothing: the tools stay, whatever a
// client has sent in between.
func TestALineThatIsNoMessageIsAnsweredAndEndsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in, client := io.Pipe()
	server, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), w.options(), in, out) }()
	answers := bufio.NewReader(server)
	ask := func(line string) map[string]any {
		t.Helper()
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Fatalf("%.60q: %v", line, err)
		}
		said, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%.60q: %v", line, err)
		}
		var answer map[string]any
		if err := json.Unmarshal(said, &answer); err != nil {
			t.Fatalf("%.60q: %s", line, said)
		}
		return answer
	}
	ask("\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	for i, line := range []string{
		"{", "3", "null", "[]", "\xff\x00\x01", strings.Repeat("[", 20_000), `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`[3]`, `[{"jsonrpc":"2.0","method":"a"}]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `[{"jsonrpc":"2.0","id":7.5,"method":"ping"}]`,
		"Content-Length: 3", `{"jsonrpc":"2.0","id":1,"method":"ping"} x`, strings.Repeat(" x", maxInput),
	} {
		want := float64(invalidRequest)
		if !json.Valid([]byte(line)) && len(line) < maxInput {
			want = parseError
		}
		answer := ask(line)
		if e, _ := answer["error"].(map[string]any); answer["id"] != nil || e["code"] != want {
			t.Errorf("%.60q: %v", line, answer)
		}
		if answer := ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+i)); answer["id"] != float64(100+i) || answer["error"] != nil {
			t.Fatalf("%.60q: %v", line, answer)
		}
	}
	// An id comes back as it was sent, and an error has a code.
	if answer := ask(`{"jsonrpc":"2.0","id":"a\"b","method":"initialize","params":{}}`); answer["id"] != `a"b` {
		t.Error(answer)
	} else if e, _ := answer["error"].(map[string]any); e["code"] != float64(invalidRequest) {
		t.Error("a second beginning:", answer)
	}
	client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func FuzzLinesLetOnlyMessagesThrough(f *testing.F) {
	for _, seed := range []string{"", "\n", "{\n}", "[{}]\r\n", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "\xef\xbb\xbf{}\n\n3"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		l := newLines(io.NopCloser(bytes.NewReader(input)), nopWriteCloser{&out})
		through, err := io.ReadAll(l)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(through) {
			if _, err := jsonrpc.DecodeMessage(line); err != nil && line[0] != '[' {
				t.Fatalf("%q: %v", line, err)
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Fatalf("%q", line)
			}
		}
		if n := bytes.Count(through, []byte("\n")) + bytes.Count(out.Bytes(), []byte("\n")); n > bytes.Count(input, []byte("\n"))+1 {
			t.Fatalf("%d lines out of %q", n, input)
		}
	})
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
