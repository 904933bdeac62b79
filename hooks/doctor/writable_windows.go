package doctor

import "os"

// mayWrite asks whether a folder is there: who may write is only told by writing.
func mayWrite(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
