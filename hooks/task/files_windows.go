package task

import "os"

// syncFolder does nothing: Windows has no sync of a folder, and its file
// system journals renames.
func syncFolder(*os.Root) error { return nil }
