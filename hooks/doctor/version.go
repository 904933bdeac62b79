package doctor

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"time"

	"chatrail/hooks/agent"
)

// How long a client may take to say its version, and how far above its program
// its package is looked for.
const (
	versionTime = 3 * time.Second
	maxAbove    = 4
	maxManifest = 1 << 20
)

var versionLike = regexp.MustCompile(`\b\d+\.\d+\.\d+[-.+0-9A-Za-z]*`)

// version is that of a client's program, "" where it does not say.
func version(ctx context.Context, h agent.Host, path string) string {
	if v := packaged(h, path); v != "" {
		return v
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	// It is given nothing that it could write to, and no settings of anybody.
	nowhere := filepath.Join(os.DevNull, "home")
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + nowhere, "NO_COLOR=1", "CI=1"}
	if runtime.GOOS == "windows" {
		cmd.Env = append(cmd.Env, "SystemRoot="+os.Getenv("SystemRoot"), "PATHEXT="+os.Getenv("PATHEXT"), "USERPROFILE="+nowhere)
	}
	cmd.WaitDelay = 100 * time.Millisecond
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(versionLike.Find(out[:min(len(out), 4096)]))
}

// packages are the npm packages that bring the clients.
var packages = map[agent.Host]string{
	agent.Claude: "@anthropic-ai/claude-code", agent.Codex: "@openai/codex", agent.Gemini: "@google/gemini-cli",
	agent.Copilot: "@github/copilot", agent.OpenCode: "opencode-ai",
}

// packaged is the version of the package that a program lies in: to be read
// without running anything.
func packaged(h agent.Host, path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	for range maxAbove {
		real = filepath.Dir(real)
		manifest := filepath.Join(real, "package.json")
		info, err := os.Stat(manifest)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxManifest {
			continue
		}
		var p struct{ Name, Version string }
		if data, err := os.ReadFile(manifest); err == nil && json.Unmarshal(data, &p) == nil && p.Name == packages[h] {
			return versionLike.FindString(p.Version)
		}
	}
	return ""
}
