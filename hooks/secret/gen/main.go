// Command gen writes the rules of the gitleaks library as Go data, which costs
// a program nothing at its start. It is a module of its own, so that what the
// library needs to read its configuration is no dependency of ours.
//
//	go run . FILE          writes FILE
//	go run . -check FILE   fails where FILE is not what would be written
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
)

const library = "github.com/zricethezav/gitleaks/v8"

func main() {
	check := len(os.Args) == 3 && os.Args[1] == "-check"
	if !check && len(os.Args) != 2 {
		fail("usage: gen [-check] FILE")
	}
	file := os.Args[len(os.Args)-1]
	source, err := generate()
	if err != nil {
		fail(err)
	}
	if !check {
		if err := os.WriteFile(file, source, 0o644); err != nil {
			fail(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		fail(err)
	}
	if !bytes.Equal(have, source) {
		fail(file, "is not what the library says: run `go generate ./hooks/secret`")
	}
}

func fail(words ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"gen:"}, words...)...)
	os.Exit(1)
}

// leftOut are rules that mean nothing outside the files they are made for.
var leftOut = map[string]bool{
	"hashicorp-tf-password": true, // any quoted word after "password"
}

// nearer are keywords that a match needs as well and that ordinary words hold
// less often: "ey" is in every key.
var nearer = map[string][]string{
	"jwt":                    {".ey"},
	"kubernetes-secret-yaml": {"kind:"},
}

// runs are the lengths of secrets that begin with their keyword, where that
// keyword is in every other text: "sk" in task, "s." at the end of a sentence.
var runs = map[string]int{
	"octopus-deploy-api-key": len("API-") + 26,
	"twilio-api-key":         len("SK") + 32,
	"vault-service-token":    len("s.") + 24,
}

func generate() ([]byte, error) {
	viper.SetConfigType("toml")
	if err := viper.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, err
	}
	var c config.ViperConfig
	if err := viper.Unmarshal(&c); err != nil {
		return nil, err
	}
	// The library's own check: every pattern compiles, every group is there.
	if _, err := c.Translate(); err != nil {
		return nil, err
	}
	head, err := header()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(head)
	fmt.Fprintf(b, "// allowed are the library's allowlists for every rule.\nvar allowed = []allowlist{\n")
	for _, a := range c.Allowlists { // Translate has put the one of the older form here
		if len(a.TargetRules) > 0 {
			return nil, fmt.Errorf("an allowlist for some rules: teach the generator about it")
		}
		writeAllowlist(b, a.Condition, a.Paths, a.RegexTarget, a.Regexes, a.StopWords)
	}
	fmt.Fprintf(b, "}\n\n// library are the library's rules, in its order.\nvar library = []rule{\n")
	for _, r := range c.Rules {
		if len(r.Required) > 0 || r.SkipReport {
			return nil, fmt.Errorf("%s needs other rules: teach the generator about it", r.ID)
		}
		if r.Regex == "" {
			continue // it looks at names of files alone
		}
		if leftOut[r.ID] {
			continue
		}
		keywords := r.Keywords
		if near := nearer[r.ID]; near != nil {
			keywords = near
		}
		if len(keywords) == 0 {
			return nil, fmt.Errorf("%s has no keywords: it would be compiled for every text", r.ID)
		}
		fmt.Fprintf(b, "{\nid: %q,\npattern: %s,\n", r.ID, quote(r.Regex))
		if r.Entropy != 0 {
			fmt.Fprintf(b, "entropy: %v,\n", r.Entropy)
		}
		if r.SecretGroup != 0 {
			fmt.Fprintf(b, "group: %d,\n", r.SecretGroup)
		}
		fmt.Fprintf(b, "keywords: %s,\n", list(lower(keywords)))
		if n := runs[r.ID]; n > 0 {
			fmt.Fprintf(b, "run: %d,\n", n)
		}
		lists := r.Allowlists
		if r.AllowList != nil {
			lists = append(lists, r.AllowList)
		}
		if len(lists) > 0 {
			fmt.Fprintf(b, "allow: []allowlist{\n")
			for _, a := range lists {
				writeAllowlist(b, a.Condition, a.Paths, a.RegexTarget, a.Regexes, a.StopWords)
			}
			fmt.Fprintf(b, "},\n")
		}
		fmt.Fprintf(b, "},\n")
	}
	fmt.Fprintf(b, "}\n")
	return format.Source(b.Bytes())
}

// writeAllowlist leaves out what a text cannot fulfil: the names of files and
// commits. Where all the conditions have to hold, the list then says nothing.
func writeAllowlist(b *bytes.Buffer, condition string, paths []string, target string, patterns, words []string) {
	all := condition == "AND" || condition == "and" || condition == "&&"
	if all && len(paths) > 0 || len(patterns)+len(words) == 0 {
		return
	}
	b.WriteString("{\n")
	if all {
		b.WriteString("all: true,\n")
	}
	if target != "" && target != "secret" {
		fmt.Fprintf(b, "target: %q,\n", target)
	}
	if len(patterns) > 0 {
		fmt.Fprintf(b, "patterns: %s,\n", list(patterns))
	}
	if len(words) > 0 {
		fmt.Fprintf(b, "words: %s,\n", list(lower(words)))
	}
	b.WriteString("},\n")
}

func lower(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ToLower(w)
	}
	return out
}

// list writes strings as a literal, several on a line.
func list(items []string) string {
	var b strings.Builder
	b.WriteString("[]string{")
	width := 0
	for i, item := range items {
		q := quote(item)
		switch {
		case len(items) == 1:
		case i == 0 || width+len(q) > 120:
			b.WriteString("\n")
			width = 0
		default:
			b.WriteString(" ")
		}
		b.WriteString(q)
		if len(items) > 1 {
			b.WriteString(",")
		}
		width += len(q) + 2
	}
	if len(items) > 1 {
		b.WriteString("\n")
	}
	return b.String() + "}"
}

func quote(s string) string {
	if strings.ContainsAny(s, "`\r\n") {
		return fmt.Sprintf("%q", s)
	}
	return "`" + s + "`"
}

// header names the library, its version and its licence.
func header() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", library).Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", library, err)
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// Code generated by hooks/secret/gen from %s %s. DO NOT EDIT.\n//\n", library, version)
	for line := range strings.Lines(strings.TrimSpace(string(licence)) + "\n") {
		b.WriteString(strings.TrimRight("// "+strings.TrimRight(line, " \r\n"), " ") + "\n")
	}
	b.WriteString("\npackage secret\n\n")
	return b.String(), nil
}
