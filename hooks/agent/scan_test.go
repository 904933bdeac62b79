package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// judge says what encoding/json makes of an input, after what it forgives.
func judge(data []byte) (values map[string]any, valid bool) {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if !json.Valid(data) || !utf8.Valid(data) || trimmed[0] != '{' || loneSurrogate(data) {
		return nil, false
	}
	if json.Unmarshal(data, &values) != nil {
		values = nil // a number that float64 does not hold: valid all the same
	}
	return values, true
}

// loneSurrogate looks for an escaped half of a pair in valid JSON.
func loneSurrogate(data []byte) bool {
	text := string(data)
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if text[i] != 'u' {
			continue
		}
		switch unit := strings.ToLower(text[i+1 : i+5]); {
		case unit >= "dc00" && unit <= "dfff":
			return true
		case unit >= "d800" && unit <= "dbff":
			if len(text) < i+11 || text[i+5:i+7] != `\u` {
				return true
			}
			if low := strings.ToLower(text[i+7 : i+11]); low < "dc00" || low > "dfff" {
				return true
			}
			i += 10
		}
	}
	return false
}

// checkAgainstJSON scans an input, in whole reads and (where it is short) byte
// by byte, and compares validity and what was kept of the keys "prompt" and "a".
func checkAgainstJSON(t interface{ Errorf(string, ...any) }, data []byte) {
	values, valid := judge(data)
	readers := []io.Reader{bytes.NewReader(data), iotest.DataErrReader(bytes.NewReader(data))}
	if len(data) < bufferSize/2 {
		readers = append(readers, iotest.OneByteReader(bytes.NewReader(data)))
	}
	for _, r := range readers {
		prompt := &capture{keep: 8, sum: sha256.New()}
		other := &capture{keep: 1 << 20}
		err := scanObject(r, func(key []byte) *capture {
			switch string(key) {
			case "prompt":
				return prompt
			case "a":
				return other
			}
			return nil
		})
		if (err == nil) != valid {
			t.Errorf("%.200q: encoding/json says valid %t, the scanner says %v", data, valid, err)
			return
		}
		if !valid || values == nil {
			continue
		}
		sameValue(t, data, "prompt", prompt, values)
		sameValue(t, data, "a", other, values)
	}
}

func sameValue(t interface{ Errorf(string, ...any) }, data []byte, key string, c *capture, values map[string]any) {
	var want kind
	value, present := values[key]
	switch v := value.(type) {
	case nil:
		if present {
			want = kindNull
		}
	case bool:
		if want = kindFalse; v {
			want = kindTrue
		}
	case float64:
		want = kindNumber
	case []any:
		if want = kindArray; c.empty != (len(v) == 0) {
			t.Errorf("%.200q: empty is %t", data, c.empty)
		}
	case map[string]any:
		if want = kindObject; c.empty != (len(v) == 0) {
			t.Errorf("%.200q: empty is %t", data, c.empty)
		}
	case string:
		want = kindString
		text := string(c.text)
		if !strings.HasPrefix(v, text) || c.cut != (text != v) || c.cut && len(text)+utf8.UTFMax <= c.keep || len(text) > c.keep {
			t.Errorf("%.200q: kept %q of %q", data, text, v)
		}
		if c.blank != (strings.TrimSpace(v) == "") {
			t.Errorf("%.200q: blank is %t", data, c.blank)
		}
		if c.sum != nil && !bytes.Equal(c.sum.Sum(nil), sum(v)) {
			t.Errorf("%.200q: the sum is not that of %q", data, v)
		}
	}
	if c.kind != want {
		t.Errorf("%.200q: %q is of kind %d, want %d", data, key, c.kind, want)
	}
}

func sum(s string) []byte {
	h := sha256.Sum256([]byte(s))
	return h[:]
}

