// Package task holds what ChatRail knows about one task of an agent on this
// machine: where the state home is, which bundle a task is pinned to, its
// receipt, what was last read and said, which bundles are trusted, and the
// places where text waits that could not be recorded yet.
//
// It is linked into the program that agents run on every turn, so it imports
// only the standard library, the lock, refs and the state of a turn, and does
// no work before it is called. It never opens a bundle's store: it compares
// references and bytes, and leaves meaning to its callers.
//
// Everything below the state home is 0700 and 0600, made when it is first
// written and never by reading. No link is followed below it, and nothing is
// deleted by itself.
package task
