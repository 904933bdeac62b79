package turn

import (
	"os"
	"testing"
)

const goldenTable = "testdata/table.md"

// The printed table is what people read, so a change of a rule has to show up
// there. UPDATE_GOLDEN=1 writes it anew.
func TestPrintedTableIsTheTableInUse(t *testing.T) {
	got := Table()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(goldenTable, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenTable)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the table changed; run the test with UPDATE_GOLDEN=1 and read the difference\n%s", got)
	}
}
