package fallback

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"

	"chatrail/refs"
)

// settings are those of git's settings that are known here.
type settings struct {
	fileMode bool   // core.fileMode: the file system knows executable files
	symlinks bool   // core.symlinks: links are links
	excludes string // core.excludesFile: the user's ignore file
}

// readSettings reads the configuration files that git reads, without what they
// include. It refuses one of the repository that is broken, as git does.
func readSettings(repo *refs.Repo) (settings, error) {
	conf := config.New()
	home, _ := os.UserHomeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" {
		xdg = filepath.Join(home, ".config")
	}
	for _, file := range []string{"/etc/gitconfig", filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig")} {
		add(conf, file) // what cannot be read of them is missing
	}
	files := []string{filepath.Join(repo.CommonDir, "config")}
	for i := 0; i < len(files); i++ {
		if err := add(conf, files[i]); err != nil {
			return settings{}, fmt.Errorf("bad configuration in %s: %w", files[i], err)
		}
		if o := conf.Section("extensions").Options; i == 0 && o.Has("worktreeConfig") && !denied(o.Get("worktreeConfig")) {
			files = append(files, filepath.Join(repo.GitDir, "config.worktree"))
		}
	}
	core := conf.Section("core").Options
	s := settings{
		fileMode: !denied(core.Get("fileMode")),
		symlinks: !denied(core.Get("symlinks")),
		excludes: filepath.Join(xdg, "git", "ignore"),
	}
	if core.Has("excludesFile") {
		s.excludes = core.Get("excludesFile")
		if rest, ok := strings.CutPrefix(s.excludes, "~/"); ok {
			s.excludes = filepath.Join(home, rest)
		}
		if s.excludes != "" && !filepath.IsAbs(s.excludes) {
			s.excludes = filepath.Join(repo.WorkTree, s.excludes)
		}
	}
	return s, nil
}

// add reads a file into a configuration; one that is missing is empty.
func add(conf *config.Config, file string) error {
	f, err := openFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return config.NewDecoder(f).Decode(conf)
}

// denied reports whether a setting that holds by default is off.
func denied(value string) bool {
	switch strings.ToLower(value) {
	case "false", "no", "off", "0":
		return true
	}
	return false
}
