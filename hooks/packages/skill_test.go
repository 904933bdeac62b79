package packages

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const (
	maxSkillWords       = 600 // fewer than this
	maxSkillDescription = 1024
	maxSkillName        = 64
)

// TestSkillKeepsTheRulesOfSkills checks what clients ask of a SKILL.md: the
// folder's name is the skill's, and its head holds nothing but what all know.
func TestSkillKeepsTheRulesOfSkills(t *testing.T) {
	rest, ok := bytes.CutPrefix(Skill, []byte("---\n"))
	head, body, closed := bytes.Cut(rest, []byte("\n---\n"))
	if !ok || !closed {
		t.Fatal("the head of SKILL.md is not closed")
	}
	var says struct{ Name, Description, License string }
	d := yaml.NewDecoder(bytes.NewReader(head))
	d.KnownFields(true)
	if err := d.Decode(&says); err != nil {
		t.Fatal(err)
	}
	if len(says.Name) > maxSkillName || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(says.Name) {
		t.Errorf("%q is no name for a skill", says.Name)
	}
	for _, f := range Files() {
		if strings.HasSuffix(f.Path, "/SKILL.md") && !strings.HasSuffix(f.Path, "/skills/"+says.Name+"/SKILL.md") {
			t.Errorf("%s: the folder is not named %s", f.Path, says.Name)
		}
	}
	if n := len(says.Description); n == 0 || n > maxSkillDescription {
		t.Errorf("the description has %d bytes, at most %d are allowed", n, maxSkillDescription)
	}
	if strings.ContainsAny(says.Description, "<>") || bytes.Contains(Skill, []byte("\r")) || len(bytes.TrimSpace(body)) == 0 {
		t.Error("tags in the description, carriage returns, or no text")
	}
}

// TestSkillIsShort counts as wc does, head and commands included.
func TestSkillIsShort(t *testing.T) {
	if n := len(bytes.Fields(Skill)); n >= maxSkillWords {
		t.Errorf("SKILL.md has %d words, fewer than %d are wanted", n, maxSkillWords)
	}
}
