package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"chatrail/refs/remotetest"
)

// served is the key of a script's servers, by the variable that holds their URL.
type served struct{}

// serve VARIABLE [RULE ...] serves the repositories of the current folder over
// smart HTTP and puts the URL into the variable. A second time it gives the server
// other rules: login=USER:PASSWORD, readonly, forbidden, broken, hang.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: serve VARIABLE [RULE ...]")
	}
	var rules remotetest.Rules
	for _, rule := range args[1:] {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "login":
			rules.User, rules.Password, _ = strings.Cut(value, ":")
		case "readonly":
			rules.ReadOnly = true
		case "forbidden":
			rules.Forbidden = true
		case "broken":
			rules.Broken = true
		case "hang":
			rules.Hang = true
		default:
			ts.Fatalf("%q is no rule", rule)
		}
	}
	servers := ts.Value(served{}).(map[string]*remotetest.Server)
	if s, ok := servers[args[0]]; ok {
		s.Set(rules)
		return
	}
	s, err := remotetest.Serve(ts.MkAbs("."), rules)
	ts.Check(err)
	ts.Defer(s.Close)
	servers[args[0]] = s
	ts.Setenv(args[0], s.URL)
}

// sshCommand is ssh works|asks FILE: it writes a stand-in for ssh, one that gets
// there, or one that wants a passphrase.
func sshCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ssh works|asks FILE")
	}
	write := remotetest.SSH
	if args[0] == "asks" {
		write = remotetest.Asking
	}
	ts.Check(write(ts.MkAbs(args[1])))
}
