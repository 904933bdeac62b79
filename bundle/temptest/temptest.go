// Package temptest says where tests keep their files.
//
// Tests make thousands of small repositories and state homes, and what is tested
// asks for each of its writes to reach the disk. On a disk the tests mostly wait
// for that. No test pulls the plug: in memory the same calls are made, and what
// they show is the same.
package temptest

import "os"

// InMemory has the temporary files of this process, and of those that it starts,
// kept in memory where the machine offers that with room enough. A TMPDIR that
// somebody set stands. It is for the beginning of TestMain.
func InMemory() {
	if _, set := os.LookupEnv("TMPDIR"); set {
		return
	}
	if dir := memory(); dir != "" {
		os.Setenv("TMPDIR", dir)
	}
}