// pieces make documents that are often valid, and broken in interesting places
// where they are not.
var pieces = []string{
	"{", "}", "[", "]", ",", ":", `"`, `\`, " ", "\r\n", `"prompt"`, `"a"`, `"prompt":`, `"a":`, `""`, `" "`, `"é😀x"`, `{"a":`, `"a":1}`,
	"null", "true", "false", "0", "-1.5e+7", "01", "1e", ".", "-", `\u`, `\ud83d`, `\ude00`, `\ud83d\ude00`, `\u0041`, `\n`, `\/`, `\x`,
	"\xff", "\xc3", "\xa9", "é", "😀", "\u2028", "\uFEFF", "\x00", "\n", "x", "long long text", `\t\r\b\f\\`, `\"`,
}

func TestScannerAgreesWithEncodingJSONOnAnyMixOfPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "parts")
		checkAgainstJSON(t, []byte(strings.Join(parts, "")))
		checkAgainstJSON(t, []byte(`{"prompt":"`+strings.Join(parts, "")+`"}`))
		checkAgainstJSON(t, []byte(`{"a":`+strings.Join(parts, "")+`}`))
	})
}

func drawValue(t *rapid.T, depth int) any {
	switch n := rapid.IntRange(0, 7).Draw(t, "type"); {
	case n == 0:
		return nil
	case n == 1:
		return rapid.Bool().Draw(t, "bool")
	case n == 2:
		return rapid.Float64().Draw(t, "number")
	case n == 3 && depth > 0:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = drawValue(t, depth-1)
		}
		return list
	case n == 4 && depth > 0:
		object := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			object[rapid.SampledFrom([]string{"a", "prompt", "", "é", `"`}).Draw(t, "key")] = drawValue(t, depth-1)
		}
		return object
	}
	return rapid.String().Draw(t, "text")
}

func TestScannerKeepsWhatEncodingJSONReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := map[string]any{}
		for _, key := range []string{"prompt", "a", "b"} {
			if rapid.Bool().Draw(t, key) {
				object[key] = drawValue(t, 4)
			}
		}
		data, err := json.MarshalIndent(object, "", rapid.SampledFrom([]string{"", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		checkAgainstJSON(t, data)
		if len(data) > 2 {
			checkAgainstJSON(t, data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")])
		}
	})
}

func FuzzScannerAgreesWithEncodingJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"prompt":"x","a":[1,{"b":null}]}`, `{"a":"\ud83d\ude00\u0000"}`, `{"a":-0.0e-1}`, `{"prompt":"é`, "\uFEFF{}", `{"a":{"a":"\ud800"}}`, `[{}]`, `{"a":1e999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkAgainstJSON(t, data) })
}

// Characters and escapes of every length are put across the border of the
// buffer.
func TestNothingDependsOnWhereTheBufferEnds(t *testing.T) {
	for _, tail := range []string{"é", "€", "😀", `\u20ac`, `\ud83d\ude00`, `\n`, `","a":null,"b":"`, `","a":-12.5e10,"b":"`, "\xff", `\ud83d`, "\xf0\x9f\x98"} {
		for shift := range 16 {
			fill := strings.Repeat("x", bufferSize-len(`{"prompt":"`)-shift)
			checkAgainstJSON(t, []byte(`{"prompt":"`+fill+tail+`"}`))
		}
	}
}

// generated is a document of any size that never is in memory.
func generated(head, unit string, size int, tail string) io.Reader {
	block := []byte(strings.Repeat(unit, max(1, 32<<10/len(unit))))
	middle := io.LimitReader(&repeated{block: block}, int64(size/len(unit)*len(unit)))
	return io.MultiReader(strings.NewReader(head), middle, strings.NewReader(tail))
}

type repeated struct {
	block []byte
	next  int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.block[r.next:])
	r.next = (r.next + n) % len(r.block)
	return n, nil
}

const huge = 64 << 20

