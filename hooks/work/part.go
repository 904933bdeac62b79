package work

import (
	"strconv"
	"time"

	"chatrail/hooks"
)

// part is one of the times that a hook's limit is shared out in, or that a command
// gives something that can do without: as much longer as hooks.Patience makes the
// whole. On a slow machine all of them are too short together.
func (d *Desk) part(usual time.Duration) time.Duration {
	ms, err := strconv.Atoi(d.Env(hooks.Patience))
	if err != nil {
		return usual
	}
	whole := time.Duration(max(0, min(ms, int(lockTime.Milliseconds())))) * time.Millisecond
	return max(usual, time.Duration(float64(usual)*float64(whole)/float64(hooks.Limit)))
}
