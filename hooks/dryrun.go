package hooks

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxAncestors bounds the way up to the push: a hook manager or two lie between.
const maxAncestors = 12

// dryRun tells whether a process was started by a `git push --dry-run`. Git calls
// its pre-push hook then, too, and tells the hook nothing of it; the one sign is
// the command line of git above. Where none can be seen it is taken for a push.
func dryRun(pid int) bool {
	for range maxAncestors {
		args, parent, ok := process(pid)
		if !ok {
			return false
		}
		if dry, is := isPush(args); is {
			return dry
		}
		pid = parent
	}
	return false
}

// isPush tells whether a command line is a push of git's, and whether it only
// tries.
func isPush(args []string) (dry, is bool) {
	if len(args) == 0 {
		return false, false
	}
	rest := args[1:]
	switch strings.TrimSuffix(filepath.Base(args[0]), ".exe") {
	case "git":
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			skip := 1
			switch rest[0] {
			case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source":
				skip = 2
			}
			rest = rest[min(skip, len(rest)):]
		}
		if len(rest) == 0 || rest[0] != "push" {
			return false, false
		}
		rest = rest[1:]
	case "git-push":
	default:
		return false, false
	}
	for i := 0; i < len(rest); i++ {
		switch arg := rest[i]; {
		case arg == "--":
			return dry, true
		case arg == "--no-dry-run":
			dry = false
		case len(arg) > 3 && strings.HasPrefix("--dry-run", arg): // git takes what is short of it, from --dr on
			dry = true
		case arg == "-o" || arg == "--push-option" || arg == "--repo" || arg == "--receive-pack" || arg == "--exec":
			i++ // its value
		case strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--"):
			letters, _, _ := strings.Cut(arg[1:], "o") // what is behind it is its value
			dry = dry || strings.Contains(letters, "n")
		}
	}
	return dry, true
}

// process is the command line and the parent of a process: from /proc, else from
// ps, where one of them knows it.
func process(pid int) (args []string, parent int, ok bool) {
	if pid <= 1 {
		return nil, 0, false
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if stat, errStat := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && errStat == nil {
		// "pid (any name) S parent …"
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 {
			return nil, 0, false
		}
		parent, err = strconv.Atoi(fields[1])
		return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"), parent, err == nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ps", "-o", "ppid=", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	fields := strings.Fields(string(out)) // an argument with blanks in it is several: good enough for a flag
	if err != nil || len(fields) < 2 {
		return nil, 0, false
	}
	parent, err = strconv.Atoi(fields[0])
	return fields[1:], parent, err == nil
}
