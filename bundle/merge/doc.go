// Package merge is the rule by which two histories of one bundle become one:
// a function of the histories, the same for every backend and on every machine.
// docs/merge.md is its specification, with examples.
//
// The content of a merge depends on the revisions below it that are no merges,
// and on which of them has which below it; never on who merged what first. So
// two machines that hold the same revisions hold the same road, whatever way it
// came to them, and a merge is verified by making it again.
//
// The package reads a History, writes nothing and looks at no clock.
package merge

// Version is the version of the rule. A merge of a higher one is read, and
// neither made nor verified.
const Version = 1
