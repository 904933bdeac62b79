package wire

import (
	"bytes"

	"chatrail/hooks/packages"
)

// ownFile works out what becomes of a file that is ours alone.
func (e Env) ownFile(p place, f *file, rec *record, in bool) (*edit, Outcome, error) {
	var want []byte
	if p.kind == rulesFile {
		want = e.rulesText(p)
	} else {
		want = e.pluginText(p)
	}
	pristine := signed(f.text)
	switch {
	case !in && (f.missing || !claimed(f.text)):
		return nil, Untouched, nil
	case !in && !pristine, in && !f.missing && claimed(f.text) && !pristine:
		return nil, "", &aloneError{"it was edited since ChatRail wrote it: take the edit out, or the file away"}
	case !in:
		return &edit{remove: true}, Removed, nil
	case want == nil:
		return nil, Untouched, nil
	case !f.missing && !pristine && len(f.text) > 0:
		return nil, "", &aloneError{"it is not ChatRail's: move it away"}
	case bytes.Equal(f.text, want):
		return nil, Present, nil
	}
	r := &record{Path: f.path, Before: digest(f.text), After: digest(want), Created: true}
	if rec != nil {
		r.Folders = rec.Folders
	}
	outcome := Wired
	if pristine {
		outcome = Renewed
	}
	return &edit{text: want, rec: r}, outcome, nil
}

// pluginText is opencode's plugin, which calls the hook.
func (e Env) pluginText(p place) []byte {
	hook := "" // as the search path leads to it
	if p.scope == User {
		hook = e.Hook
	}
	return sign("//", string(packages.OpenCodePlugin(hook)))
}
