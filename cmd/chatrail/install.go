package main

import (
	"os"

	"chatrail/hooks"
	"chatrail/hooks/install"
	"chatrail/refs"
)

type installCmd struct {
	Agents wireCmd       `cmd:"" default:"withargs" help:"Wire the agents: have them call the hook, and let them run their review."`
	Git    installGitCmd `cmd:"" help:"post-commit stamps the drafts of the task that commits, post-rewrite carries stamps over an amend or a rebase, pre-push takes the orientation along where git config chatrail.push is true. A hook that is there runs on."`
}

type uninstallCmd struct {
	Agents unwireCmd       `cmd:"" default:"withargs" help:"Take out of the agents' settings what install put there."`
	Git    uninstallGitCmd `cmd:"" help:"Take git's hooks away and put back what was there before."`
}

type installGitCmd struct {
	Gate   bool `help:"Also pre-commit: a commit waits until its paths are declared or written about."`
	Shared bool `help:"Also where others get the hooks: files of the project, a folder for all repositories."`
	JSON   bool `help:"Print JSON."`
}

func (c *installGitCmd) Run(a *app) error {
	program, err := hooks.HookProgram()
	if err != nil {
		return err
	}
	repo, err := here()
	if err != nil {
		return err
	}
	report, err := install.Git(a.ctx, repo, install.Options{Program: program, Gate: c.Gate, Shared: c.Shared})
	return a.report(report, err, c.JSON)
}

type uninstallGitCmd struct {
	JSON bool `help:"Print JSON."`
}

func (c *uninstallGitCmd) Run(a *app) error {
	repo, err := here()
	if err != nil {
		return err
	}
	report, err := install.Ungit(a.ctx, repo)
	if err == nil && len(report.Hooks) == 0 && !c.JSON {
		a.lines("Nothing of ChatRail's is in " + report.Folder + ".")
	}
	return a.report(report, err, c.JSON)
}

// here is the repository that one stands in.
func here() (*refs.Repo, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return refs.Discover(dir)
}

// report says what became of each hook, also of those before an error.
func (a *app) report(r *install.Report, err error, asJSON bool) error {
	if r == nil {
		return err
	}
	if asJSON && err == nil {
		err = a.json(r)
	} else {
		for _, h := range r.Hooks {
			a.lines(h.Words())
		}
		a.lines(r.Notes...)
	}
	if err == nil && r.LeftAlone() {
		return &quietError{exitRefused}
	}
	return err
}
