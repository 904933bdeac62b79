package bundle

import "strings"

// Field names a top-level field of a live truth that a patch can replace.
type Field string

// Every field there is.
const (
	FieldDrift      Field = "compass.drift"
	FieldHeading    Field = "compass.heading"
	FieldReturnPath Field = "compass.return_path"
	FieldNext       Field = "rail.next"
	FieldNorth      Field = "rail.north"
	FieldOpen       Field = "rail.open"
	FieldParked     Field = "rail.parked"
	FieldRoute      Field = "rail.route"
)

// Fields lists every Field, sorted.
func Fields() []Field {
	return []Field{FieldDrift, FieldHeading, FieldReturnPath,
		FieldNext, FieldNorth, FieldOpen, FieldParked, FieldRoute}
}

// FieldDigests has a short digest of each field's value: the first 16 hex
// digits of the SHA-256 of its canonical JSON. A review remembers them to know
// later which fields have changed.
func (s State) FieldDigests() map[Field]string {
	digests := make(map[Field]string)
	for _, f := range Fields() {
		digests[f] = hexSum(mustCanonical(s.field(f)))[:16]
	}
	return digests
}

// field is the value tree of a field.
func (s State) field(f Field) any {
	target, key := f.split()
	if target == TargetCompass {
		return s.Compass.field(key)
	}
	return s.Rail.field(key)
}

func (f Field) split() (Target, string) {
	target, key, _ := strings.Cut(string(f), ".")
	return Target(target), key
}
