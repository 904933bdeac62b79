package work

// redactor replaces secrets in the texts of one command and counts them.
type redactor struct{ found map[string]int }

func (r *redactor) text(s string) string { return s }

func (r *redactor) rules() map[string]int { return r.found }

func (r *redactor) words() []string { return nil }
