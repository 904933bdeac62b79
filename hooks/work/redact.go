package work

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"chatrail/bundle"
	"chatrail/hooks/secret"
)

// redactor replaces secrets in the texts of one command and counts them. Every
// text passes it before the first byte of it is stored. The zero value is ready.
type redactor struct{ found map[string]int }

// text is s with its secrets replaced.
func (r *redactor) text(s string) string {
	clean, found := secret.Redact(s)
	if r.found == nil {
		r.found = found
		return clean
	}
	for rule, n := range found {
		r.found[rule] += n
	}
	return clean
}

// path is a path with its secrets replaced. What a rule takes for the end of a
// secret is none in a name: each part is looked at by itself, and without its
// extension.
func (r *redactor) path(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		stem := strings.TrimSuffix(part, path.Ext(part))
		if clean := r.text(stem); clean != stem {
			part = clean + path.Ext(part)
		}
		parts[i] = r.text(part)
	}
	return r.text(strings.Join(parts, "/"))
}

// line is a line in which names of files may stand, with its secrets replaced.
func (r *redactor) line(s string) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		words[i] = r.path(word)
	}
	return r.text(strings.Join(words, " "))
}

// rules counts what was replaced by the rule that found it, nil for none.
func (r *redactor) rules() map[string]int { return r.found }

// words says to whoever wrote it what was replaced, nil for nothing.
func (r *redactor) words() []string { return replaced(r.found) }

// replaced is the line that tells of replaced secrets.
func replaced(found map[string]int) []string {
	if len(found) == 0 {
		return nil
	}
	n := 0
	for _, hits := range found {
		n += hits
	}
	what := fmt.Sprintf("%d secrets were", n)
	if n == 1 {
		what = "1 secret was"
	}
	return []string{what + " replaced before anything was stored: " + strings.Join(slices.Sorted(maps.Keys(found)), ", ") + "."}
}

// request takes the secrets out of an answer. The id of the review is only
// repeated in refusals; what is one passes unchanged.
func (r *redactor) request(q *Request) {
	q.Review = r.text(q.Review)
	q.Reason = r.text(oneLine(q.Reason))
	q.Patch = q.Patch.Map(r.text)
	q.Short = q.Short.Map(r.text)
	for _, names := range [][]string{q.Declare.Advance, q.Declare.Close} {
		for i := range names {
			names[i] = r.text(names[i])
		}
	}
	q.stood = &stood{redactor: r}
}

// tell lets an outcome say what was replaced. A rule that is broken then may be
// broken by that: two ids that became one, a text that grew.
func (r *redactor) tell(a *Answer, err error) (*Answer, error) {
	if r.found == nil {
		return a, err
	}
	if a != nil {
		a.Redacted = r.found
	}
	var spooled *SpooledError
	var rule *bundle.RuleError
	switch {
	case errors.As(err, &spooled):
		spooled.redacted = r.found
	case errors.As(err, &rule):
		err = &RefusedError{rule.Error() + "; " + strings.TrimSuffix(r.words()[0], ".") + "; leave them out and answer again"}
	}
	return a, err
}

// tellNoted is tell for a change of the chronicle.
func (r *redactor) tellNoted(n *Noted, err error) (*Noted, error) {
	if n != nil {
		n.Redacted = r.found
	}
	var spooled *SpooledError
	if errors.As(err, &spooled) {
		spooled.redacted = r.found
	}
	return n, err
}

// ParsePatch reads the patch of one truth, or of both where target is "". A
// refusal repeats a value, and cuts it: it is made of what has no secrets left.
func ParsePatch(target bundle.Target, data []byte) (bundle.Patch, error) {
	p, err := parsePatch(target, data)
	if err == nil {
		return p, nil
	}
	var secrets redactor
	if clean := secrets.text(string(data)); secrets.found != nil {
		if _, err = parsePatch(target, []byte(clean)); err == nil {
			err = &RefusedError{"the patch cannot be read: look at the values that hold secrets"}
		}
	}
	return p, err
}

func parsePatch(target bundle.Target, data []byte) (bundle.Patch, error) {
	if target == "" {
		return bundle.ParsePatches(data)
	}
	return bundle.ParsePatch(target, data)
}

// stood is where whoever answers stands, looked up when it is first needed.
type stood struct {
	known        bool
	branch, head string
	redactor     *redactor
}

// stands is the branch and the commit that an answer was given on. A name of a
// branch is somebody's text as well.
func (d *Desk) stands(r Request) (branch, head string) {
	s := r.stood
	if s == nil {
		s = &stood{redactor: &redactor{}}
	}
	if !s.known {
		s.branch, s.head = d.where()
		s.branch, s.known = s.redactor.text(s.branch), true
	}
	return s.branch, s.head
}
