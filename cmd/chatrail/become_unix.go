//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"

	"chatrail/hooks/work"
)

// become runs a program in place of this one, with the same streams and the same
// process id, so that a client's signals reach it.
func become(program string, args []string) int {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	fmt.Fprintln(os.Stderr, "chatrail: "+program+" cannot be started: "+work.ErrorLine(err))
	return exitRefused
}
