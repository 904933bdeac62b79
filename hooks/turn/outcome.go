package turn

// Orientation is how much of the bundle is said.
type Orientation string

// The orientations. The zero value is silence.
const (
	NoOrientation       Orientation = ""
	FullOrientation     Orientation = "full"
	ChangedOrientation  Orientation = "changed"   // only Outcome.Changed
	ReadOnlyOrientation Orientation = "read-only" // full, for a child, which writes nothing
	UntrustedLine       Orientation = "untrusted" // the fixed line without a word of the bundle
)

// ReviewLine is how the question of the turn is put.
type ReviewLine string

// The review lines. The zero value is silence.
const (
	NoLine     ReviewLine = ""
	LineInFull ReviewLine = "in full"
	LineShort  ReviewLine = "short"
)

// Outcome is what an event asks for, beside the state that follows from it.
type Outcome struct {
	Orientation Orientation
	// Changed lists the fields to say with ChangedOrientation, sorted.
	Changed []string
	// AfterCompaction asks for what the checkpoint captured and for the prose
	// that only the session knows. It comes without an orientation in the
	// default state, and never while the bundle is not trusted.
	AfterCompaction bool
	// ReviewLine puts the question of State.Review; OpenedReview says that the
	// review is new.
	ReviewLine   ReviewLine
	OpenedReview bool
	// Block holds the stop up, once, for State.Review.
	Block bool
	// Drain asks to record what the drop box holds. At a stop that comes first:
	// where it answered the review, Step is asked again with the state it left.
	Drain bool
	// Checkpoint asks for a checkpoint, unless one of the same state exists.
	Checkpoint bool
	// Before asks to say which task came before in this place, once.
	Before bool
	// WarnFrozen asks to tell the person, once, why the bundle is frozen.
	WarnFrozen bool
	// Write says that the state changed and has to be kept.
	Write bool
}

// speaks says that the outcome has words for somebody.
func (o Outcome) speaks() bool {
	return o.Orientation != NoOrientation || o.AfterCompaction || o.ReviewLine != NoLine || o.Block || o.WarnFrozen || o.Before
}
