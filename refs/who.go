package refs

import (
	"strconv"
	"strings"
	"time"
)

// Who is a person or program as git names one.
type Who struct {
	Name  string
	Email string
}

// ident is "Name <email>" without anything that would break the line.
func (w Who) ident() string {
	name := withoutCrud(w.Name)
	if name == "" {
		name = "ChatRail"
	}
	return name + " <" + withoutCrud(w.Email) + ">"
}

// withoutCrud cleans a part of an identity as git does: no "<", ">", line break
// or NUL anywhere, no white space or punctuation at the edges.
func withoutCrud(text string) string {
	text = strings.TrimFunc(text, func(c rune) bool {
		return c <= ' ' || strings.ContainsRune(".,:;<>\"\\'", c)
	})
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '<' || c == '>' || c == 0 {
			return -1
		}
		return c
	}, text)
}

// committer is the environment that makes git write this identity and time.
func (w Who) committer(when time.Time) []string {
	name, email, _ := strings.Cut(strings.TrimSuffix(w.ident(), ">"), " <")
	return []string{
		"GIT_COMMITTER_NAME=" + name,
		"GIT_COMMITTER_EMAIL=" + email,
		"GIT_COMMITTER_DATE=" + "@" + strconv.FormatInt(when.Unix(), 10) + when.Format(" -0700"),
	}
}
