package chronicle_test

import (
	"testing"

	"chatrail/bundle/chronicle"
)

func TestReferencesFollowARenamedNoteAndNothingElseChanges(t *testing.T) {
	moved := map[string]string{
		"tasks/import.md":               "tasks/import-2.md",
		"entries/2026/11/30-streams.md": "entries/2026/11/30-streams-2.md",
		"entries/2026/11/29-streams.md": "entries/2026/11/29-streams-3.md",
	}
	for _, c := range [][2]string{
		{"closes: [import, other] # which\nadvances: [tasks/import.md, ./tasks/import, import.md]\n", "closes: [import-2, other] # which\nadvances: [tasks/import-2.md, \"./tasks/import-2\", import-2.md]\n"},
		{"status: done\nclosed_by: entries/2026/11/30-streams.md\n", "status: done\nclosed_by: entries/2026/11/30-streams-2.md\n"},
		{"status: done\nclosed_by: 30-streams\n", "status: done\nclosed_by: \"30-streams-2\"\n"},
		{"status: done\nclosed_by: streams\n", ""},               // of either day
		{"closes: [30-streams, tasks/imports.md, im]\n", ""},     // no work item
		{"status: cut\nclosed_by: import\n", ""},                 // a reason
		{"spec: import.md\n", ""},                                // a file of the repository
		{"spec: tasks/import.md\n", "spec: tasks/import-2.md\n"}, // a note
		{"title: import\ntags: [import]\nmine: tasks/import.md\n", ""},
		{"closes: [import]\nclosed_by: [broken\n", ""},
		{"{closes: [import]}\n", ""},
	} {
		before, want := head(c[0])+"closes: [import]\ntasks/import.md\n", c[1]
		if want == "" {
			want = c[0]
		}
		if got := chronicle.Rename([]byte(before), moved); string(got) != head(want)+"closes: [import]\ntasks/import.md\n" {
			t.Errorf("%s became\n%s", before, got)
		}
	}
}
