package work

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"chatrail/hooks/task"
	"chatrail/hooks/words"
	"chatrail/refs"
)

// Carrier brings what this repository has below refs/chatrail/ to a remote that
// the user is pushing to: remote is the name that git gives the pre-push hook, or
// the URL where there is none, url the one of its URLs that is pushed to. It asks
// nothing of anybody, ends with its context, and gives a remote that does not
// answer half of that time.
type Carrier func(ctx context.Context, remote, url string) (CarryResult, error)

// CarryResult is what a Carrier came to. An error beside it stands for every
// reference that is not in it.
type CarryResult struct {
	Kept []KeptRef // what the remote does not have now; it has the others
}

// KeptRef is a reference that did not get to the remote.
type KeptRef struct {
	Ref string // full name
	Why string // one line
}

// Carried is what became of the orientation beside the user's own push.
type Carried struct {
	Lines []string // what the person is told, mostly nothing
	Late  bool     // time ran out, and something of it may still be running
}

// How much of a push hook's time is left for what comes after the carrying: git
// that is asked to stop has a second for it, then what is owed is written down.
const (
	stopTime = 1300 * time.Millisecond
	noteTime = 300 * time.Millisecond
)

// PrePush takes the orientation of the repository along with the user's own push,
// which in describes as git does. What does not get through is queued, and said
// once. Nothing here fails.
func (d *Desk) PrePush(ctx context.Context, remote, address string, in io.Reader) Carried {
	if d.Carry == nil || remote == "" {
		return Carried{}
	}
	roads := d.roads()
	if len(roads) == 0 || pushesOurs(in) {
		return Carried{}
	}
	result, late, err := d.carry(ctx, remote, address)
	kept := map[string]string{}
	for _, k := range result.Kept {
		kept[k.Ref] = reason(k.Why)
	}
	if err != nil {
		for _, p := range roads {
			if kept[p.Ref] == "" {
				kept[p.Ref] = reason(err.Error())
			}
		}
	}
	to := task.Remote{Name: withoutCredentials(remote), URL: withoutCredentials(address)}
	if to.URL == to.Name {
		to.URL = "" // it has no name
	}
	return Carried{Lines: d.owe(ctx, roads, to, kept), Late: late}
}

// roads are the places of the bundles that a push from here takes along, the
// project's first. There are none while ChatRail is paused here.
func (d *Desk) roads() []task.Place {
	repo, err := refs.DiscoverEnv(d.Dir, d.Env)
	if err != nil || repo.OwnedByOther() {
		return nil
	}
	list, _ := repo.List(refs.Namespace) // a broken reference is another command's to tell
	var roads []task.Place
	on := 0
	for _, r := range list {
		below := r.Name[len(refs.Namespace):]
		if r.Name != refs.Project() && !strings.HasPrefix(below, "at/") && !strings.HasPrefix(below, "task/") {
			continue
		}
		p := task.Place{Kind: task.KindGit, Path: repo.CommonDir, Ref: r.Name}
		if !d.Home.PlaceOff(p) {
			on++
		} else if r.Name == refs.Project() {
			return nil
		}
		roads = append(roads, p)
	}
	if on == 0 {
		return nil
	}
	if key := d.task(""); key != "" {
		if r, err := d.Home.LoadReceipt(key); err == nil && r.Paused {
			return nil
		}
	}
	slices.SortStableFunc(roads, func(a, b task.Place) int { return rank(a) - rank(b) })
	return roads
}

func rank(p task.Place) int {
	if p.Ref == refs.Project() {
		return 0
	}
	return 1
}

// pushesOurs tells whether the user's push is itself one of references of ours.
// Git has looked where they are at the remote: moved by us meanwhile, they would
// be refused. What git gives the hook is a line for each reference, "<local ref>
// <local id> <remote ref> <remote id>", of which the first may hold blanks. What
// cannot be read may be one.
func pushesOurs(in io.Reader) bool {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) >= 4 && strings.HasPrefix(words[len(words)-2], refs.Namespace) {
			return true
		}
	}
	return lines.Err() != nil
}

