package doctor

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// programs looks at git and at our own two programs.
func (v Visit) programs(ctx context.Context) (lines []Line) {
	lines = append(lines, v.git(ctx))
	if v.Self == "" {
		return lines
	}
	hook, beside := v.hook()
	switch {
	case hook == "":
		lines = append(lines, problem("chatrail-hook is neither beside chatrail nor on the search path", "go install the programs into one folder: "+filepath.Dir(v.Self)))
	case !beside:
		lines = append(lines, warning("chatrail-hook is at "+hook+", not beside chatrail", "keep the programs in one folder: "+filepath.Dir(v.Self)))
	}
	if hook != "" {
		lines = append(lines, sameBuild(hook))
	}
	switch other, err := v.LookPath("chatrail"); {
	case err != nil:
		lines = append(lines, warning("chatrail is not on the search path: agents call it by its path "+v.Self, "put "+filepath.Dir(v.Self)+" on the search path"))
	case !sameFile(other, v.Self):
		lines = append(lines, warning("the search path leads to another chatrail: "+other, "keep one of them: this is "+v.Self))
	default:
		lines = append(lines, ok("chatrail is on the search path, at "+other))
	}
	return lines
}

// hook is the chatrail-hook of this program: beside it, else on the search path;
// "" for none.
func (v Visit) hook() (path string, beside bool) {
	name := "chatrail-hook"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	dirs := []string{filepath.Dir(v.Self)}
	if self, err := filepath.EvalSymlinks(v.Self); err == nil {
		dirs = append(dirs, filepath.Dir(self))
	}
	for _, dir := range dirs {
		if path = filepath.Join(dir, name); exists(path) {
			return path, true
		}
	}
	path, err := v.LookPath("chatrail-hook")
	if err != nil {
		return "", false
	}
	return path, false
}

// build is what tells one build from another.
func build(info *debug.BuildInfo) string {
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			text += " " + s.Value
		}
	}
	return text
}

// sameBuild compares chatrail-hook with this program without running it.
func sameBuild(hook string) Line {
	own, known := debug.ReadBuildInfo()
	other, err := buildinfo.ReadFile(hook)
	switch {
	case err != nil:
		return warning(hook+" is no program that go has built: "+oneLine(err.Error()), "install chatrail and chatrail-hook together")
	case known && build(own) != build(other):
		return warning(hook+" is of another version than this program", "install chatrail and chatrail-hook together")
	}
	return ok("chatrail-hook is of the same version, at " + hook)
}

// oldestGit is the first version of git with everything that sharing needs.
var oldestGit = [2]int{2, 31}

func (v Visit) git(ctx context.Context) Line {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	path, err := v.LookPath("git")
	if err != nil {
		return warning("git is not on the search path: bundles are read and written, changed paths are approximate, and nothing is shared", "install git")
	}
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = 100 * time.Millisecond // a script's child may keep its output open
	out, err := cmd.Output()
	if err != nil {
		return problem(path+" does not say its version: "+oneLine(err.Error()), "install git again")
	}
	said := strings.TrimSpace(string(out))
	var major, minor int
	if _, err := fmt.Sscanf(said, "git version %d.%d", &major, &minor); err == nil &&
		(major < oldestGit[0] || major == oldestGit[0] && minor < oldestGit[1]) {
		return warning(said+" is too old to share orientations", fmt.Sprintf("install git %d.%d or newer", oldestGit[0], oldestGit[1]))
	}
	return ok(said)
}
