package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"

	"chatrail/hooks/agent"
)

// edit is a change of one file.
type edit struct {
	text   []byte // what is to stand there
	remove bool   // nothing: the file was ours alone
	rec    *record
}

// settings is a file with hooks in it, and what of it is to be ours.
type settings struct {
	env   Env
	place place
	rules []string // permissions that are to be there
}

// body is a settings file from behind its byte order mark.
func body(text []byte) []byte { return bytes.TrimPrefix(text, bom) }

// blank tells of a file that holds nothing.
func blank(text []byte) bool { return len(bytes.Trim(body(text), " \t\r\n")) == 0 }

// fresh is what a file begins with that was not there.
func (s settings) fresh() []byte {
	if s.place.host == agent.Copilot {
		return []byte("{\n  \"version\": 1\n}\n")
	}
	return []byte("{}\n")
}

// check tells why a client would not read a file as it is, or "".
func (s settings) check(text []byte) string {
	if s.place.host != agent.Codex || blank(text) {
		return ""
	}
	var top map[string]json.RawMessage
	if bytes.HasPrefix(text, bom) {
		return "Codex reads no file that begins with a byte order mark: save it without"
	}
	if !json.Valid(text) {
		if _, err := parse(text); err != nil {
			return err.Error()
		}
		return "Codex reads no comments and no trailing commas: take them out"
	}
	if json.Unmarshal(text, &top) != nil {
		return errNoObject.Error()
	}
	for key := range top {
		if key != "hooks" && key != "description" {
			return "Codex reads no hooks.json that holds anything but \"description\" and \"hooks\": move the rest away"
		}
	}
	return ""
}

// wired lists, for each event, the lines that call the hook for it, own those of
// them that do nothing else and so may be taken out.
func (s settings) wired(d *document) map[string][]string { return s.lines(d, withMore) }
func (s settings) own(d *document) map[string][]string   { return s.lines(d, onlyCall) }

func (s settings) lines(d *document, least call) map[string][]string {
	lines := map[string][]string{}
	root := d.composite(&d.root)
	for _, m := range root.children {
		if m.key != "hooks" || m.value.Value.Kind() != '{' {
			continue
		}
		for _, event := range d.composite(m.value).children {
			for _, group := range d.elements(event.value) {
				for _, handler := range append([]*hujson.Value{group}, d.elements(d.memberOf(group, "hooks"))...) {
					if d.call(s.place.host, handler) >= least {
						lines[event.key] = append(lines[event.key], d.line(handler))
					}
				}
			}
		}
	}
	return lines
}

func (d *document) elements(v *hujson.Value) []*hujson.Value {
	if v == nil || v.Value.Kind() != '[' {
		return nil
	}
	var list []*hujson.Value
	for _, c := range d.composite(v).children {
		list = append(list, c.value)
	}
	return list
}

func (d *document) memberOf(v *hujson.Value, key string) *hujson.Value {
	if v == nil || v.Value.Kind() != '{' {
		return nil
	}
	return d.composite(v).member(key)
}

// permitted lists the permissions that are in a document.
func (d *document) permitted() []string {
	v := &d.root
	for _, key := range allowPath {
		v = d.memberOf(v, key)
	}
	var list []string
	for _, e := range d.elements(v) {
		list = append(list, stringOf(e))
	}
	return list
}

// complete tells whether all is registered as this version would, once.
func (s settings) complete(d *document) bool {
	lines := s.own(d)
	for _, r := range s.place.host.Wired() {
		if !slices.Equal(lines[r.Event], []string{s.env.command(s.place, r.Event)}) {
			return false
		}
		delete(lines, r.Event)
	}
	there := d.permitted()
	return len(lines) == 0 && !slices.ContainsFunc(s.rules, func(rule string) bool { return !slices.Contains(there, rule) })
}

// install works out what the file is to be. A nil edit is one that changes
// nothing; renewed says that something of ours was there.
func (s settings) install(f *file, rec *record) (e *edit, renewed bool, err error) {
	if why := s.check(f.text); why != "" {
		return nil, false, &aloneError{why}
	}
	base, created, folders := f.text, f.missing, []string(nil)
	if !blank(f.text) {
		d, err := parse(body(f.text))
		if err != nil {
			return nil, false, &aloneError{err.Error()}
		}
		if s.complete(d) {
			return nil, true, nil
		}
		if renewed = len(s.own(d)) > 0; renewed {
			out, err := s.uninstall(f, rec)
			if err != nil {
				return nil, true, err
			}
			base = out.text
			if rec != nil {
				created, folders = out.remove, rec.Folders
			}
		}
	}
	e, err = s.put(base)
	if err != nil {
		return nil, renewed, &aloneError{err.Error()}
	}
	e.rec.Path, e.rec.Created, e.rec.Folders = f.path, created, folders
	return e, renewed, nil
}

