package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"chatrail/hooks/work"
)

// become runs a program with the streams of this one, and ends as it does.
func become(program string, args []string) int {
	signal.Ignore(os.Interrupt) // the console tells both
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "chatrail: "+program+" cannot be started: "+work.ErrorLine(err))
	return exitRefused
}
