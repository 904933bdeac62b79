// Package worktree tells what a git work tree is like at this moment: where
// HEAD stands, which operation is in progress, which paths are changed and with
// what content, and which commits were made here since some moment.
//
// HEAD, the operation and the reflog are read from the repository's files; the
// changed paths are git's own answer, one process, because no other reader of
// an index agrees with git. Nothing here writes: no lock, no index, no
// reference, no object.
//
// Beside the standard library the package imports only refs. A reader for
// machines without a git program is injected (see Options.Fallback), so that
// nobody links it who does not want it.
package worktree
