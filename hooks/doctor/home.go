package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"chatrail/hooks/task"
	"chatrail/hooks/work"
)

// stateHome looks at the folder where tasks are remembered, and at the drop boxes.
func (v Visit) stateHome() (lines []Line) {
	dir := v.home().Dir
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist) && exists(dir):
		lines = append(lines, problem(dir+" is a link that leads nowhere", "move it away, or make the folder that it names"))
	case errors.Is(err, fs.ErrNotExist):
		above := dir
		for !exists(above) && filepath.Dir(above) != above {
			above = filepath.Dir(above)
		}
		if mayWrite(above) {
			lines = append(lines, ok(dir+" is made when it is needed"))
		} else {
			lines = append(lines, problem(dir+" is not there and cannot be made", "let yourself write in "+above+", or set CHATRAIL_HOME to a folder of yours"))
		}
	case err != nil:
		lines = append(lines, problem("it cannot be looked at: "+oneLine(err.Error()), "set CHATRAIL_HOME to a folder of yours"))
	case !info.IsDir():
		lines = append(lines, problem(dir+" is not a folder", "move it away"))
	case !mayWrite(dir):
		lines = append(lines, problem(dir+" cannot be written here: nothing is remembered", "run this outside of a sandbox, or let yourself write there"))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		lines = append(lines, warning(dir+" can be read by others", "chmod 700 "+quote(dir)))
	default:
		lines = append(lines, ok(dir))
	}
	lines = append(lines, v.locks(dir)...)
	boxes := task.UnsafeDrops(v.env)
	for _, box := range boxes {
		lines = append(lines, problem("the drop box is not safe and is not used: "+oneLine(box.Reason), "look at what it holds, then move "+box.Path+" away: the next command in a sandbox makes it anew"))
	}
	return lines
}

// locks looks for locks of ours that are no file: the kernel frees all others.
func (v Visit) locks(dir string) (lines []Line) {
	entries, err := os.ReadDir(filepath.Join(dir, "locks"))
	if err != nil {
		return nil // none, or said above
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			path := filepath.Join(dir, "locks", e.Name())
			lines = append(lines, problem(path+" stands where a lock should be", "move it away"))
		}
	}
	return lines
}

// waiting says what could not be recorded yet, and what is off.
func (v Visit) waiting(st *work.Status) (lines []Line) {
	unsafe := map[string]bool{}
	for _, box := range task.UnsafeDrops(v.env) {
		unsafe[box.Path] = true
	}
	for _, path := range st.Waiting {
		lines = append(lines, warning("text waits to be recorded: "+path, "the next hook of its task records it; until then it can be read there"))
	}
	for _, text := range st.NotSettled {
		if path, _, found := strings.Cut(text, " is left alone: "); found && unsafe[path] {
			continue // said
		}
		if info, err := os.Stat(v.home().Dir); err == nil && !info.IsDir() && strings.Contains(text, v.home().Dir) {
			continue // said
		}
		lines = append(lines, unsettled(text))
	}
	if st.Paused != "" {
		next := "chatrail on"
		if task.Off(v.env) {
			next = "take CHATRAIL=off out of the environment"
		}
		lines = append(lines, warning("ChatRail is paused ("+st.Paused+")", next))
	}
	return lines
}

// unsettled is what a person should look at, with the step that it may name.
func unsettled(text string) Line {
	if said, found := strings.CutSuffix(text, ": move it away"); found {
		return warning(oneLine(said), "move it away")
	}
	if path, _, found := strings.Cut(text, " is left alone: "); found {
		return warning(oneLine(text), "look at what it holds, then move "+quote(path)+" away")
	}
	return warning(oneLine(text), "chatrail status")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// quote writes a path for a shell.
func quote(path string) string {
	if strings.ContainsAny(path, " '\"$\\`!*?[](){}<>|&;#~\n") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
