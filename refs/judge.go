package refs

import (
	"slices"
	"strings"
)

// verdicts are the words by which failures are told apart, in order: the first
// row that a line contains decides. They are those of git, curl, OpenSSH and
// common hosts, with LC_ALL=C, in lower case.
var verdicts = []struct {
	kind  Kind
	words []string
}{
	{OtherFailure, []string{
		"unknown option", "transport '", "uses plaintext credentials", "dubious ownership", "mismatched algorithms",
		"certificate", "bad config", "bad numeric config", "bad boolean config",
		"unable to create temporary file", "insufficient permission for adding an object to repository database", "no space left", "disk quota exceeded",
	}},
	{HookDeclined, []string{ // a bound of the server's on what it takes is a rule of its
		"exceeds maximum allowed size", "returned error: 413", "http 413",
	}},
	{NeedsLogin, []string{
		"could not read username", "could not read password", "terminal prompts disabled", "authentication failed", "authentication required",
		"permission denied (", "permission denied, please try again", "host key verification failed", "returned error: 401", "http 401",
		"invalid username or", "password authentication was removed", "no supported authentication", "too many authentication failures",
		"http basic: access denied", "invalid credentials",
	}},
	{NoRepository, []string{
		"does not appear to be a git repository", "repository not found", "returned error: 404", "http 404", "no such repository",
		"could not be found", "' not found", "not a git repository", "no such file or directory", "does not exist",
	}},
	{NotAllowed, []string{
		"returned error: 403", "http 403", "access to repository not granted", "not allowed to", "service not enabled", "access denied",
		"read-only", "read only", "not authorized", "permission to", "insufficient permission", "forbidden",
		"unable to create temporary object directory", "permission denied",
	}},
	{BadObjects, []string{
		"fsck error", "bad object", "missing blob", "missing tree", "missing commit", "not our ref", "did not send all necessary objects",
		"invalid index-pack output", "index-pack failed", "unpack-objects failed", "unpack-objects", "could not read ", "revision walk setup failed",
		"unadvertised object", "missing necessary objects", "pack-objects died", "corrupt", "pack has bad", "inflate",
	}},
	{Unreachable, []string{
		"could not resolve", "couldn't connect", "failed to connect", "unable to connect", "unable to look up", "connection refused", "connection timed out",
		"connection reset", "connection closed", "no route to host", "network is unreachable", "operation timed out", "timed out", "empty reply",
		"returned error: 5", "http 5", "returned error: 429", "http 429", "rpc failed", "early eof", "unexpected disconnect", "broken pipe", "handshake", "kex_exchange",
		"transfer closed", "failed to report status",
	}},
}

// judge finds the kind of a failure and the line that tells of it best.
func judge(lines []string) (Kind, string) {
	if told := slices.DeleteFunc(slices.Clone(lines), saysNoMore); len(told) > 0 && len(told) < len(lines) {
		if kind, text := judge(told); text != "" {
			return kind, text
		}
	}
	for i, v := range verdicts {
		for _, line := range lines {
			low := strings.ToLower(line)
			if strings.HasPrefix(low, "warning: ") || isNoise(low) || i == 0 && strings.HasPrefix(low, "remote: ") { // the first row is about this machine
				continue
			}
			for _, w := range v.words {
				if strings.Contains(low, w) {
					return v.kind, plainWords(line)
				}
			}
		}
	}
	if text := tellingLine(lines); text != "" || len(lines) == 0 {
		return OtherFailure, text
	}
	return Unreachable, "" // the other side ended without a word
}

// tellingLine is the first that git calls fatal, else an error, else the last.
func tellingLine(lines []string) string {
	text, rank := "", 0
	for _, line := range lines {
		low := strings.ToLower(line)
		this := 1
		switch {
		case isNoise(low), strings.HasPrefix(low, "warning: "):
			continue
		case strings.HasPrefix(low, "fatal: "):
			this = 3
		case strings.HasPrefix(low, "error: "):
			this = 2
		}
		if this > rank || this == 1 && rank == 1 {
			text, rank = plainWords(line), this
		}
	}
	return text
}

// plainWords is a line without what programs put in front of it.
func plainWords(line string) string {
	line = strings.TrimSpace(line)
	for {
		before := line
		for _, prefix := range []string{"remote: ", "fatal: ", "error: ", "ERROR: "} {
			line = strings.TrimSpace(strings.TrimPrefix(line, prefix))
		}
		if line == before {
			return line
		}
	}
}

// saysNoMore knows the line by which git repeats that a server could not unpack
// what it was sent. The server itself says why, in a line before it: only where
// nothing else was said does this one count.
func saysNoMore(line string) bool {
	return strings.Contains(line, "remote unpack failed: ") || strings.Contains(line, "unpack-objects abnormal exit") || strings.Contains(line, "index-pack abnormal exit")
}

// isNoise knows what git says beside every cause.
func isNoise(low string) bool {
	for _, s := range []string{
		"could not read from remote repository", "please make sure you have the correct access rights", "and the repository exists.",
		"failed to push some refs to", "the remote end hung up", "everything up-to-date",
	} {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}
