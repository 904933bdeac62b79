// Package objects reads and writes the objects of a git repository: blobs,
// trees and commits, named by their ids in lower-case hex.
//
// What was written lately is read in place, without starting a process; what
// has been packed is asked of one `git cat-file`; where there is no git
// program a library reads the packs. Writes are loose files that are synced
// before anybody may refer to them, or one pack where there are many. The
// package knows nothing of bundles and never touches a reference.
package objects