// put adds all that is ours to a text that holds nothing of it.
func (s settings) put(base []byte) (*edit, error) {
	text, start := body(base), len(base)-len(body(base))
	empty := blank(base)
	if empty {
		if text = s.fresh(); len(body(base)) > 0 && body(base)[0] != ' ' {
			text = bytes.TrimSuffix(text, []byte("\n")) // its line end is there
		}
	}
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	var adds []addition
	for _, r := range s.place.host.Wired() {
		adds = append(adds, addition{[]string{"hooks", r.Event}, s.env.group(s.place, r)})
	}
	rec := &record{Before: digest(base)}
	for _, rule := range s.rules {
		if !slices.Contains(d.permitted(), rule) {
			adds = append(adds, addition{allowPath, rule})
			rec.Rules = append(rec.Rules, rule)
		}
	}
	list, made, err := d.insert(adds)
	if err != nil {
		return nil, err
	}
	rec.Made = made
	if empty {
		list = []splice{{At: 0, Text: string(apply(text, list))}}
	}
	for i := range list {
		list[i].At += start
	}
	rec.Put = list
	after := apply(base, list)
	if len(after) > maxFile {
		return nil, errors.New("with the hooks it would be larger than " + strconv.Itoa(maxFile>>10) + " KiB")
	}
	if _, err = parse(body(after)); err != nil {
		return nil, err // never a file that could not be read again
	}
	rec.After = digest(after)
	return &edit{text: after, rec: rec}, nil
}

// uninstall works out what the file was. A nil edit is one that changes nothing.
func (s settings) uninstall(f *file, rec *record) (*edit, error) {
	if f.missing || blank(f.text) {
		return nil, nil
	}
	d, err := parse(body(f.text))
	if err != nil {
		if !mentions(s.place.host, f.text) {
			return nil, nil
		}
		return nil, &aloneError{err.Error()}
	}
	hooked := len(s.own(d)) > 0
	o := ours{
		handler: func(v *hujson.Value) bool { return d.call(s.place.host, v) == onlyCall },
		// A rule alone may be a person's own.
		rule:  func(rule string) bool { return hooked && ownRule().MatchString(rule) },
		empty: func([]string) bool { return true },
	}
	if s.place.host == agent.Claude {
		o.rules = [][]string{allowPath}
	}
	if rec != nil {
		o.rule = func(rule string) bool { return slices.Contains(rec.Rules, rule) }
		o.empty = func(path []string) bool {
			return slices.ContainsFunc(rec.Made, func(p []string) bool { return slices.Equal(p, path) })
		}
		if text, ok := rec.undo(f.text); ok && s.clean(text) {
			return &edit{text: text, remove: rec.Created && blank(text)}, nil
		}
	} else if s.alone(d, f.text) {
		return &edit{remove: true}, nil
	}
	if !d.holds(o) {
		return nil, nil
	}
	text, err := d.strip(o)
	if err != nil {
		return nil, &aloneError{err.Error()}
	}
	return &edit{
		text:   append(slices.Clone(f.text[:len(f.text)-len(d.text)]), text...),
		remove: rec != nil && rec.Created && s.nothing(text),
	}, nil
}

// alone tells whether a text is what an installation makes of no file at all, by
// whatever path the hook and chatrail had then.
func (s settings) alone(d *document, text []byte) bool {
	for _, lines := range s.own(d) {
		s.env.Hook = Called(s.place.host, lines[0])
	}
	s.rules = slices.DeleteFunc(d.permitted(), func(rule string) bool { return !ownRule().MatchString(rule) })
	e, err := s.put(nil)
	return err == nil && bytes.Equal(e.text, text)
}

// clean tells whether a text can be read and holds no line of ours.
func (s settings) clean(text []byte) bool {
	if blank(text) {
		return true
	}
	d, err := parse(body(text))
	return err == nil && len(s.own(d)) == 0
}

// nothing tells whether only what a file begins with is left, with no comment.
func (s settings) nothing(text []byte) bool {
	squeeze := func(b []byte) string {
		return string(bytes.Map(func(r rune) rune {
			if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
				return -1
			}
			return r
		}, b))
	}
	return squeeze(text) == squeeze(s.fresh())
}
