package packages

import (
	"bytes"
	_ "embed"
	"encoding/json"
)

// OpenCodeFile is the name of opencode's plugin in its folder of plugins.
const OpenCodeFile = Name + ".js"

//go:embed opencode/chatrail.js
var openCode []byte

// bareProgram is the line of the plugin that names the program to run.
const bareProgram = `const program = "chatrail-hook";`

// OpenCodePlugin is the plugin that opencode loads, a file without
// dependencies. It runs the program with that path, or, where the path is "",
// the one that the search path leads to.
func OpenCodePlugin(programPath string) []byte {
	if programPath == "" {
		return bytes.Clone(openCode)
	}
	quoted, err := json.Marshal(programPath)
	if err != nil {
		panic(err) // strings always encode
	}
	return bytes.Replace(openCode, []byte(bareProgram), []byte("const program = "+string(quoted)+";"), 1)
}
