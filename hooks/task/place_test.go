package task

import (
	"strings"
	"testing"
)

func TestEveryPlaceHasAnIDOfItsOwn(t *testing.T) {
	h := newHome(t)
	p := gitPin().Place
	seen := map[string]Place{}
	for _, change := range []func(*Place){
		func(p *Place) {},
		func(p *Place) { p.Kind = KindDir },
		func(p *Place) { p.Path += "x" },
		func(p *Place) { p.Ref += "x" },
		func(p *Place) { *p = h.Private(Key("s")) },
		func(p *Place) { *p = h.Private(Key("other")) },
	} {
		q := p
		change(&q)
		id := q.ID()
		if before, taken := seen[id]; taken || len(id) != 32 || !isHex(id) {
			t.Errorf("%+v and %+v: %q", q, before, id)
		}
		seen[id] = q
	}
	same := p
	same.WorkTree, same.Root, same.Marker, same.Frozen = "/linked", "", "", "cause"
	if same.ID() != p.ID() {
		t.Error("where somebody stood changed the id")
	}
}

func TestAPlaceHasATitleForPeople(t *testing.T) {
	h := newHome(t)
	for want, p := range map[string]Place{
		"project bundle of app":       {Kind: KindGit, Path: "/x/app/.git", Ref: "refs/chatrail/project", WorkTree: "/x/app"},
		"project bundle of srv":       {Kind: KindGit, Path: "/x/srv.git", Ref: "refs/chatrail/project"},
		"project bundle of a/b in ap": {Kind: KindGit, Path: "/x/ap/.git", Ref: "refs/chatrail/at/a=2Fb", WorkTree: "/x/ap"},
		"own road try in app":         {Kind: KindGit, Path: "/x/app/.git", Ref: "refs/chatrail/task/try", WorkTree: "/x/app"},
		"project bundle of docs":      {Kind: KindDir, Path: "/x/docs/.chatrail", WorkTree: "/x/docs"},
	} {
		if got := p.Title(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
	if got := h.Private(Key("s")).Title(); !strings.Contains(got, "private") || !strings.Contains(got, Short(Key("s"))) {
		t.Errorf("a private bundle is %q", got)
	}
}
