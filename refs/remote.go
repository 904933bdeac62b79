package refs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoRemote says that nothing was named and the configuration names nothing.
var ErrNoRemote = errors.New("no remote")

// Remote is where references are sent to and fetched from.
type Remote struct {
	Name  string // as configured; "" where a URL or a path was given by hand
	URL   string // as people may read it: never with a password or token in it
	Spec  string // what git is given, a name or a URL; not for people
	Space string // its folder below RemoteNamespace

	noSSH bool // known to be reached without ssh, both ways
}

// String is the remote's name, or its URL where it has none.
func (m Remote) String() string {
	if m.Name != "" {
		return harmless(m.Name)
	}
	return harmless(m.URL)
}

// Tracking is where a reference of the remote, such as refs/chatrail/project, is
// kept here.
func (m Remote) Tracking(name string) string {
	return m.folder() + strings.TrimPrefix(name, Namespace)
}

// Theirs undoes Tracking. It is false for any other reference.
func (m Remote) Theirs(tracking string) (string, bool) {
	rest, ok := strings.CutPrefix(tracking, m.folder())
	return Namespace + rest, ok
}

func (m Remote) folder() string { return RemoteNamespace + m.Space + "/" }

// Remote is the remote that a name, a URL or a path means to git. An empty text
// is the one that "git fetch" would choose: that of the current branch, else the
// only one, else origin. Where there is none it returns ErrNoRemote.
func (r *Repo) Remote(ctx context.Context, nameOrURL string) (Remote, error) {
	return r.chosen(ctx, nameOrURL, "remote")
}

// PushRemote is Remote with git's choice for "git push" where nothing was named:
// the pushRemote of the current branch, else remote.pushDefault, else as Remote.
func (r *Repo) PushRemote(ctx context.Context, nameOrURL string) (Remote, error) {
	return r.chosen(ctx, nameOrURL, "pushremote", "remote.pushdefault", "remote")
}

// Remotes lists the configured remotes that have a URL, by name.
func (r *Repo) Remotes(ctx context.Context) ([]Remote, error) {
	settings, err := r.remoteSettings(ctx)
	if err != nil {
		return nil, err
	}
	return r.remotesOf(ctx, settings)
}

func (r *Repo) remotesOf(ctx context.Context, settings remoteSettings) ([]Remote, error) {
	out, ok := settings.listing()
	if !ok {
		var err error
		if out, _, err = run(r.gitConfigured(ctx, "remote", "-v")); err != nil {
			return nil, err
		}
	}
	return parseRemotes(out), nil
}

// parseRemotes reads the lines "name<tab>url (fetch)" and "name<tab>url (push)".
// A filter may follow.
func parseRemotes(out string) []Remote {
	var list []Remote
	ssh := map[string]bool{}
	for line := range strings.Lines(out) {
		name, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || name == "" {
			continue
		}
		if end := strings.LastIndex(rest, " (push)"); end > 0 && maybeSSH(rest[:end]) {
			ssh[name] = true
		}
		end := strings.LastIndex(rest, " (fetch)")
		if end <= 0 {
			continue
		}
		if maybeSSH(rest[:end]) {
			ssh[name] = true
		}
		list = append(list, Remote{Name: name, URL: withoutCredentials(rest[:end]), Spec: name, Space: Encode(name)})
	}
	for i, m := range list {
		list[i].noSSH = !ssh[m.Name]
	}
	slices.SortFunc(list, func(a, b Remote) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// maybeSSH is false for a URL that git certainly reaches in another way.
func maybeSSH(url string) bool {
	scheme, _, _ := strings.Cut(url, "://")
	return !isLocal(url) && !slices.Contains([]string{"http", "https", "file", "git"}, scheme)
}

func (r *Repo) chosen(ctx context.Context, given string, keys ...string) (Remote, error) {
	settings, err := r.remoteSettings(ctx)
	if err != nil {
		return Remote{}, err
	}
	list, err := r.remotesOf(ctx, settings)
	if err != nil {
		return Remote{}, err
	}
	if given != "" {
		return r.named(ctx, given, list)
	}
	if given, err = r.preferred(settings, keys); err != nil {
		return Remote{}, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(m Remote) bool { return m.Name == name })
	}
	switch {
	case given != "":
		return r.named(ctx, given, list)
	case len(list) == 1:
		return list[0], nil
	case has("origin"):
		return r.named(ctx, "origin", list)
	case len(list) == 0:
		return Remote{}, fmt.Errorf("%w here: give a URL or a path, or add one with git remote add", ErrNoRemote)
	}
	return Remote{}, fmt.Errorf("%w is named: %s", ErrNoRemote, nameable(list))
}

// preferred asks the settings with these keys in their order; one without a dot
// belongs to the current branch. A branch that follows another one here says ".",
// which names nothing for us.
func (r *Repo) preferred(settings remoteSettings, keys []string) (string, error) {
	head, err := r.Head()
	if err != nil {
		return "", err
	}
	for _, key := range keys {
		if !strings.Contains(key, ".") {
			key = "branch." + head.Branch + "." + key
		}
		if v := settings.last(key); v != "" && v != "." {
			return v, nil
		}
	}
	return "", nil
}

func (r *Repo) named(ctx context.Context, given string, list []Remote) (Remote, error) {
	for _, m := range list {
		if m.Name == given {
			return m, nil
		}
	}
	if strings.HasPrefix(given, "-") {
		return Remote{}, fmt.Errorf("%q is no remote: %s", given, nameable(list))
	}
	out, _, err := run(r.gitConfigured(ctx, "ls-remote", "--get-url", given))
	if err != nil {
		return Remote{}, err
	}
	url := strings.TrimSuffix(out, "\n")
	spec := given
	if isLocal(url) {
		// Git would begin at the top of the work tree, whoever typed it elsewhere.
		path, err := filepath.Abs(url)
		if err != nil {
			return Remote{}, err
		}
		if _, err := os.Stat(path); err != nil && url == given {
			return Remote{}, fmt.Errorf("%q is neither a remote nor a path: %s", harmless(given), nameable(list))
		} else if err == nil {
			url = path
			if !filepath.IsAbs(given) {
				spec = path
			}
		}
	}
	return Remote{URL: withoutCredentials(url), Spec: spec, Space: urlSpace(url)}, nil
}

// nameable says what could have been named, to the end of an error.
func nameable(list []Remote) string {
	const most = 8
	var names []string
	for i, m := range list {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		names = append(names, m.String())
	}
	if len(names) == 0 {
		return "there are none here, give a URL or a path"
	}
	return "name one of " + strings.Join(names, ", ")
}
