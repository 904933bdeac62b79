//go:build agents

package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"chatrail/hooks/agent"
)

// pin is a client as npm has it, in the version that the suite is about.
type pin struct {
	npm, version string
	// finish is what the package runs after npm unpacked it, where npm is told
	// not to run scripts of packages: a file of the package, "" for nothing.
	finish string

	once sync.Once
	path string // of the client's program
	err  error
}

var pins = map[agent.Host]*pin{
	agent.Claude:   {npm: "@anthropic-ai/claude-code", version: "2.1.332", finish: "install.cjs"},
	agent.Codex:    {npm: "@openai/codex", version: "0.171.0"},
	agent.Gemini:   {npm: "@google/gemini-cli", version: "0.61.0"},
	agent.Copilot:  {npm: "@github/copilot", version: "1.0.102"},
	agent.OpenCode: {npm: "opencode-ai", version: "1.18.33", finish: "postinstall.mjs"},
}

const (
	firstHome     = "home" // below a client: the home of its first start
	installWithin = 10 * time.Minute
	cacheVariable = "CHATRAIL_CLIENTS"
)

// cache is the folder that clients are installed into and scenarios run in. It
// is no temporary folder: to a sandbox those are special.
var cache = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv(cacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to install the clients into: %w; name one in %s", err, cacheVariable)
	}
	return filepath.Join(dir, "chatrail-clients"), nil
})

// installed is the path of a client's program. The first call installs it.
func installed(t *testing.T, h agent.Host) string {
	t.Helper()
	p := pins[h]
	p.once.Do(func() { p.path, p.err = p.install(string(h)) })
	if p.err != nil {
		t.Fatalf("%s %s is not there to be tried: %v", p.npm, p.version, p.err)
	}
	return p.path
}

// install puts the client into a folder of its own, which is complete when it
// has its name: several suites may start at once, and one may be killed.
func (p *pin) install(program string) (string, error) {
	dir, err := cache()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, program+".lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process unlocks too
	home := filepath.Join(dir, program+"-"+p.version)
	path := filepath.Join(home, "node_modules", ".bin", program)
	if _, err := os.Stat(home); err == nil {
		return path, nil
	}
	half := home + ".half"
	if err := os.RemoveAll(half); err != nil {
		return "", err
	}
	if err := os.MkdirAll(half, 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(half, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		return "", err
	}
	if err := within(half, "npm", "install", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error", p.npm+"@"+p.version); err != nil {
		return "", fmt.Errorf("npm did not install it: %w", err)
	}
	if p.finish != "" {
		if err := within(filepath.Join(half, "node_modules", filepath.FromSlash(p.npm)), "node", p.finish); err != nil {
			return "", fmt.Errorf("its own set-up failed: %w", err)
		}
	}
	// What it unpacks at its first start is kept; the home of whoever runs the
	// suite is left alone.
	first := filepath.Join(half, firstHome)
	if err := os.Mkdir(first, 0o700); err != nil {
		return "", err
	}
	start := []string{"HOME=" + first, filepath.Join(half, "node_modules", ".bin", program), "--help"}
	if err := within(half, "env", start...); err != nil {
		return "", fmt.Errorf("it does not start: %w", err)
	}
	return path, os.Rename(half, home)
}

// within runs a program of the set-up in a folder and says what it said when it
// failed. The environment is the caller's, whose registry it is.
func within(dir, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), installWithin)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.WaitDelay = dir, 5*time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, tail(string(out), 1500))
	}
	return nil
}

// unpacked is what a client put into the home of its first start.
func (p *pin) unpacked(parts ...string) string {
	installation := filepath.Dir(filepath.Dir(filepath.Dir(p.path))) // above node_modules/.bin
	return filepath.Join(append([]string{installation, firstHome}, parts...)...)
}

// tail is the end of a text, at most n bytes and a mark that something is
// missing.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return "[…]" + strings.ToValidUTF8(s[len(s)-n:], "")
}
