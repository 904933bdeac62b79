package refs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// child is this test binary again, as another process that does one job.
func child(t testing.TB, job string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "REFS_TEST_CHILD="+job)
	return cmd
}

func runChild(job string) int {
	var err error
	switch args := os.Args[1:]; job {
	case "grow":
		count, _ := strconv.Atoi(args[2])
		err = grow(args[0], args[1], count)
	case "fetch":
		err = fetchOnce(args[0])
	case "count":
		err = countUp(args[0])
	default:
		err = errors.New("no such job: " + job)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// grow adds commits to the project's reference, each on top of the one before
// it. Every second one is compared without the lock, so that it may find the
// reference moved. It says the message of each commit that it was told stands.
func grow(dir, worker string, count int) error {
	r, err := Discover(dir)
	if err != nil {
		return err
	}
	for i := range count {
		message := fmt.Sprintf("%s-%d", worker, i)
		for {
			err := growOnce(r, message, i%2 == 0)
			if err == nil {
				fmt.Println(message)
				break
			}
			if moved := (*MovedError)(nil); !errors.As(err, &moved) {
				return err
			}
		}
	}
	return nil
}

func growOnce(r *Repo, message string, locked bool) error {
	ctx := context.Background()
	s := Swap{Name: Project(), Who: Who{"W", "w@example.com"}, Message: message}
	swap := r.Swap
	if locked {
		g, err := r.Exclusive(ctx, s.Name)
		if err != nil {
			return err
		}
		defer g.Unlock()
		swap = g.Swap
	}
	var err error
	if s.Old, err = r.Read(s.Name); err != nil && !errors.Is(err, ErrNoRef) {
		return err
	}
	if s.New, err = commitObject(r.CommonDir, s.Old, message); err != nil {
		return err
	}
	return swap(ctx, s)
}

// countUp swaps the made-up ids one after another for ever, and says each number
// that stands.
func countUp(dir string) error {
	r, err := Discover(dir)
	if err != nil {
		return err
	}
	for {
		old, err := r.Read(Project())
		if err != nil {
			return err
		}
		n := number(old) + 1
		if err := r.Swap(context.Background(), Swap{Name: Project(), Old: old, New: id(n)}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// number undoes id, and is -1 for what id did not make.
func number(ref string) int {
	n, err := strconv.ParseInt(strings.TrimLeft(ref, "0"), 16, 64)
	if err != nil || id(int(n)-0xabc0000) != ref {
		return -1
	}
	return int(n) - 0xabc0000
}

// fetchOnce fetches from origin.
func fetchOnce(dir string) error {
	r, err := Discover(dir)
	if err != nil {
		return err
	}
	m, err := r.Remote(context.Background(), "origin")
	if err != nil {
		return err
	}
	_, err = r.Fetch(context.Background(), m, nil, Transfer{})
	return err
}
