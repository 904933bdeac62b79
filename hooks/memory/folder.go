package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
)

// maxName is where Claude Code cuts the name of a folder, in UTF-16 units.
const maxName = 200

// Name is what Claude Code calls the folder of a project: its path with every
// character that is no ASCII letter or digit as a dash. A long one is cut and
// gets a hash of the path. It counts as JavaScript does, so an emoji is two.
func Name(top string) string {
	units := utf16.Encode([]rune(top))
	name := make([]byte, len(units))
	var hash int32
	for i, u := range units {
		hash = hash<<5 - hash + int32(u)
		name[i] = '-'
		if u < 0x80 && isAlnum(byte(u)) {
			name[i] = byte(u)
		}
	}
	if len(name) <= maxName {
		return string(name)
	}
	return string(name[:maxName]) + "-" + strconv.FormatInt(max(int64(hash), -int64(hash)), 36)
}

// Folder is where Claude Code keeps the memory of the project with this top, for
// the user with this home directory. It asks the environment for
// CLAUDE_CONFIG_DIR and CLAUDE_CODE_PROJECT_DIR_NAME, and the user's own
// settings for autoMemoryDirectory. A project's settings are not asked: they
// come with a clone and could point anywhere.
func Folder(env func(string) string, home, top string) (string, error) {
	config := env("CLAUDE_CONFIG_DIR")
	moved := config != ""
	switch {
	case moved && !filepath.IsAbs(config):
		return "", fmt.Errorf("CLAUDE_CONFIG_DIR is the relative path %q: set it to an absolute path", config)
	case !moved && home == "":
		return "", errors.New("the home directory is not known: set HOME, or CLAUDE_CONFIG_DIR to an absolute path")
	case !moved:
		config = filepath.Join(home, ".claude")
	}
	if dir := chosen(config, home); dir != "" {
		return dir, nil
	}
	name := Name(top)
	if own := env("CLAUDE_CODE_PROJECT_DIR_NAME"); moved && isDirName(own) {
		name = own
	}
	return filepath.Join(config, "projects", name, "memory"), nil
}

// chosen is the folder that the user's settings of Claude Code name, "" where
// they name none that can be used.
func chosen(config, home string) string {
	data, err := readPath(filepath.Join(config, "settings.json"), 1<<20)
	var settings struct {
		Dir string `json:"autoMemoryDirectory"`
	}
	if err != nil || json.Unmarshal(data, &settings) != nil || strings.ContainsRune(settings.Dir, 0) {
		return ""
	}
	dir := settings.Dir
	if rest, ok := strings.CutPrefix(dir, "~/"); ok && home != "" {
		if rest = filepath.Clean(rest); rest == "." || !filepath.IsLocal(rest) {
			return ""
		}
		dir = filepath.Join(home, rest)
	}
	if dir = filepath.Clean(dir); !filepath.IsAbs(dir) || len(dir) < 3 {
		return ""
	}
	return dir
}

// isDirName tells what Claude Code takes for a folder name: short, plain, and no
// name of a device on Windows.
func isDirName(name string) bool {
	for _, c := range []byte(name) {
		if !isAlnum(c) && c != '_' && c != '-' {
			return false
		}
	}
	switch low := strings.ToLower(name); {
	case low == "" || len(low) > 64, low == "con", low == "prn", low == "aux", low == "nul":
		return false
	case len(low) == 4 && (low[:3] == "com" || low[:3] == "lpt"):
		return low[3] < '0' || low[3] > '9'
	}
	return true
}

func isAlnum(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}
