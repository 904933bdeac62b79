package refs

import "strings"

// validName applies the rules of git check-ref-format to a name below refs/.
// They also keep a name inside the git dir: no component begins with a dot.
func validName(name string) bool {
	if !strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, ".") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c == 0x7f || strings.IndexByte("~^:?*[\\", c) >= 0 {
			return false
		}
	}
	return true
}

// perWorktree reports whether each linked work tree has its own reference of
// this name.
func perWorktree(name string) bool {
	return !strings.HasPrefix(name, "refs/") ||
		strings.HasPrefix(name, "refs/bisect/") ||
		strings.HasPrefix(name, "refs/worktree/") ||
		strings.HasPrefix(name, "refs/rewritten/")
}

// isHex reports whether a text is made of hexadecimal digits, as ids are.
func isHex(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return false
		}
	}
	return text != ""
}

// isID reports whether a text is an object id of this repository as we write
// it: whole, in lower case.
func (r *Repo) isID(text string) bool {
	return len(text) == r.idLength() && isHex(text) && text == strings.ToLower(text)
}
