package doctor

import (
	"errors"
	"maps"
	"os"
	"slices"

	"chatrail/hooks/words"
)

func oneLine(s string) string { return words.Cut(words.Harmless(s), 300) }

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// readFile reads a file, and does not wait for one that is none: a named pipe
// would hold up whoever opens it.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	return os.ReadFile(path)
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
