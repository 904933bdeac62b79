package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxAncestors is how far above a hook its client is looked for: a shell or a
// script may stand between them.
const maxAncestors = 4

// byCommandLine tells whether nobody watches a client that says so nowhere but
// in how it was started: without a terminal, or with the flag that runs one prompt
// and ends. Whatever cannot be told counts as unattended, where an answer could be
// replaced.
func byCommandLine(p *Payload, _ *fields, env func(string) string) bool {
	if env("CI") == "true" || env("GITHUB_ACTIONS") == "true" {
		return true
	}
	// Both clients of this kind have a program of their own name.
	return !watched("/proc", os.Getppid(), string(p.Host), "p", "prompt")
}

// watched looks at the ancestors of a process for a client that a person sees.
func watched(proc string, pid int, executable, short, long string) bool {
	for range maxAncestors {
		if pid <= 1 {
			return false
		}
		dir := filepath.Join(proc, strconv.Itoa(pid))
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			return false
		}
		args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
		if runs(args, executable) {
			return onTerminal(dir) && !flagged(args, short, long)
		}
		if pid, err = parentOf(dir); err != nil {
			return false
		}
	}
	return false
}

// runs says whether a command line is that of a program: of itself, or of an
// interpreter with its script. The command line that a shell was given is neither,
// whatever folders it names.
func runs(args []string, executable string) bool {
	for i, arg := range args {
		if i > 0 && arg == "-c" {
			return false
		}
		if i > 0 && strings.HasPrefix(arg, "-") {
			continue // a flag of the interpreter
		}
		for _, element := range strings.FieldsFunc(arg, func(r rune) bool { return r == '/' || r == '\\' }) {
			if rest, ok := strings.CutPrefix(element, executable); ok && (rest == "" || rest[0] == '-' || rest[0] == '.') {
				return true
			}
		}
		if i > 0 {
			return false // the script was looked at
		}
	}
	return false
}

// flagged says whether a command line has a flag, also among other short ones.
func flagged(args []string, short, long string) bool {
	for _, arg := range args[1:] {
		switch {
		case arg == "--"+long, strings.HasPrefix(arg, "--"+long+"="):
			return true
		case len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, short):
			return true
		}
	}
	return false
}

// onTerminal says whether a process reads from and writes to a terminal.
func onTerminal(dir string) bool {
	for _, fd := range []string{"0", "1"} {
		to, err := os.Readlink(filepath.Join(dir, "fd", fd))
		if err != nil || !strings.HasPrefix(to, "/dev/pts/") && !strings.HasPrefix(to, "/dev/tty") && to != "/dev/console" {
			return false
		}
	}
	return true
}

// parentOf reads the parent of a process. Its name, in brackets, may hold
// anything.
func parentOf(dir string) (int, error) {
	data, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0, err
	}
	rest := string(data[strings.LastIndexByte(string(data), ')')+1:])
	words := strings.Fields(rest)
	if len(words) < 2 {
		return 0, os.ErrInvalid
	}
	return strconv.Atoi(words[1])
}
