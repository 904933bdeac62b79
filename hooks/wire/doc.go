// Package wire registers the hook with the clients that people use, and takes it
// out again: it edits their settings as a careful person would, leaving every
// byte that is not its own.
//
// What is registered comes from package agent. The files of this package are
// the places (place.go), the words (command.go, rule.go), the editor (text.go,
// insert.go, remove.go), files and what is remembered about them (file.go,
// record.go), and what is done with all of it (install.go, uninstall.go,
// look.go). It knows no command line and prints nothing.
package wire
