package refs

import (
	"context"
	"strings"
)

// listLimit bounds what a remote may list: some 400,000 references of ours.
const listLimit = 32 << 20

// Advertised lists the references of ours that a remote has, by name, and
// fetches nothing.
func (r *Repo) Advertised(ctx context.Context, m Remote, t Transfer) ([]Ref, error) {
	x := exchange{
		repo: r, remote: m, Transfer: t, op: "list", limit: listLimit,
		args: []string{"ls-remote", "--quiet", "--refs", "--", m.Spec, Namespace + "*"},
	}
	a, err := x.run(ctx)
	if err != nil {
		return nil, err
	}
	list, foreign := r.parseAdvertised(a.stdout)
	if foreign {
		return nil, x.about(OtherFailure, "its object format is not "+r.ObjectFormat, nil)
	}
	return list, nil
}

// parseAdvertised reads the lines "id<tab>name". A remote may list anything: what
// is no reference of ours is passed over. Ids of another length are foreign.
func (r *Repo) parseAdvertised(out string) (list []Ref, foreign bool) {
	list = []Ref{}
	for line := range strings.Lines(out) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case !isOurs(name) || !isHex(id):
		case len(id) != r.idLength():
			foreign = true
		case r.isID(id) && id != r.ZeroID():
			list = append(list, Ref{name, id})
		}
	}
	sortRefs(list)
	return list, foreign
}

// isOurs reports whether a name may be sent and fetched.
func isOurs(name string) bool { return strings.HasPrefix(name, Namespace) && validName(name) }
