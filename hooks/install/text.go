package install

import (
	"bytes"
	"embed"
	"errors"
	"strings"
)

// The hooks of git that ChatRail has a part in.
const (
	PostCommit  = "post-commit"
	PostRewrite = "post-rewrite"
	PrePush     = "pre-push"
	PreCommit   = "pre-commit" // the gate, only where it was asked for
)

// allHooks are in the order in which they are reported.
var allHooks = []string{PostCommit, PostRewrite, PrePush, PreCommit}

//go:embed texts
var texts embed.FS

// versions are the names of all texts that were ever installed, the newest
// first. A text that was released stays in the list as it is: a hook is replaced
// or removed only where it is one of them to the letter.
var versions = []string{"1"}

// program is where a text names the program that it calls.
const program = "@PROGRAM@"

// template is the text of a hook before the program is filled in.
func template(version, hook string) []byte {
	text, err := texts.ReadFile("texts/" + version + "-" + hook + ".sh")
	if err != nil {
		return nil // this version had no such hook
	}
	return text
}

// render is the present text of a hook that calls the program at a path.
func render(hook, path string) ([]byte, error) {
	if path == "" || strings.ContainsAny(path, "\n\r\x00") {
		return nil, errors.New("the path of chatrail-hook cannot stand in a script: move it to another folder")
	}
	return bytes.Replace(template(versions[0], hook), []byte(program), []byte(quote(path)), 1), nil
}

func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// Shares in a file that stands where a hook belongs.
type authorship int

const (
	theirs authorship = iota // not a word of ours
	edited                   // ours once, and changed since
	ours                     // a text that was installed, to the letter
)

// mark is in every text of ours.
const mark = `"chatrail install git"`

// author tells who wrote the text of a hook.
func author(hook string, text []byte) authorship {
	for _, v := range versions {
		before, after, ok := bytes.Cut(template(v, hook), []byte(program))
		if !ok || len(text) < len(before)+len(after) || !bytes.HasPrefix(text, before) || !bytes.HasSuffix(text, after) {
			continue
		}
		if isQuoted(string(text[len(before) : len(text)-len(after)])) {
			return ours
		}
	}
	if bytes.Contains(text, []byte(mark)) {
		return edited
	}
	return theirs
}

// isQuoted tells whether a text is what quote makes of some path.
func isQuoted(text string) bool {
	if len(text) < 3 || strings.ContainsAny(text, "\n\r\x00") {
		return false
	}
	path := strings.ReplaceAll(text[1:len(text)-1], `'\''`, "'")
	return text == quote(path)
}
