package words

// Captured tells a context after a compaction what was written down, and asks for
// what only the session knows. command takes text on standard input and stands
// alone on its line.
func Captured(path, holds, command string) string {
	text := "Before the compaction ChatRail wrote down " + Cut(Harmless(holds), 500) + ", in " + Cut(Harmless(path), 200) + ". " +
		"Why, what failed and what is half done only this session knows: if you still do, add it in a few sentences, on standard input of\n" + command
	return text
}

// KeepHeading begins the lines for whoever sums a context up.
const KeepHeading = "Keep in the summary (recorded by ChatRail):"
