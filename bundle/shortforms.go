package bundle

import (
	"fmt"
	"slices"
	"strings"
)

// Short is a change said in a few words instead of as a patch. Its parts act
// together, in whatever order they were said:
//
//   - North, Now (the context of the heading), Drift and Return replace a text.
//   - HeadingX and HeadingY, only both, turn the heading and keep its context.
//   - Done: what is next is finished. The head of the route follows, unless
//     Next or Resume say what does.
//   - Next becomes next: the item of the route with this summary or id, else a
//     new item. What was next before goes to the head of the route, unless it
//     is Done or parked, so that nothing is lost.
//   - Open adds open items, but none whose summary is open already.
//   - Answer removes open items by their ids.
//   - Park moves items by their ids from next, route or open to the end of
//     parked. Where it takes what is next, the road goes on: the head of the
//     route follows, as with Done.
//   - Resume moves parked items by their ids back onto the road: the first is
//     next, the others follow it in the order given, all behind Next where that
//     is said too.
type Short struct {
	North              *string
	Done               bool
	Next               *string
	Open               []string
	Answer             []string
	Park               []string
	Resume             []string
	HeadingX, HeadingY *int
	Now, Drift, Return *string
}

// Empty reports whether nothing is said.
func (f Short) Empty() bool { return len(f.Fields()) == 0 }

// Map returns the short form with every text and id replaced by what fn makes
// of it.
func (f Short) Map(fn func(string) string) Short {
	for _, text := range []**string{&f.North, &f.Next, &f.Now, &f.Drift, &f.Return} {
		if *text != nil {
			mapped := fn(**text)
			*text = &mapped
		}
	}
	for _, list := range []*[]string{&f.Open, &f.Answer, &f.Park, &f.Resume} {
		if *list != nil {
			mapped := make([]string, len(*list))
			for i, s := range *list {
				mapped[i] = fn(s)
			}
			*list = mapped
		}
	}
	return f
}

// Fields lists what the short form may replace in some state, sorted. The
// patch that it expands to names a part of it.
func (f Short) Fields() []Field {
	road := f.Done || f.Next != nil
	park, resume := len(f.Park) > 0, len(f.Resume) > 0
	may := map[Field]bool{
		FieldNorth:      f.North != nil,
		FieldNext:       road || park || resume,
		FieldRoute:      road || park || resume,
		FieldOpen:       len(f.Open) > 0 || len(f.Answer) > 0 || park,
		FieldParked:     park || resume,
		FieldHeading:    f.HeadingX != nil || f.HeadingY != nil || f.Now != nil,
		FieldDrift:      f.Drift != nil,
		FieldReturnPath: f.Return != nil,
	}
	return slices.DeleteFunc(Fields(), func(field Field) bool { return !may[field] })
}

// ExpandShort turns a short form into the patch that it means for the state s.
// The patch names only what changes, and applies to s. An unknown id and a
// broken rule are a *RuleError.
func ExpandShort(s State, f Short) (Patch, error) {
	after := s
	if err := f.turn(&after.Compass); err != nil {
		return Patch{}, err
	}
	if f.North != nil {
		after.Rail.North = *f.North
	}
	road := newRoad(s.Rail)
	if err := f.drive(road); err != nil {
		return Patch{}, err
	}
	after.Rail.Next, after.Rail.Route, after.Rail.Open, after.Rail.Parked = road.next, road.route, road.open, road.parked
	if err := after.Validate(); err != nil {
		return Patch{}, err
	}
	return difference(s, after), nil
}

// turn applies what concerns the Compass.
func (f Short) turn(c *Compass) error {
	if (f.HeadingX == nil) != (f.HeadingY == nil) {
		return &RuleError{Field: "heading", Rule: "needs both X and Y"}
	}
	if f.HeadingX != nil {
		c.Heading.X, c.Heading.Y = *f.HeadingX, *f.HeadingY
	}
	for _, replace := range []struct{ text, with *string }{
		{&c.Heading.Context, f.Now}, {&c.Drift, f.Drift}, {&c.ReturnPath, f.Return},
	} {
		if replace.with != nil {
			*replace.text = *replace.with
		}
	}
	return nil
}

// drive applies what concerns the items of the Rail.
func (f Short) drive(r *road) error {
	moved := false // whether what was next has left its place
	if f.Done {
		if r.next == nil {
			return &RuleError{Field: "done", Rule: "nothing is next, so nothing can be done; name a next move first"}
		}
		r.next, moved = nil, true
	}
	for _, id := range f.Answer {
		if _, found := take(&r.open, id); !found {
			return unknownID("answer", id, "open", r.open)
		}
	}
	var front []Item // what is to be next, and what follows it at once
	for _, id := range f.Resume {
		item, found := take(&r.parked, id)
		if !found {
			return unknownID("resume", id, "parked", r.parked)
		}
		front = append(front, item)
	}
	for _, id := range f.Park {
		wasNext, err := r.park(id)
		if err != nil {
			return err
		}
		moved = moved || wasNext
	}
	if f.Next != nil && !(r.next != nil && r.next.is(*f.Next)) {
		front = slices.Insert(front, 0, r.named(*f.Next))
	}
	r.lead(front, moved)
	for _, summary := range f.Open {
		if !slices.ContainsFunc(r.open, func(i Item) bool { return i.Summary == summary }) {
			r.open = append(r.open, r.newItem(summary))
		}
	}
	return nil
}

// difference is the patch that names the fields in which two states differ.
func difference(before, after State) Patch {
	p := Patch{compass: map[string]any{}, rail: map[string]any{}}
	was, is := before.FieldDigests(), after.FieldDigests()
	for _, f := range Fields() {
		if was[f] != is[f] {
			target, key := f.split()
			p.of(target)[key] = after.field(f)
		}
	}
	return p
}

// unknownID names the ids that there are, as far as they fit on a line.
func unknownID(action, id, place string, items []Item) *RuleError {
	const most = 12
	rule := fmt.Sprintf("no %s item has this id; ", place)
	if len(items) == 0 {
		return &RuleError{Field: action, Value: quote(id), Rule: rule + "there is none"}
	}
	var ids []string
	for _, item := range items[:min(len(items), most)] {
		ids = append(ids, quote(item.ID))
	}
	rule += "there are " + strings.Join(ids, ", ")
	if more := len(items) - most; more > 0 {
		rule += fmt.Sprintf(" and %d more", more)
	}
	return &RuleError{Field: action, Value: quote(id), Rule: rule}
}
