package objects

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// sharing is what core.sharedRepository asks for: the bits to add to what the
// umask left, or the exact bits.
type sharing struct {
	bits  fs.FileMode // 0: the umask decides
	exact bool        // bits replace the umask's choice
}

// sharingOf reads core.sharedRepository from the repository's own
// configuration file, where `git init --shared` puts it.
func sharingOf(commonDir string) sharing {
	f, err := os.Open(filepath.Join(commonDir, "config"))
	if err != nil {
		return sharing{}
	}
	defer f.Close()
	value, core := "", false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section, _, _ := strings.Cut(line[1:], "]")
			core = strings.EqualFold(strings.TrimSpace(section), "core")
			continue
		}
		key, v, has := strings.Cut(line, "=")
		if core && strings.EqualFold(strings.TrimSpace(key), "sharedrepository") {
			value = strings.ToLower(strings.Trim(strings.TrimSpace(v), `"`))
			if !has {
				value = "true"
			}
		}
	}
	return parseSharing(value)
}

func parseSharing(value string) sharing {
	switch value {
	case "group", "true", "yes", "on", "1":
		return sharing{bits: 0o660}
	case "all", "world", "everybody", "2":
		return sharing{bits: 0o664}
	}
	if n, err := strconv.ParseUint(value, 8, 32); err == nil && n > 0o7 && n&0o600 == 0o600 {
		return sharing{bits: fs.FileMode(n) & 0o666, exact: true}
	}
	return sharing{}
}

// apply gives the mode of a file that the umask gave mode.
func (s sharing) apply(mode fs.FileMode) fs.FileMode {
	bits := s.bits
	if mode&0o200 == 0 {
		bits &^= 0o222
	}
	if s.exact {
		return mode&^0o777 | bits
	}
	return mode | bits
}

// file adjusts a file that was just made. Its failure is no reason to refuse
// the object, as it is none for git on a file system without modes.
func (s sharing) file(f *os.File) {
	if s.bits == 0 {
		return
	}
	if info, err := f.Stat(); err == nil {
		f.Chmod(s.apply(info.Mode().Perm()))
	}
}

// dir adjusts a directory that was just made: who may read may enter, and the
// group is inherited.
func (s sharing) dir(path string) {
	if s.bits == 0 {
		return
	}
	if info, err := os.Stat(path); err == nil {
		mode := s.apply(info.Mode().Perm())
		mode |= mode & 0o444 >> 2
		// On the systems of BSD descent a file has the group of its folder anyway.
		if mode&0o060 != 0 && runtime.GOOS != "darwin" && runtime.GOOS != "freebsd" {
			mode |= fs.ModeSetgid
		}
		os.Chmod(path, mode)
	}
}
