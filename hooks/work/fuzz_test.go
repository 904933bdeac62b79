package work

import (
	"encoding/json"
	"testing"

	"chatrail/bundle"
	"chatrail/bundle/chronicle"
	"chatrail/bundle/draft"
)

// FuzzWaitingChange reads what might lie in a drop box: whatever it holds, it is
// refused or makes notes that a bundle takes.
func FuzzWaitingChange(f *testing.F) {
	for _, seed := range []string{
		`{"op":"new","title":"Notes","text":"one","id":"a","at":"2026-03-01T09:00:00Z"}`,
		`{"op":"append","note":"x","text":"---\n<!-- chatrail:end a -->","id":"a","at":"2026-03-01T09:00:00Z"}`,
		`{"op":"stamp","note":"x","commits":[{"ID":"abababababab","Files":-1}],"closes":["y","z"],"at":"2026-03-01T09:00:00Z"}`,
		`{"op":"task done","note":"y","ref":"\u0000","at":"0000-01-01T00:00:00Z"}`,
		`{"op":"checkpoint","title":"../../x","covers":["-->"],"state":" ","at":"9999-12-31T23:59:59Z"}`,
	} {
		f.Add([]byte(seed))
	}
	notes := map[string][]byte{
		"entries/2026/01/01-x.md": []byte("---\ntitle: X\n---\n\nfree text\n"),
		"tasks/y.md":              []byte("---\ntitle: Y\nstatus: doing\n---\n"),
		"tasks/broken.md":         []byte("---\ntitle: [\n---\n"),
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var n Noting
		if json.Unmarshal(data, &n) != nil {
			return
		}
		var r redactor
		n.redact(&r)
		if checkText(n.Text) != nil {
			return
		}
		x := &chronicle.Index{}
		for path, data := range notes {
			x.Add(path, data)
		}
		w, err := n.write(x, func(path string) ([]byte, error) {
			if data, ok := notes[path]; ok {
				return data, nil
			}
			return nil, bundle.ErrNotFound
		})
		if err != nil {
			return
		}
		if err := draft.Check(bundle.Draft{State: bundle.DefaultState(), Notes: w.notes}); err != nil {
			t.Fatalf("%s makes notes that no bundle takes: %v", data, err)
		}
		for _, note := range w.notes {
			if _, there := notes[note.Path]; w.made && note.Path == w.path && there {
				t.Fatalf("%s takes the place of %s", data, note.Path)
			}
			if chronicle.Read(note.Data).Broken != nil {
				t.Fatalf("%s breaks %s:\n%s", data, note.Path, note.Data)
			}
		}
	})
}
