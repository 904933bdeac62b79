package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const ledgerID = "0123456789abcdef0123456789abcdef"

func TestWritersOfALedgerSideBySideLoseNothing(t *testing.T) {
	h := Home{Dir: filepath.Join(realTemp(t), "state")}
	const writers = 20
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			_, err := h.EditMemory(context.Background(), ledgerID, func(old []byte) ([]byte, bool, error) {
				return fmt.Appendf(old, "%d\n", i), false, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	data, err := h.LoadMemory(ledgerID)
	must(t, err)
	if n := strings.Count(string(data), "\n"); n != writers {
		t.Errorf("%d of %d are there:\n%s", n, writers, data)
	}
}

func TestALedgerThatCannotBeReadIsKeptAside(t *testing.T) {
	h := Home{Dir: filepath.Join(realTemp(t), "state")}
	if data, err := h.LoadMemory(ledgerID); data != nil || err != nil {
		t.Errorf("none is there: %q, %v", data, err)
	}
	must(t, h.ReplaceFile(memoryDir, ledgerID+".json", []byte("damaged")))
	aside, err := h.EditMemory(context.Background(), ledgerID, func(old []byte) ([]byte, bool, error) {
		return []byte("new"), string(old) == "damaged", nil
	})
	must(t, err)
	if old, err := os.ReadFile(aside); string(old) != "damaged" {
		t.Errorf("aside, in %s: %q, %v", aside, old, err)
	}
	if data, err := os.ReadFile(h.MemoryPath(ledgerID)); string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
	// What was refused leaves everything as it is.
	refused := errors.New("refused")
	if _, err := h.EditMemory(context.Background(), ledgerID, func([]byte) ([]byte, bool, error) { return []byte("x"), true, refused }); !errors.Is(err, refused) {
		t.Error(err)
	}
	if data, _ := h.LoadMemory(ledgerID); string(data) != "new" {
		t.Errorf("%q", data)
	}
	for _, id := range []string{"", "../x", strings.ToUpper(ledgerID), ledgerID + "0"} {
		if _, err := h.EditMemory(context.Background(), id, func([]byte) ([]byte, bool, error) { return []byte("x"), false, nil }); err == nil {
			t.Errorf("%q names a ledger", id)
		}
	}
}
