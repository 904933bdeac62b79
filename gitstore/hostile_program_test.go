//go:build unix

package gitstore

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every hostile tip through the program that people run, by git's own way: one line
// and exit 1, nothing changes here, `status` still answers, and neither the memory
// nor the time of it has to do with what a tip says of itself.
func TestHostileTipThroughTheRealProgram(t *testing.T) {
	if !long() {
		t.Skip("set CHATRAIL_LONG to run it")
	}
	y := newYard(t)
	top := t.TempDir()
	build := exec.Command("go", "build", "-o", top, "chatrail/cmd/chatrail")
	build.Env = append(os.Environ(), "HOME="+homeOfUser)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	git(t, top, "clone", "-q", y.dir, "here")
	p := &program{t: t, path: filepath.Join(top, "chatrail"), dir: filepath.Join(top, "here"), home: filepath.Join(top, "state")}
	if code, said := p.run("sync"); code != 0 {
		t.Fatal(said)
	}
	refs := func() string {
		return git(t, p.dir, "for-each-ref", "refs/heads", "refs/tags", "refs/remotes", "refs/chatrail")
	}
	before, work, refused := refs(), git(t, p.dir, "status", "--porcelain"), 0
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			y.t, p.t = t, t
			tip := c.tip(y)
			// As a server might have it: git itself would not put all of them there.
			if err := os.WriteFile(filepath.Join(y.dir, ".git", testRef), []byte(tip+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			code, said := p.run("sync")
			switch {
			case code == 1 && strings.Count(said, "\n") == 1 && strings.HasPrefix(said, "chatrail: "):
			case said == "project: sent to origin.\n" && git(t, y.dir, "rev-parse", testRef) == y.tip:
				t.Log("git shows nothing of it, or a tag on what is here: ours went there")
			default:
				t.Errorf("exit %d, %q", code, said)
			}
			if strings.Contains(said, "is not taken") {
				if refused++; refused%10 == 1 {
					if code, status := p.run("status"); code != 0 || !strings.Contains(status, "is not taken") {
						t.Errorf("exit %d, status does not name it: %q", code, status)
					}
				}
			}
			if now := refs(); now != before {
				t.Fatalf("the references were\n%s\nand are\n%s", before, now)
			}
		})
	}
	y.t, p.t = t, t
	t.Logf("of %d tips git brought %d, the largest process had %d MiB and the longest took %v", len(hostile), refused, p.most>>20, p.longest)
	if refused < 30 {
		t.Errorf("only %d were looked at", refused)
	}
	if p.most > 512<<20 {
		t.Errorf("a process had %d MiB", p.most>>20)
	}
	if now := git(t, p.dir, "status", "--porcelain"); now != work {
		t.Errorf("the work tree: %s", now)
	}
	if code, said := p.run("validate"); code != 0 {
		t.Error(said)
	}
}

// program is chatrail in a clone, and what it took at most.
type program struct {
	t               *testing.T
	path, dir, home string
	most            int64 // bytes
	longest         time.Duration
}

func (p *program) run(args ...string) (code int, said string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "CHATRAIL_HOME="+p.home, "GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Ada", "GIT_CONFIG_KEY_1=user.email", "GIT_CONFIG_VALUE_1=ada@example.org")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	p.longest = max(p.longest, time.Since(start))
	if ctx.Err() != nil {
		p.t.Fatalf("chatrail %s came to no end", strings.Join(args, " "))
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		size := int64(usage.Maxrss)
		if runtime.GOOS == "linux" {
			size <<= 10
		}
		p.most = max(p.most, size)
	}
	if err != nil && cmd.ProcessState.ExitCode() < 0 {
		p.t.Fatalf("chatrail %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return cmd.ProcessState.ExitCode(), out.String()
}
