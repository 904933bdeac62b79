package worktree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRandomHistoriesHaveTheCommitsThatWereMade makes, drops and joins commits
// at random and keeps its own list of what was made.
func TestRandomHistoriesHaveTheCommitsThatWereMade(t *testing.T) {
	for seed := range max(4, cases(t, 40)/10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			k := newTask(t)
			h := &history{task: k, Rand: rand.New(rand.NewPCG(uint64(seed), 7)), made: map[string]bool{}}
			for step := range 14 {
				h.step(step)
			}
			var want, got []string
			for id := range strings.Lines(k.git("rev-list", "HEAD", "--branches") + "\n") {
				if id = strings.TrimSpace(id); h.made[id] {
					want = append(want, id)
				}
			}
			made := k.made()
			for _, c := range made.Commits {
				got = append(got, c.ID)
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) || made.Partial || made.Approximate {
				t.Errorf("got %q, want %q, after %q", got, want, h.log)
			}
		})
	}
}

type history struct {
	*task
	*rand.Rand
	made map[string]bool
	log  []string
}

func (h *history) step(n int) {
	branch := fmt.Sprint("b", h.IntN(3))
	file := fmt.Sprint("f", n) // of its own, so that nothing is ever in conflict
	switch h.IntN(9) {
	case 0, 1, 2:
		h.make(file, "commit", "-q", "-m", fmt.Sprint("step ", n))
	case 3:
		h.make(file, "commit", "-q", "--amend", "-m", fmt.Sprint("amended ", n))
	case 4:
		h.try("checkout", "-q", "-B", branch)
	case 5:
		h.try("checkout", "-q", branch)
	case 6:
		h.try("reset", "-q", "--hard", "HEAD~1")
	case 7:
		if h.try("merge", "-q", "--no-ff", "-m", "merged", branch) {
			h.mark(true)
		}
	case 8:
		if h.try("merge", "-q", "--ff-only", branch) {
			h.mark(false)
		}
	}
}

func (h *history) try(args ...string) bool {
	_, err := tryGit(h.dir, args...)
	h.log = append(h.log, fmt.Sprint(args, " ", err == nil))
	return err == nil
}

func (h *history) make(file string, args ...string) {
	write(h.T, h.dir+"/"+file, file)
	h.git("add", file)
	if h.try(args...) {
		h.mark(true)
	}
}

// mark notes the commit of HEAD, unless the last command found nothing to do.
func (h *history) mark(made bool) {
	out := h.git("log", "-1", "--walk-reflogs", "--format=%H %gs")
	id, message, _ := strings.Cut(out, " ")
	if made && !strings.HasPrefix(message, "checkout: ") && !strings.HasPrefix(message, "reset: ") {
		h.made[id] = true
	}
}
