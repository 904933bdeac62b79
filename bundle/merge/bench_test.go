package merge_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/bundle/merge"
)

// long makes many revisions upon one.
func (a *tale) long(parent string, n int, edit func(i int, s *bundle.State)) string {
	for i := range n {
		parent = a.on(parent, i, func(s *bundle.State) { edit(i, s) })
	}
	return parent
}

func aDay(who string) func(int, *bundle.State) {
	return func(i int, s *bundle.State) {
		if i%10 == 0 {
			place("open", fmt.Sprint(who, i%200), fmt.Sprint(who, " asks ", i))(s)
			return
		}
		s.Compass.Drift = fmt.Sprint(who, i)
	}
}

// measured is one merge, with what it took in memory.
func measured(b *testing.B, a *tale, heads ...string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := merge.Merge(context.Background(), a.w, heads); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTwentyThousandApart(b *testing.B) {
	a := newTale(b)
	one, two := a.long(a.root, 20_000, aDay("one")), a.long(a.root, 20_000, aDay("two"))
	b.ResetTimer()
	measured(b, a, one, two)
}

// Replicas that never met, merged one after another.
func BenchmarkFanOfTwoHundred(b *testing.B) {
	a := newTale(b)
	var heads []string
	for i := range 200 {
		heads = append(heads, a.long(a.root, 10, aDay(fmt.Sprint("r", i, "-"))))
	}
	for b.Loop() {
		tip := heads[0]
		for _, h := range heads[1:] {
			tip = a.w.MustMerge(tip, h)
		}
	}
}

// An item that keeps something set aside stays for thousands of revisions.
func BenchmarkUnsettledForFiveThousand(b *testing.B) {
	a := newTale(b)
	m := a.w.Merge(a.on(a.root, 1, north("One")), a.on(a.root, 2, north("Two")))
	base := a.long(m, 5000, aDay("base"))
	one, two := a.long(base, 1, aDay("one")), a.long(base, 1, aDay("two"))
	b.ResetTimer()
	measured(b, a, one, two)
}

// One note to which both sides appended all the time.
func BenchmarkOneNoteTwoThousandTimes(b *testing.B) {
	a := newTale(b)
	const path = "tasks/port.md"
	side := func(parent, who string, n int) string {
		text := a.w.At(parent).Notes[path]
		for i := range n {
			data, err := chronicle.AppendBlock([]byte(text), chronicle.Block{Time: noon.Add(time.Duration(i) * time.Second), ID: fmt.Sprint(who, i), Text: "What happened."})
			if err != nil {
				b.Fatal(err)
			}
			text = string(data)
			parent = a.note(parent, i, path, text)
		}
		return parent
	}
	base := a.note(a.root, 0, path, "---\ntitle: Port\n---\n")
	one, two := side(base, "one", 1000), side(base, "two", 1000)
	runtime.GC()
	b.ResetTimer()
	measured(b, a, one, two)
}
