package hooks

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestADryRunIsKnownByTheCommandLine(t *testing.T) {
	for line, want := range map[string]string{
		"git push": "push", "git push origin main": "push", "/usr/lib/git-core/git push -f": "push", "git-push origin": "push",
		"git -C . -c a.b=c --git-dir x --work-tree=y --no-pager push origin": "push",
		"git push --dry-run": "dry", "git push -n": "dry", "git push origin main --dry-run": "dry", "git.exe push -fn": "dry",
		"git push --dry": "dry", "git push --dr": "dry", "git -c push.default=nothing push -nv": "dry", "git-push -n": "dry",
		"git push -vn --porcelain origin": "dry",
		"git push --dry-run --no-dry-run": "push", "git push -n --no-dry-run": "push", "git push --no-dry-run -n": "dry",
		"git push origin -- -n": "push", "git push -- --dry-run": "push",
		"git push -o n": "push", "git push -on": "push", "git push -o -n origin": "push", "git push --push-option -n": "push", "git push -non": "dry",
		"git push --no-verify --follow-tags": "push", "git push --d": "push", "git push --delete origin x": "push", "git push -u origin n": "push",
		"git fetch --dry-run": "", "git -c push": "", "git": "", "git -C push": "", "git --version": "", "git commit push -n": "",
		"sh -c git push -n": "", "vim push -n": "", "": "",
	} {
		got := ""
		if dry, is := isPush(strings.Fields(line)); dry {
			got = "dry"
		} else if is {
			got = "push"
		}
		if got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

func TestAProcessIsFoundWithItsParent(t *testing.T) {
	if _, err := exec.LookPath("ps"); err != nil {
		if _, err := os.Stat("/proc/self/stat"); err != nil {
			t.Skip("nothing here tells of processes")
		}
	}
	args, parent, ok := process(os.Getpid())
	if !ok || parent != os.Getppid() || len(args) == 0 || !strings.HasSuffix(strings.Fields(args[0])[0], strings.Fields(os.Args[0])[0]) {
		t.Errorf("%q, %d, %v", args, parent, ok)
	}
	for _, pid := range []int{-1, 0, 1, 1 << 30} {
		if args, _, ok := process(pid); ok {
			t.Errorf("%d is %q", pid, args)
		}
	}
	if dryRun(os.Getpid()) {
		t.Error("a test is no push")
	}
}

func FuzzIsPush(f *testing.F) {
	f.Add("git push -n")
	f.Add("git -C")
	f.Add("git push -o")
	f.Fuzz(func(t *testing.T, line string) {
		if dry, is := isPush(strings.Split(line, " ")); dry && (!is || !strings.Contains(line, "push")) {
			t.Errorf("%q is a dry run", line)
		}
	})
}
