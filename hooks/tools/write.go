package tools

import (
	"fmt"
	"slices"
	"strings"

	"chatrail/bundle"
	"chatrail/hooks/work"
)

func reconcile(c *call) (a answer, err error) {
	var args struct {
		common
		Reason                     string
		Done                       bool
		Next, North, Now, Drift    *string
		Return                     *string
		Heading                    []int
		Open, Answer, Park, Resume []string
		Compass, Rail              patch
		Advance, Close             []string
		NoTask                     bool `json:"no_task"`
	}
	if err = c.args(&args); err != nil {
		return a, err
	}
	r := work.Request{
		Review: args.Review, Reason: args.Reason,
		Short: bundle.Short{
			North: args.North, Done: args.Done, Next: args.Next, Open: args.Open, Answer: args.Answer, Park: args.Park, Resume: args.Resume,
			Now: args.Now, Drift: args.Drift, Return: args.Return,
		},
		Declare: work.Declare{Advance: args.Advance, Close: args.Close, NoTask: args.NoTask},
	}
	switch len(args.Heading) {
	case 0:
	case 2:
		r.Short.HeadingX, r.Short.HeadingY = &args.Heading[0], &args.Heading[1]
	default:
		return a, &work.UsageError{Text: "heading has two numbers, east and north, multiples of ten with |x|+|y| = 100, as in [30,70]"}
	}
	for _, given := range []struct {
		target bundle.Target
		patch  patch
	}{{bundle.TargetCompass, args.Compass}, {bundle.TargetRail, args.Rail}} {
		if given.patch.json == nil {
			continue
		}
		p, err := work.ParsePatch(given.target, given.patch.json)
		if err != nil {
			return a, err
		}
		if r.Patch, err = r.Patch.Merge(p); err != nil {
			return a, err
		}
	}
	done, err := c.desk.Reconcile(c.ctx, r)
	if err != nil {
		return a, err
	}
	return answer{value: done, words: strings.Join(done.Words(), "\n")}, nil
}

func checkpoint(c *call) (a answer, err error) {
	var args struct {
		common
		Text, Note string
		DryRun     bool `json:"dry_run"`
	}
	if err = c.args(&args); err != nil {
		return a, err
	}
	if !args.DryRun {
		if err = c.needTask(); err != nil {
			return a, err
		}
	}
	done, err := c.desk.Checkpoint(c.ctx, work.CheckpointRequest{Prose: args.Text, Note: args.Note, DryRun: args.DryRun})
	switch {
	case err != nil:
		return a, err
	case args.DryRun:
		return answer{value: done, words: done.Text}, nil
	}
	return answer{value: done, words: strings.Join(done.Words(), "\n")}, nil
}

// deeds are what note does, with the arguments that each takes beside those of
// every tool; the first of them has to be given.
var deeds = map[string]struct {
	do    work.Deed
	takes []string
}{
	"new":       {work.DoNew, []string{"title", "text", "tags", "summary", "closes", "advances"}},
	"append":    {work.DoAppend, []string{"text", "note"}},
	"work_item": {work.DoWorkItem, []string{"title", "text", "tags", "summary", "effort"}},
	"spec":      {work.DoSpec, []string{"note", "ref"}},
	"start":     {work.DoStart, []string{"note"}},
	"done":      {work.DoDone, []string{"note", "ref"}},
	"cut":       {work.DoCut, []string{"note", "ref"}},
}

func note(c *call) (a answer, err error) {
	var args struct {
		common
		Do                                      string
		Title, Text, Note, Summary, Effort, Ref string
		Tags, Closes, Advances                  []string
	}
	if err = c.args(&args); err != nil {
		return a, err
	}
	deed, ok := deeds[args.Do]
	if !ok {
		return a, &work.UsageError{Text: fmt.Sprintf("do is %q: it is one of new, append, work_item, spec, start, done, cut", bundle.OneLine(args.Do, 60))}
	}
	given := map[string]bool{
		"title": args.Title != "", "text": args.Text != "", "note": args.Note != "", "summary": args.Summary != "", "effort": args.Effort != "",
		"ref": args.Ref != "", "tags": args.Tags != nil, "closes": args.Closes != nil, "advances": args.Advances != nil,
	}
	if !given[deed.takes[0]] {
		return a, &work.UsageError{Text: args.Do + " needs " + deed.takes[0]}
	}
	if args.Do == "spec" && args.Ref == "" {
		return a, &work.UsageError{Text: "spec needs ref: a note, or a path in the repository"}
	}
	for _, name := range c.known {
		if given[name] && !slices.Contains(deed.takes, name) {
			return a, &work.UsageError{Text: args.Do + " takes no " + name + ": it takes " + strings.Join(deed.takes, ", ")}
		}
	}
	if err = c.needTask(); err != nil {
		return a, err
	}
	done, err := c.desk.Note(c.ctx, work.Noting{
		Do: deed.do, Note: args.Note, Title: args.Title, Text: args.Text, Tags: args.Tags, Summary: args.Summary, Effort: args.Effort,
		Closes: args.Closes, Advances: args.Advances, Ref: args.Ref,
	}, "")
	if err != nil {
		return a, err
	}
	return answer{value: done, words: strings.Join(done.Words(), "\n")}, nil
}
