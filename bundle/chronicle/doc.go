// Package chronicle holds the notes of a bundle: entries and work items, which
// are Markdown with YAML front matter, and the checkpoint as text.
//
// Everything here is a function of bytes and values: no file, no clock, no
// store. A caller reads a note, hands its bytes in with the moment and who
// acts, and records the bytes that come back.
//
// An entry is entries/YYYY/MM/DD-slug.md, a work item tasks/slug.md:
//
//	---
//	title: The importer streams
//	date: 2026-11-30
//	time: 14:05:09Z
//	tags: [importer, memory]
//	task: "3f9a1c0b7d2e"
//	hash: "9f3c2ab4d1e0"
//	stat: {f: 3, a: 120, d: 14}
//	---
//
//	<!-- chatrail:block 2026-11-30T14:05:09Z 7c1e task=3f9a1c0b7d2e -->
//	What happened, byte for byte as it was given.
//	<!-- chatrail:end 7c1e -->
//
// People edit notes by hand, so reading is lenient and writing is careful: an
// edit changes the lines of the keys it is about and no other byte, and front
// matter that cannot be understood is read as far as it goes and never written.
package chronicle
