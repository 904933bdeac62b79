package refs

import "strings"

// report is a line of "git push --porcelain" on one reference.
type report struct {
	flag   byte
	name   string // at the remote
	what   string // "[rejected]", "[new reference]", "abc..def"
	reason string // what stands in parentheses
	url    string // of the remote, as git shows it
}

// parsePush reads the lines "flag<tab>from:to<tab>what (reason)" behind a line
// "To url", and passes over everything else.
func parsePush(out string) []report {
	var list []report
	url := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if to, ok := strings.CutPrefix(line, "To "); ok {
			url = withoutCredentials(harmless(to))
			continue
		}
		part := strings.SplitN(line, "\t", 3)
		if len(part) != 3 || len(part[0]) != 1 {
			continue
		}
		_, name, ok := strings.Cut(part[1], ":")
		if !ok {
			continue
		}
		what, reason, _ := strings.Cut(part[2], " (")
		list = append(list, report{
			flag: part[0][0], name: name, what: harmless(what), reason: withoutCredentials(harmless(strings.TrimSuffix(reason, ")"))), url: url,
		})
	}
	return list
}

// verdicts judges each reference; of several URLs the worst counts.
func (x exchange) verdicts(list []report, s *said) map[string]Pushed {
	rank := map[PushState]int{StateEven: 1, StatePushed: 2, StateBehind: 3, StateRefused: 4}
	worst := map[string]Pushed{}
	for _, line := range list {
		p := x.verdict(line, s)
		if rank[p.State] > rank[worst[p.Name].State] {
			worst[p.Name] = p
		}
	}
	return worst
}

func (x exchange) verdict(line report, s *said) Pushed {
	p := Pushed{Name: line.name}
	switch line.flag {
	case '=':
		p.State = StateEven
		return p
	case ' ', '*':
		p.State = StatePushed
		return p
	}
	low := strings.ToLower(line.reason)
	words := s.about(line.name)
	switch {
	case isBehind(low, words):
		p.State = StateBehind
		p.Why = x.remote.String() + " has moved on: fetch, then push again"
		if p.Held = strings.Contains(words, lockTaken); p.Held {
			p.Why = "the reference is locked at " + x.remote.String() + " (" + cut(words, 300) + "): try again; if no git command is running there, one that died has left the lock"
		}
		return p
	case low == "needs force":
		p.Kind, words = OtherFailure, "what stands there is no revision"
	case strings.Contains(low, "hook declined"):
		p.Kind = HookDeclined
		p.together = strings.Contains(low, "pre-receive")
	case hasAny(low, "hidden ref", "prohibited", "funny ref", "invalid ref", "only be performed by the system", "unsupported ref"):
		p.Kind, words = RefsRefused, line.reason
	case hasAny(low, "unpacker error", "unpack failed", "failed to update ref", "remote failure", "failed to report status", "missing necessary objects"):
		p.Kind, words = judge(append([]string{words}, s.lines...))
		p.together = p.Kind == BadObjects || p.Kind == HookDeclined
	case hasAny(low, "permission", "read only", "read-only", "not allowed", "forbidden", "not permitted"):
		p.Kind, words = NotAllowed, line.reason
	default:
		p.Kind = OtherFailure
	}
	if words == "" {
		words = line.reason
	}
	p.State = StateRefused
	e := x.about(p.Kind, words, nil)
	if line.url != "" && x.remote.URL != "" && line.url != x.remote.URL && x.remote.Name != "" {
		e.Remote += " (" + line.url + ")"
	}
	p.Why = e.Error()
	return p
}

// lockTaken is how git says that another process has a lock, or that one which
// died has left it.
const lockTaken = "lock': File exists"

// isBehind knows how git and others say that a reference is not where the push
// began, also when it moved while the push was on its way.
func isBehind(reason, words string) bool {
	if hasAny(reason, "fetch first", "non-fast-forward", "stale info", "incorrect old value", "failed to lock", "lock failure") {
		return true
	}
	return strings.Contains(reason, "failed to update ref") && hasAny(words, "reference already exists", "but expected", lockTaken)
}

// about is the server's first line on a reference: what a hook said before it
// declined this one, or why this one could not be written. What a hook says of
// all references together counts for each.
func (s *said) about(name string) string {
	first := ""
	for _, text := range s.remoteWords() {
		rest, declined := strings.CutPrefix(text, "error: hook declined to update ")
		switch {
		case declined && rest == name:
			return first
		case declined:
			first = "" // those words were about another one
		case strings.HasPrefix(text, "error: ") && strings.Contains(text, "'"+name+"'"):
			return plainWords(text)
		case first == "" && !isServerProgress(text):
			first = plainWords(text)
		}
	}
	return first
}

// isServerProgress knows the lines by which a server counts what it is given.
func isServerProgress(text string) bool {
	return hasAny(text, "Resolving deltas:", "Processing changes:", "Counting objects:", "Compressing objects:", "Checking connectivity:")
}

func hasAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
