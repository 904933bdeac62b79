// Package memory reads the project memory that Claude Code keeps on its own,
// and remembers which of its notes were settled.
//
// Claude Code writes one Markdown file a fact into
//
//	~/.claude/projects/<name>/memory/
//
// beside an index MEMORY.md. The form is not documented, so reading is lenient:
// what makes no sense is passed over with a reason and is never a failure. A
// note of type project is an obligation until somebody resolves or ignores it,
// and again when its bytes change.
//
// Everything here only reads. No text of a note leaves the package but its name
// and description, bounded and harmless, and of a note that looks like it holds
// a secret not even those. Files of the state home and the command line are for
// others.
package memory
