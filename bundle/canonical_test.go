package bundle_test

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatrail/bundle"
)

func TestCanonicalFormsAndDigestsHoldTheVectors(t *testing.T) {
	var vectors []struct {
		Value             json.RawMessage
		Canonical, SHA256 string
	}
	if err := json.Unmarshal(fixture(t, "digest.json"), &vectors); err != nil || len(vectors) < 5 {
		t.Fatal(err, len(vectors))
	}
	for _, v := range vectors {
		tree, err := bundle.ParseJSON(v.Value)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := bundle.Canonical(tree)
		if err != nil || string(canonical) != v.Canonical {
			t.Errorf("got %s, %v, want %s", canonical, err, v.Canonical)
		}
		digest, err := bundle.Digest(tree)
		if err != nil || digest != v.SHA256 {
			t.Errorf("got %s, %v, want %s", digest, err, v.SHA256)
		}
	}
}

func TestCompassAndRailDigestsHoldTheVectors(t *testing.T) {
	rail := bundle.Rail{North: "Ship the parser rewrite"}
	if got := rail.Digest(); got != "71835fe342822236ea4a3d1d845aff52bdd24fb1eede9262327c7886afe943a6" {
		t.Errorf("rail: %s of %s", got, rail.JSON())
	}
	compass := bundle.Compass{
		Bearings:   bundle.Bearings{North: "a", East: "b", South: "c", West: "d"},
		Heading:    bundle.Heading{X: -30, Y: 70, Context: "c"},
		ReturnPath: "r",
	}
	if got := compass.Digest(); got != "d682bfe129494ab46a033e8938fc1b36994e0bcae8accb8fbc8145ce0c4c5326" {
		t.Errorf("compass: %s of %s", got, compass.JSON())
	}
}

func TestNoDigestOfWhatIsNoValue(t *testing.T) {
	for _, v := range []any{1.5, []string{"a"}, struct{}{}, map[string]any{"a": uint8(1)}, []any{"\xff"}, map[string]any{"\xff": nil}, json.RawMessage("1")} {
		if got, err := bundle.Digest(v); err == nil {
			t.Errorf("%#v: got %s", v, got)
		}
	}
}

// anyTree draws what ParseJSON returns.
func anyTree(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), anyText().AsAny(),
		rapid.Just[any](new(big.Int).Lsh(big.NewInt(3), 90)),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	below := anyTree(depth - 1)
	return rapid.OneOf(append(leaves,
		rapid.SliceOfN(below, 0, 3).AsAny(),
		rapid.MapOfN(anyText(), below, 0, 3).AsAny())...)
}

func TestCanonicalFormIsASCIIJSONOfTheSameValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := anyTree(3).Draw(t, "tree")
		canonical, err := bundle.Canonical(tree)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(string(canonical), func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			t.Fatalf("not printable ASCII: %q", canonical)
		}
		again, err := bundle.ParseJSON(canonical)
		if err != nil || !reflect.DeepEqual(again, tree) {
			t.Fatalf("got %#v, %v from %s", again, err, canonical)
		}
	})
}

func TestDigestsAreEqualExactlyIfValuesAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyTree(2).Draw(t, "a"), anyTree(2).Draw(t, "b")
		da, errA := bundle.Digest(a)
		db, errB := bundle.Digest(b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if (da == db) != reflect.DeepEqual(a, b) {
			t.Fatalf("%#v and %#v have %s and %s", a, b, da, db)
		}
	})
}

func TestDigestDoesNotDependOnTheOrderOfKeysOrTheSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(anyText(), anyText(), 0, 8).Draw(t, "object")
		write := func(order []string, spell func(string) string) []byte {
			var b strings.Builder
			b.WriteString(" {")
			for i, key := range order {
				if i > 0 {
					b.WriteString(" ,\n")
				}
				b.WriteString(spell(key) + " : " + spell(object[key]))
			}
			b.WriteString("}")
			return []byte(b.String())
		}
		var order []string
		for key := range object {
			order = append(order, key)
		}
		one := write(order, func(s string) string { b, _ := json.Marshal(s); return string(b) })
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		other := write(order, func(s string) string { b, _ := bundle.Canonical(s); return string(b) })
		if digestOf(t, one) != digestOf(t, other) {
			t.Fatalf("%s and %s differ", one, other)
		}
	})
}

func digestOf(t *rapid.T, data []byte) string {
	tree, err := bundle.ParseJSON(data)
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	digest, err := bundle.Digest(tree)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}
