package packages

import (
	_ "embed"
	"path"

	"chatrail/hooks/agent"
)

// Name is what every package, its skill and its marketplace are called.
const Name = "chatrail"

// Version is the version of the program and of every package.
const Version = "0.3.0-dev"

// Folder is where the packages lie in the repository.
const Folder = "hooks/packages"

// Skill is the skill of every package.
//
//go:embed chatrail/SKILL.md
var Skill []byte

// File is one file of a package or a marketplace.
type File struct {
	Path string // from the top of the repository, with slashes
	Data []byte
}

// Files are all files that are made, the marketplaces first.
func Files() []File {
	files := []File{
		{".claude-plugin/marketplace.json", document(claudeMarketplace())},
		{".agents/plugins/marketplace.json", document(codexMarketplace())},
	}
	for _, p := range []struct {
		host     agent.Host
		manifest string
		says     any
	}{
		{agent.Claude, ".claude-plugin/plugin.json", claudeManifest()},
		{agent.Codex, ".codex-plugin/plugin.json", codexManifest()},
		{agent.Gemini, "gemini-extension.json", geminiManifest()},
	} {
		at := func(name string) string { return path.Join(Folder, string(p.host), name) }
		files = append(files,
			File{at(p.manifest), document(p.says)},
			File{at("hooks/hooks.json"), document(hooksFile(p.host))},
			File{at("skills/" + Name + "/SKILL.md"), Skill},
		)
	}
	return files
}
