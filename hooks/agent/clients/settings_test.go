//go:build agents

package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// placeholder stands for a key. Nothing that the suite starts knows a real one.
const placeholder = "test-key"

type object = map[string]any

// writeJSON writes a settings file of a client.
func (r *run) writeJSON(file string, v object) {
	r.t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	must(r.t, err)
	r.writeFile(file, string(data)+"\n")
}

func (r *run) writeFile(file, text string) {
	r.t.Helper()
	must(r.t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(r.t, os.WriteFile(file, []byte(text), 0o600))
}
