package refs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// incoming is where git puts what it fetches: references that belong to one work
// tree only, that of a git dir of our own.
const incoming = "refs/worktree/in/"

// receive fetches objects and returns what the remote's references have, without
// moving any of the repository's. Git writes into a git dir of our own beside
// the others, as a linked work tree has one: so whatever is killed in between,
// no lock is left where anybody would trip over it, and a name that cannot stand
// here beside another one keeps no other away.
//
// Where references are not files, git moves the tracking references itself.
func (r *Repo) receive(ctx context.Context, m Remote, names []string, t Transfer) ([]Ref, error) {
	if names != nil && len(names) == 0 {
		return nil, nil
	}
	x := exchange{repo: r, remote: m, Transfer: t, op: "fetch", limit: 1 << 20}
	if !r.hasFiles() {
		return x.receiveInPlace(ctx, names)
	}
	if r.OwnedByOther() {
		// Git may say no, and would not be asked about a git dir that it is given.
		if _, _, err := run(r.Git(ctx, "rev-parse", "--git-dir")); err != nil {
			return nil, err
		}
	}
	own, discard, err := r.ownGitDir()
	if err != nil {
		return nil, err
	}
	defer discard()
	side := *r
	side.GitDir, side.owned = own, nil
	if r.WorkTree == "" {
		side.stand = r.GitDir // a relative URL begins there
	}
	x.repo = &side
	err = x.fetchInto(ctx, names, incoming)
	found := &Repo{GitDir: own, CommonDir: own, ObjectFormat: r.ObjectFormat, RefStorage: "files"}
	got, listErr := found.List(incoming)
	for i, ref := range got {
		got[i].Name = Namespace + strings.TrimPrefix(ref.Name, incoming)
	}
	if err == nil {
		err = listErr
	}
	return got, err
}

// receiveInPlace lets git write the tracking references. A symbolic one would
// lead it elsewhere, so none may be there.
func (x exchange) receiveInPlace(ctx context.Context, names []string) ([]Ref, error) {
	if _, err := x.repo.List(x.remote.folder()); err != nil {
		return nil, fmt.Errorf("%w: remove it, then fetch again", err)
	}
	err := x.fetchInto(ctx, names, x.remote.folder())
	list, listErr := x.repo.List(x.remote.folder())
	got := []Ref{}
	for _, ref := range x.remote.only(list, names) {
		theirs, _ := x.remote.Theirs(ref.Name)
		got = append(got, Ref{theirs, ref.ID})
	}
	if err == nil {
		err = listErr
	} else {
		got = nil // what stood there before is not to be told from what came
	}
	return got, err
}

func (x exchange) fetchInto(ctx context.Context, names []string, folder string) error {
	x.config = append(x.config,
		config{"fetch.fsckObjects", "true"},
		// What the references will lead to is on disk before they do.
		config{"core.fsync", "committed,loose-object"},
	)
	x.config = append(x.config, x.remote.forRemote("followRemoteHEAD", "never")...)
	if x.repo.hasBundleURI() {
		x.config = append(x.config, config{"fetch.bundleURI", ""})
	}
	x.args = []string{
		"fetch", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-auto-gc", "--no-recurse-submodules",
		"--no-prune", "--no-prune-tags", "--refmap=", "--no-show-forced-updates", "--no-write-commit-graph",
		"--no-filter", "--stdin",
	}
	if x.Progress == nil {
		x.args = append(x.args, "--quiet")
	} else {
		x.args = append(x.args, "--progress")
	}
	for _, space := range []string{Namespace, RemoteNamespace} {
		// Other branches have nothing in common with ours, and are nobody's business.
		if list, _ := x.repo.List(space); len(list) > 0 {
			x.args = append(x.args, "--negotiation-tip="+space+"*")
		}
	}
	x.args = append(x.args, "--", x.remote.Spec)
	if names == nil {
		x.stdin = "+" + Namespace + "*:" + folder + "*\n"
	}
	for _, name := range names {
		x.stdin += "+" + name + ":" + folder + strings.TrimPrefix(name, Namespace) + "\n"
	}
	_, err := x.run(ctx)
	return err
}

// hasBundleURI reports whether git would first fetch from elsewhere, into
// references of its own, whatever it was asked for. "git clone --bundle-uri"
// leaves this behind in the repository itself.
func (r *Repo) hasBundleURI() (has bool) {
	data, _ := os.ReadFile(filepath.Join(r.CommonDir, "config"))
	eachSetting(data, func(s setting) {
		if s.section == "fetch" && s.subsection == "" && s.key == "bundleuri" {
			has = s.value != ""
		}
	})
	return has
}

// ownGitDir makes a git dir that shares everything with this one but HEAD and
// the references of a work tree. Those of processes that died are removed.
func (r *Repo) ownGitDir() (dir string, discard func(), err error) {
	if err := r.shared.mkdirs(r.stateDir()); err != nil {
		return "", nil, err
	}
	r.sweepGitDirs()
	for try := 0; ; try++ {
		dir, discard, err = r.tryGitDir()
		// Another process may have taken the new folder for a forgotten one.
		if !errors.Is(err, fs.ErrNotExist) || try == 5 {
			return dir, discard, err
		}
	}
}

const (
	ownPrefix = "fetch-"
	ownLock   = "held"
)

func (r *Repo) tryGitDir() (dir string, discard func(), err error) {
	dir, err = os.MkdirTemp(r.stateDir(), ownPrefix)
	if err != nil {
		return "", nil, err
	}
	lock := flock.New(filepath.Join(dir, ownLock))
	discard = func() {
		lock.Close()
		os.RemoveAll(dir)
	}
	if ok, err := lock.TryLock(); err != nil || !ok {
		discard()
		return "", nil, also(fs.ErrNotExist, err)
	}
	head, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "HEAD"), head, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "commondir"), []byte(r.CommonDir+"\n"), 0o600)
	}
	if own, readErr := os.ReadFile(filepath.Join(r.GitDir, "config.worktree")); err == nil && readErr == nil {
		err = os.WriteFile(filepath.Join(dir, "config.worktree"), own, 0o600)
	}
	if err != nil {
		discard()
		return "", nil, err
	}
	return dir, discard, nil
}

// sweepGitDirs removes what was left: the lock of one that is in use is held.
func (r *Repo) sweepGitDirs() {
	left, _ := filepath.Glob(filepath.Join(globbed(r.stateDir()), ownPrefix+"*"))
	for _, dir := range left {
		lock := flock.New(filepath.Join(dir, ownLock))
		ok, err := lock.TryLock()
		lock.Close()
		if ok && err == nil {
			os.RemoveAll(dir)
		}
	}
}

// globbed makes a path mean itself in a pattern.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
