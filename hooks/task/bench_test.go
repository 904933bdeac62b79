package task

import "testing"

// The operations that every turn pays for.
func BenchmarkHotPath(b *testing.B) {
	h := Home{Dir: b.TempDir()}
	key := Key("s")
	p := gitPin().Place
	r := Receipt{TaskKey: key, Pin: gitPin()}
	env := environment("TMPDIR", b.TempDir())
	lines := make([]Line, 20)
	for i := range lines {
		lines[i] = Line{"rail.north", "North: some words that describe where this is all going to end up"}
	}
	for _, err := range []error{h.SaveReceipt(&r), h.SaveView(p, View{Tip: "t", Lines: lines}), h.Trust(ctx, p)} {
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, op := range []struct {
		name string
		run  func()
	}{
		{"load receipt", func() { h.LoadReceipt(key) }},
		{"save receipt", func() { h.SaveReceipt(&r) }},
		{"load view", func() { h.LoadView(p) }},
		{"trusted", func() { h.Trusted(p, p.Root) }},
		{"paused", func() { h.Paused(env, r) }},
		{"pending drop", func() { PendingDrop(env, key) }},
		{"touch seen", func() { h.Touch("claude", "Stop") }},
		{"lock", func() {
			if unlock, err := h.LockTask(ctx, key); err == nil {
				unlock()
			}
		}},
	} {
		b.Run(op.name, func(b *testing.B) {
			for b.Loop() {
				op.run()
			}
		})
	}
}
