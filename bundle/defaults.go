package bundle

import "strings"

const (
	unnamedNorth = "Not named yet: what should be true when this work is done?"
	// pythonNorth is the North of a bundle that ChatRail 0.1/0.2 has just made.
	pythonNorth = "Name the main outcome."
)

// Digests of the default state of ChatRail 0.1/0.2.
const (
	pythonCompassDigest = "3b9fcc0eeaf3257acc643944277781c3e9dd73a3613759f43cdc126b9c16bfd1"
	pythonRailDigest    = "fd6e62e3f3f265d0cf213f223c21690642342abb4108298bc707c2e64d9c6f33"
)

// DefaultState is the state of a new bundle. Its North and its first move say
// that they are still to be named.
func DefaultState() State {
	return State{
		Compass: Compass{
			Bearings: Bearings{
				North: "Brings Rail North closer.",
				East:  "Worth doing, but Rail North has to wait for it.",
				South: "Leads away from Rail North, or only looks like progress.",
				West:  "Costs much and pays back little.",
			},
			Heading:    Heading{X: 0, Y: 100, Context: "Nothing has been done yet."},
			Drift:      "None so far.",
			ReturnPath: "Not named yet: agree on North, then choose the first move.",
		},
		Rail: Rail{North: unnamedNorth},
	}
}

// HasNorth reports whether somebody has named a North: it is neither blank nor
// what a new bundle of this or of the Python tool says.
func (r Rail) HasNorth() bool {
	switch strings.TrimSpace(r.North) {
	case "", unnamedNorth, pythonNorth:
		return false
	}
	return true
}

// IsDefault reports whether nothing was said yet: the state is the one that
// this or the Python tool gives a new bundle.
func (s State) IsDefault() bool {
	if s.Compass.Digest() == pythonCompassDigest && s.Rail.Digest() == pythonRailDigest {
		return true
	}
	return s.Equal(DefaultState())
}
