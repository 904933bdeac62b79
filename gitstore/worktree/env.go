package worktree

import (
	"os"
	"strings"

	"chatrail/refs"
)

// placeVars are the variables that tell git where its repository and its index
// are, or how it is read; the last two steer the way upward to it. In an
// agent's hook they are left over from something else.
const placeVars = " GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT" +
	" GIT_OBJECT_DIRECTORY GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE" +
	" GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE GIT_PREFIX GIT_INTERNAL_SUPER_PREFIX GIT_SHALLOW_FILE" +
	" GIT_COMMON_DIR GIT_REFERENCE_BACKEND GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM "

// environ is the environment of a git process: English, no question asked, no
// lock taken that can be done without.
func (o Options) environ() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if o.HonourEnv || !strings.Contains(placeVars, " "+name+" ") {
			env = append(env, v)
		}
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// discover finds the repository that git would find in the same environment.
func (o Options) discover(dir string) (*refs.Repo, error) {
	if o.HonourEnv {
		return refs.DiscoverEnv(dir, os.Getenv)
	}
	return refs.Discover(dir)
}
