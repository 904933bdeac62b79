package refs

import (
	"context"
	"strings"
)

// Identity is the author that git's configuration names for this repository,
// cleaned as git cleans it; author.* beats user.*. ok is false where either part
// is missing, or git cannot be asked.
func (r *Repo) Identity(ctx context.Context) (name, email string, ok bool) {
	out, err := r.Git(ctx, "config", "-z", "--get-regexp", `^(user|author)\.(name|email)$`).Output()
	if err != nil {
		return "", "", false
	}
	values := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		values[key] = withoutCrud(value)
	}
	pick := func(part string) string {
		if v := values["author."+part]; v != "" {
			return v
		}
		return values["user."+part]
	}
	name, email = pick("name"), pick("email")
	return name, email, name != "" && email != ""
}
