// Package tools offers what the commands do to an agent as tools of the Model
// Context Protocol, and the orientation as a resource. A tool decodes its
// arguments, asks package work, and says what came of it: nothing is decided
// here but who asks and from which folder.
//
// Every byte of the list of tools is paid for by somebody's context, so there are
// few of them with few words; a test holds the size.
package tools
