package packages

const (
	author    = "The ChatRail authors"
	short     = "Keeps a task's main road outside the conversation"
	long      = short + ", so that nobody has to explain the task again. Needs chatrail and chatrail-hook on the search path."
	licence   = "MIT"
	developer = "ChatRail"
)

type person struct {
	Name string `json:"name"`
}

// claudePlugin is Claude Code's plugin.json. It has no key for hooks: the
// client loads hooks/hooks.json by itself and refuses it named twice.
type claudePlugin struct {
	Name        string   `json:"name"`
	DisplayName string   `json:"displayName"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Author      person   `json:"author"`
	License     string   `json:"license"`
	Keywords    []string `json:"keywords"`
}

func claudeManifest() claudePlugin {
	return claudePlugin{Name, developer, Version, long, person{author}, licence, keywords()}
}

// codexPlugin is Codex's plugin.json. Its client finds hooks/hooks.json by
// itself too.
type codexPlugin struct {
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	Description string    `json:"description"`
	Author      person    `json:"author"`
	License     string    `json:"license"`
	Keywords    []string  `json:"keywords"`
	Skills      string    `json:"skills"`
	Interface   codexFace `json:"interface"`
}

type codexFace struct {
	DisplayName      string   `json:"displayName"`
	ShortDescription string   `json:"shortDescription,omitempty"`
	LongDescription  string   `json:"longDescription,omitempty"`
	DeveloperName    string   `json:"developerName,omitempty"`
	Category         string   `json:"category,omitempty"`
	DefaultPrompt    []string `json:"defaultPrompt,omitempty"`
}

func codexManifest() codexPlugin {
	return codexPlugin{Name, Version, long, person{author}, licence, keywords(), "./skills/",
		codexFace{developer, short, long, author, "Productivity", []string{"Where do we stand, and what is next?"}}}
}

// geminiExtension is gemini-extension.json. It names no context file: that
// would cost its bytes in every request, and the hooks say what is needed.
type geminiExtension struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

func geminiManifest() geminiExtension { return geminiExtension{Name, Version, long} }

// claudeCatalogue makes a clone of the repository a marketplace of Claude Code.
// The version stands in the plugin's own manifest alone.
type claudeCatalogue struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Owner       person        `json:"owner"`
	Plugins     []claudeOffer `json:"plugins"`
}

type claudeOffer struct {
	Name        string `json:"name"`
	Source      string `json:"source"`
	Description string `json:"description"`
}

func claudeMarketplace() claudeCatalogue {
	return claudeCatalogue{Name, short, person{author}, []claudeOffer{{Name, "./" + Folder + "/claude", short}}}
}

// codexCatalogue is the same for Codex, which looks for it in this place first.
type codexCatalogue struct {
	Name      string       `json:"name"`
	Interface codexFace    `json:"interface"`
	Plugins   []codexOffer `json:"plugins"`
}

type codexOffer struct {
	Name     string      `json:"name"`
	Source   codexSource `json:"source"`
	Policy   codexPolicy `json:"policy"`
	Category string      `json:"category"`
}

type codexSource struct {
	Source string `json:"source"`
	Path   string `json:"path"`
}

type codexPolicy struct {
	Installation   string `json:"installation"`
	Authentication string `json:"authentication"`
}

func codexMarketplace() codexCatalogue {
	return codexCatalogue{Name, codexFace{DisplayName: developer}, []codexOffer{{
		Name, codexSource{"local", "./" + Folder + "/codex"}, codexPolicy{"AVAILABLE", "ON_INSTALL"}, "Productivity",
	}}}
}

func keywords() []string { return []string{"orientation", "context", "compaction", "handover"} }
