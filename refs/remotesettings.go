package refs

import (
	"context"
	"strings"
)

// remoteSettings is what the configuration says of remotes, in git's order.
type remoteSettings []remoteEntry

// remoteEntry is one setting. Where the file has a name and no value, bare is set.
type remoteEntry struct {
	key, value string
	bare       bool
}

// remoteSettings asks git once for all that decides which remote is meant and
// where it lies.
func (r *Repo) remoteSettings(ctx context.Context) (remoteSettings, error) {
	out, _, err := run(r.gitConfigured(ctx, "config", "-z", "--get-regexp", `^(remote\.|url\.|branch\..*\.(pushremote|remote)$)`))
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	var all remoteSettings
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		key, value, ok := strings.Cut(entry, "\n")
		if key != "" {
			all = append(all, remoteEntry{key, value, !ok})
		}
	}
	return all, nil
}

// last is what counts of a setting that is given several times.
func (s remoteSettings) last(key string) string {
	value := ""
	for _, one := range s {
		if one.key == key {
			value = one.value
		}
	}
	return value
}

// listing is what "git remote -v" prints. It is false where only git knows: where
// URLs are rewritten, or a remote is anything but its URLs.
func (s remoteSettings) listing() (string, bool) {
	var names []string
	url, push := map[string][]string{}, map[string][]string{}
	for _, one := range s {
		rest, ok := strings.CutPrefix(one.key, "remote.")
		dot := strings.LastIndexByte(rest, '.')
		switch {
		case !ok && strings.HasPrefix(one.key, "url."):
			return "", false
		case !ok || dot < 0: // branch.x.remote, remote.pushdefault
			continue
		}
		name, what := rest[:dot], rest[dot+1:]
		if _, seen := url[name]; !seen {
			names = append(names, name)
			url[name] = nil
		}
		into := url
		switch what {
		case "url":
		case "pushurl":
			into = push
		case "vcs":
			return "", false
		default:
			continue
		}
		if one.bare || one.value == "" || strings.ContainsAny(one.value, "\n\t") {
			return "", false
		}
		into[name] = append(into[name], one.value)
	}
	var out strings.Builder
	for _, name := range names {
		if len(url[name]) == 0 || name == "" || name[0] == '/' || strings.ContainsAny(name, "\n\t") {
			return "", false
		}
		out.WriteString(name + "\t" + url[name][0] + " (fetch)\n")
		to := push[name]
		if len(to) == 0 {
			to = url[name]
		}
		for _, u := range to {
			out.WriteString(name + "\t" + u + " (push)\n")
		}
	}
	return out.String(), true
}
