package refs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// format is what the configuration of a repository says about its shape.
type format struct {
	version        string // "" where the file does not say: then git ignores the rest
	bare           *bool
	worktree       string
	worktreeConfig bool
	objectFormat   string
	refStorage     string
	shared         sharing
	unknown        string // an extension that we do not know
	v1Only         string // an extension that means nothing before version 1
}

// readFormat reads <commondir>/config. As in git's own look at the format,
// includes are not followed; core.sharedRepository is therefore seen only where
// the repository itself says it, which is where "git init --shared" writes it.
func readFormat(commonDir string) (format, error) {
	f := format{objectFormat: "sha1", refStorage: "files"}
	data, err := os.ReadFile(filepath.Join(commonDir, "config"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return f, nil
		}
		return f, err
	}
	eachSetting(data, func(s setting) {
		switch {
		case s.subsection != "":
		case s.section == "core":
			f.core(s)
		case s.section == "extensions":
			f.extension(s)
		}
	})
	if f.version == "" {
		return format{objectFormat: "sha1", refStorage: "files", shared: f.shared}, nil
	}
	return f, f.verify()
}

func (f *format) core(s setting) {
	switch s.key {
	case "repositoryformatversion":
		f.version = s.value
	case "sharedrepository":
		f.shared = parseSharing(s)
	default:
		f.place(s)
	}
}

// place takes the two settings that config.worktree may hold as well.
func (f *format) place(s setting) {
	switch s.key {
	case "bare":
		bare := s.boolean()
		f.bare = &bare
	case "worktree":
		f.worktree = s.value
	}
}

func (f *format) extension(s setting) {
	switch s.key {
	case "noop", "preciousobjects", "partialclone":
	case "worktreeconfig":
		f.worktreeConfig = s.boolean()
	case "noop-v1", "relativeworktrees":
		f.v1Only = s.key
	case "objectformat":
		f.v1Only, f.objectFormat = s.key, s.value
	case "refstorage":
		f.v1Only, f.refStorage = s.key, s.value
	default:
		f.unknown = s.key
	}
}

func (f *format) verify() error {
	version, err := strconv.Atoi(f.version)
	switch {
	case err != nil || version < 0 || version > 1:
		return fmt.Errorf("%w: core.repositoryformatversion is %q", ErrUnsupported, f.version)
	case version == 0 && f.v1Only != "":
		return fmt.Errorf("%w: extensions.%s needs core.repositoryformatversion 1", ErrUnsupported, f.v1Only)
	case version == 1 && f.unknown != "":
		return fmt.Errorf("%w: extensions.%s is not known", ErrUnsupported, f.unknown)
	case f.objectFormat != "sha1" && f.objectFormat != "sha256":
		return fmt.Errorf("%w: extensions.objectformat is %q", ErrUnsupported, f.objectFormat)
	}
	return nil
}

// addWorktreeConfig lets <gitdir>/config.worktree speak after the common
// configuration, where the extension says that there is one.
func (f *format) addWorktreeConfig(gitDir string) {
	data, err := os.ReadFile(filepath.Join(gitDir, "config.worktree"))
	if err != nil {
		return
	}
	eachSetting(data, func(s setting) {
		if s.section == "core" && s.subsection == "" {
			f.place(s)
		}
	})
}
