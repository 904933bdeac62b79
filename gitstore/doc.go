// Package gitstore keeps a bundle on a private reference of a git repository:
// every revision is a commit, its tree holds the two live truths, the event
// that made it and the notes.
//
// The work tree, the index, HEAD, the configuration and every other reference
// stay as they are, whatever happens. The package knows what a bundle is and
// how it lies in git; how a reference moves is the business of package refs,
// how an object is stored that of package objects.
package gitstore
