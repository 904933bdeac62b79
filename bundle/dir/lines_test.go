package dir

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// allLines reads with next until the end.
func allLines(t interface{ Fatal(...any) }, next func() (line, error)) []line {
	var all []line
	for {
		l, err := next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		l.text = bytes.Clone(l.text)
		all = append(all, l)
	}
}

func TestBackwardReadsWhatForwardReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			text.WriteString(strings.Repeat("x", rapid.SampledFrom([]int{0, 1, 2, 100, 65534, 65535, 65536, 65537, 200_000}).Draw(t, "length")))
			text.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", " \n"}).Draw(t, "end"))
		}
		text.WriteString(rapid.SampledFrom([]string{"", "y", "yy\r"}).Draw(t, "tail"))
		data := bytes.NewReader([]byte(text.String()))
		size := int64(data.Len())
		there := allLines(t, newForward(data, 0, size).next)
		back := allLines(t, newBackward(data, size).next)
		slices.Reverse(back)
		if len(there) != len(back) {
			t.Fatalf("%d lines forward, %d backward", len(there), len(back))
		}
		for i := range there {
			a, b := there[i], back[i]
			if !bytes.Equal(a.text, b.text) || a.start != b.start || a.end != b.end || a.torn != b.torn {
				t.Fatalf("line %d: forward %d-%d %v, backward %d-%d %v", i, a.start, a.end, a.torn, b.start, b.end, b.torn)
			}
		}
		if joined := len(there) > 0 && there[len(there)-1].end != size; joined {
			t.Fatal("lines end before the file does")
		}
	})
}
