package work

import "chatrail/hooks/task"

// foreign says that an agent asks about another work tree than the one that the
// hooks of its session look at. An agent may run checkpoint and reconcile without
// being asked, in Codex outside its sandbox, and in whatever folder it likes:
// one that it has filled itself must not have git run a program of its choice.
// Where the session works the hooks ask git anyway.
func (d *Desk) foreign(key string, receipt task.Receipt, dir string) bool {
	if !d.byAgent() && key == "" {
		return false // a person, who may run git there as well
	}
	return receipt.CWD == "" || task.Folder(dir) != task.Folder(receipt.CWD)
}

// byAgent says that an agent asks, as far as that is known.
func (d *Desk) byAgent() bool {
	_, _, ok := task.InAgent(d.Env)
	return ok || d.Agent
}
