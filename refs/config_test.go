package refs

import (
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// settings is the last value of each variable, as git names variables.
func settings(data string) map[string]string {
	all := map[string]string{}
	eachSetting([]byte(data), func(s setting) {
		name := s.section + "." + s.key
		if s.subsection != "" {
			name = s.section + "." + s.subsection + "." + s.key
		}
		all[name] = s.value
	})
	return all
}

func TestConfigurationIsReadAsGitReadsIt(t *testing.T) {
	file := filepath.Join(tempDir(t), "config")
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "b c", " ", "  ", "\"q  r\"", "\"\"", "\"#\"", "\\n", "\\t", "\\\\", "\\\"", "\\\n", "=", "[x]", "é", "\r\n\t",
		}), 0, 6)
		var b strings.Builder
		for range rapid.IntRange(0, 6).Draw(r, "lines") {
			b.WriteString(rapid.SampledFrom([]string{
				"[core]", "[Core]\n", "[a \"Sub\\\"x\"]\n", "[a.Sub]", "# no\n", ";\n", "\n", "\tcore\n", "bare", "  Key-1 ; c\n",
			}).Draw(r, "line"))
			if rapid.Bool().Draw(r, "set") {
				text := strings.ReplaceAll(strings.Join(value.Draw(r, "value"), ""), "\r\n\t", "\r\n\tk2=")
				b.WriteString(" k = " + text + rapid.SampledFrom([]string{"\n", " # c\n", "\t;\"\n", "\r\n"}).Draw(r, "end"))
			}
		}
		text := "[core]\n" + b.String()
		write(t, file, text)
		out, err := tryGit(filepath.Dir(file), "config", "-z", "-f", file, "--list")
		if err != nil {
			return // git refuses the file; we only have to survive it
		}
		gits := map[string]string{}
		for entry := range strings.SplitSeq(out, "\x00") {
			if name, value, _ := strings.Cut(entry, "\n"); name != "" {
				gits[name] = value
			}
		}
		ours := settings(text)
		for name, value := range gits {
			if got, ok := ours[name]; !ok || got != value {
				r.Fatalf("%q: %s is %q (%t), git says %q", text, name, got, ok, value)
			}
		}
		if len(ours) != len(gits) {
			r.Fatalf("%q: we read %v, git %v", text, ours, gits)
		}
	})
}

func TestBrokenLinesOfAConfigurationHideNothingElse(t *testing.T) {
	got := settings("[core\nbare = true\n]\n%%\n[core]\n= x\n9 = y\nworktree = w\n[a \"b\nk = v\n[core] bare")
	if got["core.worktree"] != "w" || got["core.bare"] != "" {
		t.Errorf("read %v", got)
	}
}

func FuzzConfiguration(f *testing.F) {
	for _, seed := range []string{
		"", "[", "[]", "[a", "[a \"", "[a \"\\", "[a]b", "[a]b=", "[a]b=\\", "[a]b=\"", "[a]b=c\\\r\nd", "\xef\xbb\xbf[a]b", "[a]b=1#", "\r", "[core]\nbare=true\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		eachSetting(data, func(s setting) {
			if s.section == "" || s.key == "" {
				t.Errorf("a variable without a name: %+v", s)
			}
			s.boolean()
			parseSharing(s)
		})
	})
}
