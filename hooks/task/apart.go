package task

import "chatrail/hooks/agent"

// Apart is where the environment says that a task works, and where it does.
type Apart struct {
	Said  string `json:"said"`
	Works string `json:"works"`
}

// ApartIn tells of an environment in which a client names another place as its
// project than the one that a working directory lies in: it stays at the folder
// that the session began in. The zero value is that none does, as far as can be
// told.
func ApartIn(env func(string) string, cwd string, clients ...agent.Host) Apart {
	works := ""
	for _, h := range clients {
		said := env(h.ProjectVariable())
		if said == "" || said == cwd || cwd == "" {
			continue
		}
		if works == "" {
			works = Folder(cwd)
		}
		if there := Folder(said); there != "" && works != "" && there != works {
			return Apart{Said: there, Works: works}
		}
	}
	return Apart{}
}