// errLate says that a carrier had no more time.
var errLate = errors.New("no answer in the time that a push may wait")

// carry calls the carrier, lets go of it when the time is up, and outlives it.
func (d *Desk) carry(ctx context.Context, remote, address string) (CarryResult, bool, error) {
	in, stop := earlier(ctx, stopTime)
	defer stop()
	last, end := earlier(ctx, noteTime)
	defer end()
	type outcome struct {
		result CarryResult
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if bug := recover(); bug != nil {
				done <- outcome{err: d.crashed(bug, debug.Stack())}
			}
		}()
		result, err := d.Carry(in, remote, address)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		late := in.Err() != nil
		if late && errors.Is(o.err, context.DeadlineExceeded) {
			o.err = errLate
		}
		return o.result, late, o.err
	case <-last.Done():
		return CarryResult{}, true, errLate
	}
}

// crashFile is where the state home keeps the last bug that a push met.
const crashDir, crashFile = "crash", "pre-push.txt"

// crashed keeps what is known of a bug and returns the reason that is said of it.
func (d *Desk) crashed(bug any, stack []byte) error {
	var red redactor
	text := red.text(fmt.Sprintf("%s\n%v\n\n%s", d.Now().UTC().Format(time.RFC3339), bug, stack))
	if err := d.Home.ReplaceFile(crashDir, crashFile, []byte(text)); err != nil {
		return fmt.Errorf("a bug in chatrail: %v", bug)
	}
	return fmt.Errorf("a bug in chatrail, kept in crash/%s of the state home: %v", crashFile, bug)
}

// owe writes down what is owed and what is no longer, and returns what is news.
func (d *Desk) owe(ctx context.Context, roads []task.Place, to task.Remote, kept map[string]string) []string {
	var news, causes, arrived []string
	for _, p := range roads {
		cause, owed := kept[p.Ref]
		if !owed {
			if was, err := d.paid(ctx, p, to, to.URL); err == nil && was {
				arrived = append(arrived, p.Ref)
			}
			continue
		}
		first, err := d.Home.Queue(ctx, p, to, cause)
		if err != nil {
			news, causes = []string{p.Ref}, []string{cause, "it cannot be noted as owed either: " + reason(err.Error())}
			break
		}
		if !first {
			continue
		}
		news = append(news, p.Ref)
		if !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	remote := words.Cut(words.Harmless(to.Name), 120)
	var lines []string
	if len(news) > 0 {
		lines = append(lines, "chatrail: "+these(news, roads)+" did not go along to "+remote+": "+
			strings.Join(causes[:min(len(causes), 2)], "; ")+"; the next push tries again")
	}
	if len(arrived) > 0 {
		lines = append(lines, "chatrail: "+these(arrived, roads)+", owed to "+remote+", has arrived")
	}
	return lines
}

// these names some of the roads: all of them are the orientation, and so is the
// project's for whoever has no other in mind.
func these(some []string, roads []task.Place) string {
	switch {
	case len(some) == len(roads) || some[0] == refs.Project():
		return "the orientation"
	case len(some) == 1:
		return words.Harmless(some[0])
	}
	return fmt.Sprintf("%s and %d more", words.Harmless(some[0]), len(some)-1)
}

// reason makes one short line of what a remote, git or a bug said, without
// secrets.
func reason(text string) string {
	var red redactor
	if text = words.Cut(words.Harmless(red.line(text)), 240); text == "" {
		return "no reason was given"
	}
	return strings.ReplaceAll(text, "ˋ", "`") // a command of ours is to be copied from a terminal
}

// withoutCredentials is a URL, or a name, without what lets somebody in. The user
// of ssh://git@host stays, who does not.
func withoutCredentials(text string) string {
	var red redactor
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return red.line(text)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return red.line(scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:])
	case u.User == nil:
		return red.line(text)
	case strings.Contains(u.Scheme, "ssh"):
		u.User = url.User(u.User.Username())
	default:
		u.User = nil
	}
	return red.line(u.String())
}
