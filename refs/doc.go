// Package refs finds a git repository by reading its files, reads HEAD and
// references, and moves the references of ChatRail by compare-and-swap under
// git's own lock files.
//
// The read path starts no process and does no work before it is called: it is
// linked into the program that an agent runs on every turn. What this package
// does not know, another reference storage for example, it asks the git
// program. It knows nothing of bundles and of what a reference points to, and
// it imports neither a git library nor anything else of ours.
package refs
