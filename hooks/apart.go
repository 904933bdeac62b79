package hooks

import (
	"chatrail/hooks/task"
	"chatrail/hooks/turn"
)

// apart notes at a prompt that the work is in another work tree than the
// environment says: the payload counts, and `status` shows it.
func (d *delivery) apart() (changed bool) {
	if d.p.Event.Kind != turn.Prompt {
		return false
	}
	// Its own client's word alone: what started that one may have left another.
	now := task.ApartIn(d.Env, d.p.CWD, d.p.Host)
	changed = d.receipt.Apart != now
	d.receipt.Apart = now
	return changed
}
