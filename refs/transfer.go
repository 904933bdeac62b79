package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Transfer is how one exchange with a remote is made.
type Transfer struct {
	// Ask says that a person sits at a terminal: git and ssh may ask for a
	// password or a host key. Otherwise nothing that is started can ask anybody.
	Ask bool
	// Progress gets what git and the server say meanwhile, made harmless.
	Progress io.Writer
	// DryRun moves nothing on either side.
	DryRun bool
}

// exchange is one git command that talks to a remote.
type exchange struct {
	repo   *Repo // whose git dir the command works on
	remote Remote
	Transfer
	op     string   // "push", "fetch" or "list", for words to people
	config []config // of this command alone
	args   []string
	stdin  string
	limit  int // of standard output, in bytes
}

// answer is what came of one, whether it failed or not.
type answer struct {
	stdout string
	said   said
	code   int // the exit code, -1 where there is none
}

type config struct{ key, value string }

// settledByUs are settings that would make a transfer do more than it is asked
// for, or say it in a form that is hard to read. Hooks of the user do not run,
// neither for what is pushed nor for references of ours that move.
var settledByUs = []config{
	{"core.hooksPath", os.DevNull},
	{"color.ui", "false"}, {"color.push", "false"}, {"color.remote", "false"}, {"color.transport", "false"},
	{"gc.auto", "0"}, {"maintenance.auto", "false"},
}

// run makes the exchange. The error is a *TransportError, unless git is missing.
func (x exchange) run(ctx context.Context) (answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var args, env []string
	settled := slices.Concat(settledByUs, x.config)
	if !x.Ask {
		settled = append(settled, config{"core.askPass", ""}, config{"credential.interactive", "false"})
	}
	for i, c := range settled {
		if strings.Contains(c.key, "=") {
			// "-c" would end the key there.
			name := fmt.Sprintf("CHATRAIL_SETTING_%d", i)
			args = append(args, "--config-env="+c.key+"="+name)
			env = append(env, name+"="+c.value)
			continue
		}
		args = append(args, "-c", c.key+"="+c.value)
	}
	cmd := x.repo.gitConfigured(ctx, append(args, x.args...)...)
	cmd.Env = append(cmd.Env, env...)
	if err := x.quietPrompts(ctx, cmd); err != nil {
		if ctx.Err() != nil {
			err = x.failure(context.Cause(ctx), nil)
		}
		return answer{}, err
	}
	if x.stdin != "" {
		cmd.Stdin = strings.NewReader(x.stdin)
	}
	out := &limited{left: x.limit, full: func() { cancel(errTooMuch) }}
	a := answer{said: said{watch: x.Progress}}
	cmd.Stdout, cmd.Stderr = out, &a.said
	if !x.Ask {
		ownGroup(cmd)
	}
	err := cmd.Run()
	if !x.Ask && ctx.Err() != nil {
		killGroup(cmd)
	}
	a.said.finish()
	a.stdout, a.code = out.kept.String(), exitCode(err)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // git ended well and left a helper that serves others
	}
	if err == nil {
		a.code = 0
		return a, nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return a, GitError(err, nil)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return a, x.failure(err, a.said.lines)
}

// quietPrompts sees to it that nobody is asked, or that a person can be.
func (x exchange) quietPrompts(ctx context.Context, cmd *exec.Cmd) error {
	const never = "GIT_TERMINAL_PROMPT=0"
	if x.Ask {
		for i := len(cmd.Env) - 1; i >= 0; i-- {
			if cmd.Env[i] == never {
				cmd.Env = append(cmd.Env[:i:i], cmd.Env[i+1:]...)
				break // an earlier one is the person's own
			}
		}
		return nil
	}
	cmd.Env = append(cmd.Env, never, "GIT_ASKPASS=", "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never")
	plain, err := x.plainSSH(ctx)
	if plain {
		cmd.Env = append(cmd.Env, "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	}
	return err
}

// plainSSH reports whether git would run the ssh of the search path, so that an
// option of OpenSSH may be put behind it. A command that somebody chose is left
// alone; without a terminal it has nobody to ask either.
func (x exchange) plainSSH(ctx context.Context) (bool, error) {
	for _, name := range []string{"GIT_SSH_COMMAND", "GIT_SSH"} {
		if _, set := os.LookupEnv(name); set || x.remote.noSSH {
			return false, nil
		}
	}
	out, _, err := run(x.repo.gitConfigured(ctx, "config", "-z", "--get-regexp", `^(core\.sshcommand|ssh\.variant)$`))
	if err != nil && exitCode(err) != 1 {
		return false, err
	}
	variant := os.Getenv("GIT_SSH_VARIANT")
	for entry := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		switch {
		case key == "core.sshcommand":
			return false, nil
		case key == "ssh.variant" && variant == "":
			variant = value
		}
	}
	return variant == "" || variant == "auto" || variant == "ssh", nil
}

// gitConfigured is Git with the configuration that our environment carries, as
// "git -c" leaves it to hooks and containers set it: it is about how a remote is
// reached, whatever the repository.
func (r *Repo) gitConfigured(ctx context.Context, args ...string) *exec.Cmd {
	cmd := r.Git(ctx, args...)
	for _, name := range []string{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	return cmd
}

// forRemote is a setting remote.<name>.<key>; a remote without a name has none.
func (m Remote) forRemote(key, value string) []config {
	if m.Name == "" {
		return nil
	}
	return []config{{"remote." + m.Name + "." + key, value}}
}

var errTooMuch = errors.New("more than can be taken in")

// limited keeps what it is given up to a limit, and then says that it is full.
// The buffer is not embedded: its other methods know no limit.
type limited struct {
	kept bytes.Buffer
	left int
	full func()
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		l.full()
		return 0, errTooMuch
	}
	return l.kept.Write(p)
}
