// Package bundle holds the domain of ChatRail: the two live truths Compass and
// Rail, the events that changed them, digests, patches, and the Store interface
// that every backend implements.
//
// It knows no git, no hook and no command line. Its sub-packages are the
// backends that need no git (dir, mem) and the contract suite (storetest) that
// every backend has to pass.
package bundle

// Names of the files of a bundle, the same in a directory and in a git tree.
const (
	CompassFile = "working.compass.yaml"
	RailFile    = "conversation.rail.yaml"
	EventsFile  = "orientation.events.jsonl"
)

// Bounds of the live truths: they are summaries, not transcripts.
const (
	MaxString = 2000      // characters in one string
	MaxList   = 200       // items in one list
	MaxFile   = 64 * 1024 // bytes in one live file, as written
)

// Target names one of the two live truths in a patch or a transition.
type Target string

// The two live truths, in the order in which an event lists them.
const (
	TargetCompass Target = "compass"
	TargetRail    Target = "rail"
)

// Item is one thing on the Rail. ID and Summary are never empty, and an ID
// stands once in a whole Rail.
type Item struct {
	ID      string
	Summary string
}

// Rail is the agreed road.
type Rail struct {
	North  string
	Next   *Item // nil: nothing is next
	Route  []Item
	Open   []Item
	Parked []Item
}

// Bearings are the definitions of the four fixed directions. Their coordinates
// are constants of the format: north [0,100], east [100,0], south [0,-100],
// west [-100,0].
type Bearings struct {
	North, East, South, West string
}

// Heading is where the work points: X east, Y north, multiples of ten with
// |X|+|Y| = 100.
type Heading struct {
	X, Y    int
	Context string
}

// Compass is where the work actually stands and points.
type Compass struct {
	Bearings   Bearings
	Heading    Heading
	Drift      string
	ReturnPath string
}

// State is one value of both live truths.
type State struct {
	Compass Compass
	Rail    Rail
}

// Map returns the state with every string but the bearings, which are fixed,
// replaced by what fn makes of it.
func (s State) Map(fn func(string) string) State {
	c, r := &s.Compass, &s.Rail
	for _, text := range []*string{&c.Heading.Context, &c.Drift, &c.ReturnPath, &r.North} {
		*text = fn(*text)
	}
	if r.Next != nil {
		r.Next = &Item{ID: fn(r.Next.ID), Summary: fn(r.Next.Summary)}
	}
	for _, list := range []*[]Item{&r.Route, &r.Open, &r.Parked} {
		var mapped []Item
		for _, i := range *list {
			mapped = append(mapped, Item{ID: fn(i.ID), Summary: fn(i.Summary)})
		}
		*list = mapped
	}
	return s
}
