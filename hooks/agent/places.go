package agent

// Registered is where the client's hooks are registered for a user, below "~",
// and for a project, from its top: a file, a folder that ends in a slash, or a
// pattern.
func (h Host) Registered() (user, project string) { return h.facts().user, h.facts().project }
