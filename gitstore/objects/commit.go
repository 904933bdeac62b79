package objects

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Signature says who made a commit, and when (to the second, in UTC).
type Signature struct {
	Name  string
	Email string
	When  time.Time
}

// CommitData is the content of a commit as ChatRail writes and reads it. Other
// headers, such as a signature, are skipped on reading.
type CommitData struct {
	Tree      string
	Parents   []string
	Author    Signature
	Committer Signature
	Message   string
}

// Encode makes the data of the commit. Names and addresses lose what would
// break the header; times before 1970 become 1970.
func (c CommitData) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\n", c.Author)
	fmt.Fprintf(&b, "committer %s\n", c.Committer)
	b.WriteByte('\n')
	b.WriteString(strings.ReplaceAll(c.Message, "\x00", ""))
	return b.Bytes()
}

// Clean is the signature as git would write it: without what does not belong
// into a name or an address.
func (s Signature) Clean() Signature {
	return Signature{Name: crudless(s.Name), Email: crudless(s.Email), When: s.When}
}

// String is the signature as a commit header holds it.
func (s Signature) String() string {
	s = s.Clean()
	return fmt.Sprintf("%s <%s> %d +0000", s.Name, s.Email, max(s.When.Unix(), 0))
}

// crudless drops what git does not allow in a name or an address.
func crudless(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Trim(s, " .,:;\"\\'")
}

// DecodeCommit reads the data of a commit. It returns ErrBroken where the tree
// or a parent is not named by a full id, and where the headers do not stand as
// git writes them: git stops looking for parents at the author, so one behind
// that would be a parent for us alone.
func (h Hash) DecodeCommit(data []byte) (CommitData, error) {
	var c CommitData
	head, message, ok := bytes.Cut(data, []byte("\n\n"))
	if !ok {
		head, message = bytes.TrimSuffix(data, []byte("\n")), nil
	}
	c.Message = string(message)
	rest := string(head)
	next := func(key string) (value string, ok bool) {
		line, after, _ := strings.Cut(rest, "\n")
		if value, ok = strings.CutPrefix(line, key+" "); ok {
			rest = after
		}
		return value, ok
	}
	var sound [3]bool
	c.Tree, sound[0] = next("tree")
	for id, ok := next("parent"); ok; id, ok = next("parent") {
		c.Parents = append(c.Parents, id)
	}
	author, ok := next("author")
	c.Author, sound[1] = parseSignature(author), ok
	committer, ok := next("committer")
	c.Committer, sound[2] = parseSignature(committer), ok
	for _, key := range []string{"tree", "parent", "author", "committer"} {
		if strings.Contains("\n"+rest, "\n"+key+" ") {
			return c, ErrBroken
		}
	}
	// git ends a commit that holds a zero byte there.
	if sound != [3]bool{true, true, true} || bytes.IndexByte(data, 0) >= 0 {
		return c, ErrBroken
	}
	for _, id := range append([]string{c.Tree}, c.Parents...) {
		if !h.Valid(id) {
			return c, ErrBroken
		}
	}
	return c, nil
}

// lastSecond is the end of the year 9999: a time behind it cannot be written as
// dates are.
const lastSecond = 253402300799

// parseSignature reads "Name <mail> seconds zone". What it cannot read stays
// empty, and the time 1970, as git has it: a foreign signature is nobody's
// reason to refuse a commit.
func parseSignature(s string) Signature {
	name, rest, _ := strings.Cut(s, " <")
	mail, when, _ := strings.Cut(rest, "> ")
	seconds, _, _ := strings.Cut(when, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || n < 0 || n > lastSecond {
		n = 0
	}
	return Signature{Name: name, Email: mail, When: time.Unix(n, 0).UTC()}
}
