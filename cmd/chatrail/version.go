package main

import (
	"fmt"
	"runtime/debug"

	"chatrail/hooks/packages"
)

// version is the version of the program. A release sets it with -ldflags.
var version = packages.Version

type versionCmd struct {
	JSON bool `help:"Print JSON."`
}

func (c *versionCmd) Run(a *app) error {
	if c.JSON {
		return a.json(map[string]string{"version": version})
	}
	text := "chatrail " + version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				text += " (" + s.Value[:12] + ")"
			}
		}
		text += " " + info.GoVersion
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}