func TestHugePromptIsReadInBoundedMemoryWithTheKeysBehindIt(t *testing.T) {
	for unit, size := range map[string]int{"hello world, ": huge, `\n`: huge / 16, `\ud83d\ude00`: huge / 16, "grün 😀 ": huge / 16} {
		t.Run(unit, func(t *testing.T) {
			in := generated(`{"prompt":"`, unit, size, `","hook_event_name":"UserPromptSubmit","cwd":"/w","session_id":"s","turn_id":"t"}`)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := Parse(Codex, in, noEnv)
			runtime.ReadMemStats(&after)
			if err != nil || p.SessionID != "s" || p.CWD != "/w" || p.Event.Turn != "t" || p.EventName != "UserPromptSubmit" {
				t.Errorf("%+v, %v", p, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
				t.Errorf("%d bytes were allocated for a prompt of %d", used, size)
			}
		})
	}
}

func TestHugeValuesOfNoInterestAreReadInBoundedMemory(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"key":         generated(`{"`, "k", huge/16, `":1,"session_id":"s"}`),
		"array":       generated(`{"background_tasks":[1`, `,{"a":[]}`, huge/16, `],"session_id":"s"}`),
		"number":      generated(`{"n":1`, "0", huge/16, `,"session_id":"s"}`),
		"white space": generated(`{`, " \r\n\t", huge/16, `"session_id":"s"}`),
		"answer":      generated(`{"last_assistant_message":"`, " ", huge/16, `","session_id":"s"}`),
		"path":        generated(`{"cwd":"`, "/x", huge/16, `","session_id":"s"}`),
		"many keys":   generated(`{"session_id":"s"`, `,"k":"v"`, huge/16, `}`),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := Parse(Claude, in, noEnv)
			runtime.ReadMemStats(&after)
			if err != nil || p.SessionID != "s" || p.CWD != "" {
				t.Errorf("%+v, %v", p, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
				t.Errorf("%d bytes were allocated", used)
			}
		})
	}
}

// counted counts what was read of a reader.
type counted struct {
	r    io.Reader
	read int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.read += n
	return n, err
}

func TestInputIsReadToItsEndAlsoWhenItIsBroken(t *testing.T) {
	for _, head := range []string{"null", "x", "{}{", `{"a":"` + "\xff", "[", `{"session_id":"s"} x`} {
		in := &counted{r: generated(head, "abc", 1<<20, "")}
		if _, err := Parse(Claude, in, noEnv); !errors.Is(err, ErrPayload) {
			t.Errorf("%q: %v", head, err)
		}
		if want := len(head) + 1<<20/3*3; in.read != want {
			t.Errorf("%q: %d of %d bytes were read", head, in.read, want)
		}
	}
}

func TestReaderThatFailsMidwayIsNoPayload(t *testing.T) {
	broken := errors.New("the pipe broke")
	const document = `{"session_id":"s","hook_event_name":"Stop","n":12,"t":true,"u":"\u0041"}`
	for i := range len(document) + 1 {
		in := io.MultiReader(strings.NewReader(document[:i]), iotest.ErrReader(broken))
		if _, err := Parse(Claude, in, noEnv); !errors.Is(err, ErrPayload) || !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", i, err)
		}
	}
}

func TestReaderThatGivesNothingForEverIsGivenUp(t *testing.T) {
	if _, err := Parse(Claude, stuck{}, noEnv); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v", err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestSlowWriterIsWaitedFor(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		for _, c := range []byte(`{"session_id":"s","hook_event_name":"Stop"}`) {
			_, _ = w.Write([]byte{c})
			runtime.Gosched()
		}
		_ = w.Close()
	}()
	if p, err := Parse(Claude, r, noEnv); err != nil || p.SessionID != "s" {
		t.Errorf("%+v, %v", p, err)
	}
}

func BenchmarkHugePrompt(b *testing.B) {
	for name, unit := range map[string]string{"text": "hello world, ", "escapes": `\n`, "pairs": `\ud83d\ude00`, "beyond ASCII": "grün 😀 "} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(huge)
			for b.Loop() {
				in := generated(`{"prompt":"`, unit, huge, `","hook_event_name":"UserPromptSubmit","session_id":"s"}`)
				if _, err := Parse(Claude, in, noEnv); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
