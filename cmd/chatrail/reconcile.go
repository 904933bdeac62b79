package main

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"chatrail/bundle"
	"chatrail/hooks/work"
)

type reconcileCmd struct {
	ID string `arg:"" optional:"" help:"The review, as the hook printed it."`
	session
	ReviewID string `help:"The review, in place of ID." placeholder:"ID"`
	Reason   string `help:"Why something changed; needed with a change." placeholder:"TEXT"`

	Compass *string `help:"Patch: JSON, @FILE, or -." placeholder:"JSON" group:"What changed"`
	Rail    *string `help:"Patch: JSON, @FILE, or -. With - one document {\"compass\":…, \"rail\":…} is read." placeholder:"JSON" group:"What changed"`

	North   *string  `help:"The main outcome is this." placeholder:"TEXT" group:"What changed"`
	Done    bool     `help:"What was next is finished; the head of the route follows." group:"What changed"`
	Next    *string  `help:"This is next." placeholder:"TEXT" group:"What changed"`
	Open    []string `help:"A question opened." placeholder:"TEXT" sep:"none" group:"What changed"`
	Answer  []string `help:"A question is settled." placeholder:"ID" sep:"none" group:"What changed"`
	Park    []string `help:"Put aside for later." placeholder:"ID" sep:"none" group:"What changed"`
	Resume  []string `help:"Taken up again: it is next." placeholder:"ID" sep:"none" group:"What changed"`
	Heading *string  `help:"Where the work points: 0,100 is straight to North, 30,70 is 30% useful side work." placeholder:"X,Y" group:"What changed"`
	Now     *string  `help:"Where the work stands." placeholder:"TEXT" group:"What changed"`
	Drift   *string  `help:"What the drift is." placeholder:"TEXT" group:"What changed"`
	Return  *string  `help:"The move that leads back to North." placeholder:"TEXT" group:"What changed"`

	Advance []string `help:"The changed paths are work on this item; a work item that waits is started." placeholder:"ITEM" sep:"none" group:"What the changes are work on"`
	Close   []string `help:"They finish this item." placeholder:"ITEM" sep:"none" group:"What the changes are work on"`
	NoTask  bool     `help:"They are work on no item." group:"What the changes are work on"`

	JSON bool `help:"Print JSON."`
}

// maxDocument bounds a patch that is read from a file or a pipe, in bytes.
const maxDocument = 1 << 20

func (c *reconcileCmd) Run(a *app) error {
	r, err := c.request(a)
	if err != nil {
		return err
	}
	d, err := a.desk()
	if err != nil {
		return err
	}
	answer, err := d.Reconcile(a.ctx, r)
	var stale *work.StaleError
	if errors.As(err, &stale) {
		if c.JSON {
			return errors.Join(a.json(stale), err)
		}
		a.lines(stale.PresentWords())
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return a.json(answer)
	}
	a.lines(answer.Words()...)
	return nil
}

// request is what the command line asks for.
func (c *reconcileCmd) request(a *app) (work.Request, error) {
	for flag, text := range map[string]*string{"heading": c.Heading, "compass": c.Compass, "rail": c.Rail} {
		if text != nil && strings.TrimSpace(*text) == "" {
			return work.Request{}, &usageError{"--" + flag + " needs words"}
		}
	}
	r := work.Request{Review: c.ID, Session: c.SessionID, Reason: c.Reason}
	switch {
	case c.ID != "" && c.ReviewID != "" && c.ID != c.ReviewID:
		return r, &usageError{"two different review ids; give one"}
	case c.ID == "":
		r.Review = c.ReviewID
	}
	var err error
	if r.Patch, err = c.patch(a.in); err != nil {
		return r, err
	}
	r.Short = bundle.Short{
		North: c.North, Done: c.Done, Next: c.Next, Open: c.Open, Answer: c.Answer, Park: c.Park, Resume: c.Resume,
		Now: c.Now, Drift: c.Drift, Return: c.Return,
	}
	r.Declare = work.Declare{Advance: c.Advance, Close: c.Close, NoTask: c.NoTask}
	if c.Heading != nil {
		x, y, err := heading(*c.Heading)
		if err != nil {
			return r, err
		}
		r.Short.HeadingX, r.Short.HeadingY = &x, &y
	}
	return r, nil
}

// patch reads --compass and --rail. "-" in either place is one document with
// both.
func (c *reconcileCmd) patch(in io.Reader) (bundle.Patch, error) {
	compass, rail := text(c.Compass), text(c.Rail)
	if compass == "-" || rail == "-" {
		if compass != "" && rail != "" && compass != rail {
			return bundle.Patch{}, &usageError{"with - the whole patch is read from standard input: give one of --compass and --rail"}
		}
		data, err := readAll(in)
		if err != nil {
			return bundle.Patch{}, err
		}
		return work.ParsePatch("", data)
	}
	whole := bundle.Patch{}
	for _, given := range []struct {
		target bundle.Target
		text   string
	}{{bundle.TargetCompass, compass}, {bundle.TargetRail, rail}} {
		if given.text == "" {
			continue
		}
		data := []byte(given.text)
		if path, ok := strings.CutPrefix(given.text, "@"); ok {
			f, err := os.Open(path)
			if err != nil {
				return whole, err
			}
			defer f.Close()
			if data, err = readAll(f); err != nil {
				return whole, err
			}
		}
		p, err := work.ParsePatch(given.target, data)
		if err != nil {
			return whole, err
		}
		if whole, err = whole.Merge(p); err != nil {
			return whole, err
		}
	}
	return whole, nil
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err == nil && len(data) > maxDocument {
		return nil, &usageError{"the patch is larger than 1 MiB: live truths are summaries"}
	}
	return data, err
}

// heading reads X,Y.
func heading(s string) (x, y int, err error) {
	bad := &usageError{"--heading " + strconv.Quote(s) + " is not X,Y: two multiples of ten with |X|+|Y| = 100, as in 30,70"}
	left, right, ok := strings.Cut(s, ",")
	if !ok {
		return 0, 0, bad
	}
	if x, err = strconv.Atoi(strings.TrimSpace(left)); err != nil {
		return 0, 0, bad
	}
	if y, err = strconv.Atoi(strings.TrimSpace(right)); err != nil {
		return 0, 0, bad
	}
	return x, y, nil
}

// text is what a flag was given, "" where it was not.
func text(flag *string) string {
	if flag == nil {
		return ""
	}
	return *flag
}
