// Package remotetest holds the remotes that tests of sharing talk to: a smart
// HTTP server, a stand-in for ssh, and hooks that decline. Only tests import it.
package remotetest
