//go:build unix

package refs

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatrail/refs/remotetest"
)

// slowSSH is a stand-in for ssh that says which git called it before it goes on.
func slowSSH(t *testing.T, path string) (caller func() int) {
	t.Helper()
	must(t, remotetest.SSH(path+"-stand-in"))
	write(t, path, "#!/bin/sh\necho $PPID >"+path+".new && mv "+path+".new "+path+".pid\nexec "+path+"-stand-in \"$@\"\n")
	must(t, os.Chmod(path, 0o755))
	return func() int {
		for {
			data, err := os.ReadFile(path + ".pid")
			if err != nil {
				time.Sleep(time.Millisecond)
				continue
			}
			must(t, os.Remove(path+".pid"))
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			must(t, err)
			return pid
		}
	}
}

func locks(t *testing.T, dir string) (left []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") || d != nil && strings.HasPrefix(d.Name(), ownPrefix) {
			left = append(left, path)
		}
		return err
	}))
	return left
}

// Git and we are killed together anywhere in a fetch; what they leave is in
// nobody's way and is gone after the next one.
func TestAKilledFetchLeavesNoLock(t *testing.T) { inLots(t, rounds(2), killFetches) }

func killFetches(t *testing.T, n int) {
	p := newPair(t)
	top := filepath.Dir(p.hub)
	caller := slowSSH(t, top+"/ssh")
	q := p.another(t, "there")
	git(t, q.dir, "config", "core.sshCommand", top+"/ssh")
	git(t, q.dir, "remote", "set-url", "origin", "host:"+p.hub)
	for round := range n {
		p.grow(t, Project(), many(30, fmt.Sprint(round))...)
		tip := p.grow(t, Task(fmt.Sprint(round)), "x")
		_, err := p.push(t, "")
		must(t, err)
		cmd := child(t, "fetch", q.dir)
		must(t, cmd.Start())
		pid := caller()
		time.Sleep(time.Duration(rand.IntN(30000)) * time.Microsecond)
		// The group may have ended by itself.
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		got, err := q.fetch(t, "")
		must(t, err)
		if len(got) != round+2 || got[len(got)-1].ID != tip {
			t.Errorf("%v", got)
		}
		if left := locks(t, q.dir+"/.git"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		os.Remove(top + "/ssh.pid")
	}
	git(t, q.dir, "fsck", "--strict")
}

func TestAKilledPushIsRepeated(t *testing.T) { inLots(t, rounds(2), killPushes) }

func killPushes(t *testing.T, n int) {
	p := newPair(t)
	top := filepath.Dir(p.hub)
	caller := slowSSH(t, top+"/ssh")
	git(t, p.dir, "config", "core.sshCommand", top+"/ssh")
	git(t, p.dir, "remote", "set-url", "origin", "host:"+p.hub)
	for round := range n {
		p.grow(t, Project(), many(30, fmt.Sprint(round))...)
		m, mine, result := p.remote(t, ""), p.mine(t), make(chan error)
		go func() {
			_, err := p.repo.Push(t.Context(), m, mine, Transfer{})
			result <- err
		}()
		pid := caller()
		time.Sleep(time.Duration(rand.IntN(20000)) * time.Microsecond)
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
		<-result
		done, err := p.push(t, "")
		must(t, err)
		// The other side may still be writing what it got before.
		for try := 0; done[0].State == StateBehind && try < 100; try++ {
			time.Sleep(10 * time.Millisecond)
			done, err = p.push(t, "")
			must(t, err)
		}
		if done[0].State != StatePushed && done[0].State != StateEven {
			t.Errorf("%+v", done)
		}
		if left := locks(t, p.dir+"/.git"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		os.Remove(top + "/ssh.pid")
	}
	if got, want := git(t, p.hub, "rev-parse", Project()), p.mine(t)[0].ID; got != want {
		t.Errorf("the hub is at %s, not %s", got, want)
	}
	git(t, p.hub, "fsck", "--strict")
}

// inLots runs n rounds, at most twenty in one pair of repositories: every round
// adds to them, so that three hundred in one would mostly wait for git.
func inLots(t *testing.T, n int, run func(t *testing.T, n int)) {
	t.Parallel()
	for at := 0; at < n; at += 20 {
		t.Run(strconv.Itoa(at), func(t *testing.T) { run(t, min(20, n-at)) })
	}
}

// rounds is how often a test that kills does so.
func rounds(few int) int {
	if n, err := strconv.Atoi(os.Getenv("CHATRAIL_KILLS")); err == nil {
		return n
	}
	return few
}
