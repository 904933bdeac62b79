package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"chatrail/bundle/temptest"
	"chatrail/hooks"
	"chatrail/hooks/work"
	"chatrail/refs/remotetest"
)

// The test binary is the two programs: scripts run the real ones.
func TestMain(m *testing.M) {
	temptest.InMemory()
	testscript.Main(m, map[string]func(){
		"chatrail": func() {
			carrier = carriers(carrier)
			findProgram = clientsOf(os.Getenv("CLIENTS"))
			main()
		},
		"chatrail-hook": func() {
			if len(os.Args) > 2 && os.Args[1] == "git" {
				os.Exit(hooks.LeanGit(os.Args[2:]))
			}
			if os.Args[1] == "statusline" {
				hooks.LeanStatusLine(hooks.FullProgram())
				return
			}
			hooks.Lean(os.Args[1], strings.Join(os.Args[2:], " "))
		},
	})
}

// clientsOf finds only the clients that a script says are installed, in $CLIENTS,
// not those of the machine.
func clientsOf(names string) func(string) (string, error) {
	return func(name string) (string, error) {
		for _, one := range strings.Fields(names) { // a name, or the path of a program
			if filepath.Base(one) == name {
				return one, nil
			}
		}
		return "", exec.ErrNotFound
	}
}

// carriers lets a script say what takes the orientation along with a push:
// $CARRY_WITH is a shell script that is given the remote and the URL and whose
// complaint is the reason, or "panic" and "crash" for bugs.
func carriers(usual func(*work.Desk) work.Carrier) func(*work.Desk) work.Carrier {
	return func(d *work.Desk) work.Carrier {
		script := os.Getenv("CARRY_WITH")
		if script == "" {
			return usual(d)
		}
		return func(ctx context.Context, remote, url string) (work.CarryResult, error) {
			switch script {
			case "panic":
				panic("made for the test")
			case "crash":
				go panic("made for the test") // which nobody recovers
				select {}
			}
			out, err := exec.CommandContext(ctx, "sh", "-c", script, "carry", remote, url).CombinedOutput()
			if err != nil {
				err = errors.New(string(out))
			}
			return work.CarryResult{}, err
		}
	}
}

const testdata = "../../testdata"

// TestScripts runs what a person or an agent can see: one script a promise.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(testdata, "script"),
		Setup: func(e *testscript.Env) error {
			data, err := filepath.Abs(testdata)
			if err != nil {
				return err
			}
			e.Values[served{}] = map[string]*remotetest.Server{}
			e.Setenv("TESTDATA", data)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("CHATRAIL_HOME", filepath.Join(e.WorkDir, "home", "state"))
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(e.WorkDir, "home", ".gitconfig"))
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv(hooks.Patience, "20000") // a busy machine is not what scripts are about
			e.Setenv("CLAUDE_CODE_SESSION_ATTENDED", "")
			e.Setenv("CLAUDE_PROJECT_DIR", "")
			config := "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
			for _, dir := range []string{"home", "tmp"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o700); err != nil {
					return err
				}
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "home", ".gitconfig"), []byte(config), 0o600)
		},
		// What takes its time and is about rare circumstances waits for CHATRAIL_LONG.
		Condition: func(cond string) (bool, error) {
			if cond == "long" {
				return os.Getenv("CHATRAIL_LONG") != "", nil
			}
			return false, fmt.Errorf("%q is no condition", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"send":    send,
			"sendall": sendAll,
			"history": history,
			"fixed":   fixed,
			"lines":   countLines,
			"maxlen":  maxLength,
			"jq":      jsonField,
			"serve":   serve,
			"ssh":     sshCommand,
		},
	})
}

// fixed [stdout|stderr|FILE] TEXT: the text is in it, to the letter.
func fixed(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: fixed stdout|stderr|FILE TEXT")
	}
	if found := strings.Contains(ts.ReadFile(args[0]), args[1]); found == neg {
		ts.Fatalf("%q in %s: %v", args[1], args[0], found)
	}
}

// lines [stdout|FILE] N: it has N lines.
func countLines(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, "\n"); fmt.Sprint(n) != args[1] {
		ts.Fatalf("%d lines, not %s:\n%s", n, args[1], text)
	}
}

// maxlen [stdout|FILE] N: it has at most N bytes.
func maxLength(ts *testscript.TestScript, _ bool, args []string) {
	var limit int
	_, err := fmt.Sscan(args[1], &limit)
	ts.Check(err)
	if n := len(strings.TrimSuffix(ts.ReadFile(args[0]), "\n")); n > limit {
		ts.Fatalf("%d bytes, more than %d", n, limit)
	}
}

// jq [stdout|FILE] KEY VALUE: the JSON object in it has this value, as text.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	var v map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
	if got := fmt.Sprint(v[args[1]]); (got == args[2]) == neg {
		ts.Fatalf("%s is %q", args[1], got)
	}
}
