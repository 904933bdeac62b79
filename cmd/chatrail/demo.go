package main

import (
	"context"
	"os"

	"chatrail/cmd/chatrail/demo"
)

type demoCmd struct {
	Keep string `help:"Play in this new folder and keep it." placeholder:"DIR"`
}

func (c *demoCmd) Run(a *app) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(a.ctx, demo.Limit)
	defer cancel()
	return demo.Run(ctx, demo.Options{Self: self, Out: a.out, Keep: c.Keep})
}
