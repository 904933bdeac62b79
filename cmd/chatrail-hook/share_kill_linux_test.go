package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A sync, push or fetch is killed anywhere, alone or with every git that it
// started. The next one succeeds, and what was recorded reaches everybody.
func TestKilledSyncIsMadeGoodByTheNextOne(t *testing.T) {
	t.Parallel()
	kills := min(scale(t, "CHATRAIL_KILLS", 3), 60) // each costs five whole syncs
	hub, list := machines(t, 2)
	for _, m := range list {
		overSSH(m, hub)
	}
	killed := 0
	// Moments are drawn up to the time that a whole sync took, so that they fall
	// into one on any machine.
	span := 150 * time.Millisecond
	for i := range kills {
		m, other := list[i%2], list[1-i%2]
		other.write()
		other.run("chatrail", "sync")
		m.write()
		op := []string{"sync", "sync", "push", "fetch"}[rand.IntN(4)]
		all := rand.IntN(2) == 0
		if m.killDuring(rand.N(span), all, op) {
			killed++
		}
		start := time.Now()
		m.run("chatrail", "sync")
		span = time.Since(start)
		if left := leftovers(t, filepath.Join(m.project, ".git"), ".lock"); len(left) > 0 {
			t.Fatalf("%s killed, with git %v: locks are left: %q", op, all, left)
		}
	}
	t.Logf("%d of %d were killed in the middle", killed, kills)
	for range 2 {
		for _, m := range list {
			m.run("chatrail", "sync")
		}
	}
	wantEven(t, list, hub)
	for _, m := range list {
		// What git leaves when it is killed is git's to remove.
		m.run("git", "gc", "-q", "--prune=now")
		for _, begins := range []string{"tmp_", "fetch-", "incoming-", ".tmp-"} {
			if left := named(t, filepath.Join(m.project, ".git"), begins); len(left) > 0 {
				t.Errorf("machine %s: %q", m.name, left)
			}
		}
	}
}

// overSSH puts what runs at the hub into a session of its own, as on a server:
// it goes on when the machine dies.
func overSSH(m *machine, hub string) {
	m.t.Helper()
	ssh := filepath.Join(m.root, "ssh")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\nfor last; do :; done\nexec setsid sh -c \"$last\"\n"), 0o755); err != nil {
		m.t.Fatal(err)
	}
	m.run("git", "config", "core.sshCommand", ssh)
	m.run("git", "config", "ssh.variant", "simple")
	m.run("git", "remote", "set-url", "origin", "hub:"+hub)
}

// killDuring starts a command and kills it after a moment, with all that it
// started or alone. It tells whether it was still running.
func (m *machine) killDuring(moment time.Duration, all bool, args ...string) bool {
	m.t.Helper()
	var out bytes.Buffer
	cmd := m.command(m.project, "chatrail", args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Millisecond // git may hold the pipes
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	time.Sleep(moment)
	session := cmd.Process.Pid
	_ = cmd.Process.Kill()
	if all {
		for _, pid := range inSession(m.t, session) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	err := cmd.Wait()
	exit, ok := err.(*exec.ExitError)
	return ok && !exit.Exited()
}

// inSession lists the processes of a session.
func inSession(t testing.TB, session int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, stat := range stats {
		data, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent group session …; the name may hold anything.
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) > 3 && fields[3] == fmt.Sprint(session) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}
