package work

import "chatrail/hooks/words"

// Words tells an entry of the log, with its changes in lines of their own.
func (e Entry) Words() []string {
	line := shortID(e.Revision) + "  " + e.Time.Local().Format("2006-01-02 15:04") + "  " + words.Harmless(e.Reason)
	if e.Task != "" {
		line += "  (task " + shortID(e.Task)
		if e.Agent != "" {
			line += ", " + words.Harmless(e.Agent)
		}
		line += ")"
	}
	lines := []string{line}
	for _, c := range e.Changes {
		lines = append(lines, "    "+c) // made harmless by whoever worded it
	}
	return lines
}
