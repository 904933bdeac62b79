// Command chatrail keeps the main road of a task outside the conversation with
// a coding agent.
//
// The files of this package parse and print; what a command does is in package
// work.
package main

import (
	"context"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"chatrail/hooks"
)

func main() {
	// A call of a hook by an agent or by git is parsed by hand: it must not pay
	// for the grammar of the other commands.
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		hookMain(os.Args[2:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "statusline" {
		statuslineMain(os.Args[2:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "githook" {
		os.Exit(githookMain(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		os.Exit(mcpMain(os.Args[2:]))
	}
	os.Exit(run(os.Args[1:]))
}

// grammar is what the arguments are parsed by: only the command that they name,
// since kong reflects over all it is given, which takes longer than most commands.
// Help, and words that name no command, get everything.
func grammar(args []string) any {
	if len(args) == 0 {
		return &commands{}
	}
	// An agent runs reconcile on every turn, and check runs at every commit.
	if args[0] == "reconcile" || args[0] == "check" {
		hooks.Lighten()
	}
	all := reflect.TypeFor[commands]()
	for i := range all.NumField() {
		if f := all.Field(i); strings.ToLower(f.Name) == args[0] {
			return reflect.New(reflect.StructOf([]reflect.StructField{{Name: f.Name, Type: f.Type, Tag: f.Tag}})).Interface()
		}
	}
	return &commands{}
}

// run parses and carries out one command, and returns its exit code.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the first asks, the second ends
	a := &app{ctx: ctx, in: os.Stdin, out: &output{Writer: os.Stdout}, err: os.Stderr, env: os.Getenv}
	code := -1
	parser, err := kong.New(grammar(args),
		kong.Name("chatrail"),
		kong.Description("Keeps the main road of a task outside the conversation with a coding agent."),
		kong.UsageOnError(),
		kong.WithHyphenPrefixedParameters(true),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Writers(a.out, a.err),
		kong.Exit(func(c int) { code = c }),
	)
	if err != nil {
		return a.fail(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if slices.ContainsFunc(args, func(arg string) bool { return !utf8.ValidString(arg) }) {
		d, err := a.desk()
		if err == nil {
			err = d.RefuseWords(args)
		}
		return a.fail(err)
	}
	parsed, err := parser.Parse(args)
	if code >= 0 { // --help has been printed
		return code
	}
	if err != nil {
		return a.fail(&usageError{err.Error() + "; see chatrail --help"})
	}
	exit := a.fail(parsed.Run(a))
	if exit == exitDone && a.out.err != nil {
		return a.fail(a.out.err)
	}
	return exit
}

// commands is the grammar of the command line.
type commands struct {
	Init     initCmd     `cmd:"" help:"Give this repository, or this folder, an orientation."`
	Own      ownCmd      `cmd:"" help:"Give this task a road of its own, from the project's present state."`
	Adopt    adoptCmd    `cmd:"" help:"Go on with the bundle of another task."`
	Trust    trustCmd    `cmd:"" help:"Let the words of this place into an agent's context."`
	Reorient reorientCmd `cmd:"" help:"Four lines: North, now, drift, return path."`
	Status   statusCmd   `cmd:"" help:"Bundle, task, pin, review, trust, and when each hook was last seen."`
	Show     showCmd     `cmd:"" help:"The Compass and the Rail, now or at a revision."`
	Log      logCmd      `cmd:"" help:"The revisions, newest first."`
	Events   eventsCmd   `cmd:"" help:"Every event, oldest first, one JSON object a line."`
	Validate validateCmd `cmd:"" help:"Check every digest and every step of a history. Reads only."`

	Reconcile reconcileCmd `cmd:"" help:"Answer the review of a turn; bare, it says that nothing changed."`
	Check     checkCmd     `cmd:"" help:"The commit gate: 1 while something staged is neither declared nor written about."`

	Checkpoint checkpointCmd `cmd:"" help:"Write down what a clearing session would lose, and your prose under it."`

	New    newCmd    `cmd:"" help:"Open an entry of the chronicle: a draft until a commit is stamped on it."`
	Append appendCmd `cmd:"" help:"Add text to the active draft, or to any note."`
	Stamp  stampCmd  `cmd:"" help:"Attach commits to a draft, which publishes it."`
	List   listCmd   `cmd:"" help:"The entries, newest first."`
	Read   readCmd   `cmd:"" help:"One note, as it is."`
	Task   taskCmd   `cmd:"" help:"Work items: new, spec, start, done, cut, list."`
	Memory memoryCmd `cmd:"" help:"Notes in the agent's own project memory that nobody settled."`

	Sync  syncCmd  `cmd:"" help:"Make the orientations here and those of a remote even."`
	Push  pushCmd  `cmd:"" help:"Send the orientations of this repository to a remote."`
	Fetch fetchCmd `cmd:"" help:"Bring what a remote has beside what is here, and change nothing."`

	Install   installCmd   `cmd:"" help:"Wire the agents of this machine, or those named; install git: git's hooks."`
	Uninstall uninstallCmd `cmd:"" help:"Take out what install put in; uninstall git: git's hooks."`

	Doctor doctorCmd `cmd:"" help:"Look whether everything is in order, and say the next step where it is not."`

	Off        offCmd        `cmd:"" help:"Pause, for this task or this place."`
	On         onCmd         `cmd:"" help:"Go on after off."`
	Demo       demoCmd       `cmd:"" help:"Replay a day of work in a scratch repository."`
	Statusline statuslineCmd `cmd:"" help:"One line for Claude Code's status line: North, heading, open loops."`

	Version versionCmd `cmd:"" help:"The version."`
	Hook    hookCmd    `cmd:"" help:"What agents call on every event: chatrail hook HOST."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Serve these commands to an agent as tools of the Model Context Protocol."`
}
