package secret

import (
	"strings"
	"testing"

	"chatrail/hooks/secret/secrettest"
)

func TestATokenInANameIsFound(t *testing.T) {
	t.Parallel()
	n := 0
	for _, k := range secrettest.Kinds() {
		switch k.Rule {
		case "aws-access-token", "github-pat", "stripe-access-token", "anthropic-api-key", "openai-api-key", "gcp-api-key", "npm-access-token", "sendgrid-api-token",
			"digitalocean-pat", "huggingface-access-token", "databricks-api-token":
		case "jwt": // its last part may hold a _ itself
			if clean, _ := Redact("x_" + k.Secret); clean != "x_"+Mark(k.Rule) {
				t.Errorf("%s: %q", k.Name, clean)
			}
			continue
		default:
			continue
		}
		n++
		arounds := [][2]string{{"dump_", "_old.txt"}, {"backup_", "_old"}, {"x_", "_"}, {"v_", ""}, {"", "_2"}, {"_", "_"}, {"a/b__", "__c"}}
		for _, around := range arounds {
			text := around[0] + k.Secret + around[1]
			if clean, _ := Redact(text); clean != around[0]+Mark(k.Rule)+around[1] {
				t.Errorf("%s: %q became %q", k.Name, text, clean)
			}
		}
		// Each border serves one match, so this takes a second round.
		text := strings.Repeat(k.Secret+"_", 5)
		if clean, _ := Redact(text); clean != strings.Repeat(Mark(k.Rule)+"_", 5) {
			t.Errorf("%s in a row: %q", k.Name, clean)
		}
	}
	if n < 11 {
		t.Errorf("only %d kinds", n)
	}
}

func TestASecretThatIsAWholeMatchKeepsItsBorder(t *testing.T) {
	t.Parallel()
	for rule, key := range map[string]string{
		"artifactory-api-key":  "AK" + "Cp" + strings.Repeat("5bX9qLm2RtZ7wK4hG8dNc3VyJ6sFpA1uEe0", 2)[:69],
		"1password-secret-key": "A" + "3-" + "K7Q2M9-X4RT8ZBW3LD-P6HN1-V5CJ9-G2SF8",
	} {
		for _, around := range [][2]string{{"art_", "_old"}, {"", "_"}, {"_", ""}} {
			text := around[0] + key + around[1]
			if clean, _ := Redact(text); clean != around[0]+Mark(rule)+around[1] {
				t.Errorf("%q became %q", text, clean)
			}
		}
	}
}

func TestNamesOfProgramsStayAtAnUnderscore(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"func Test_sk_test_something_else(t *testing.T)",
		"unit_rk_prod_configuration_v2", "disk_test_environment_1", "_sk_test_parseHttpResponse2_x", "a_sk_live_connection10_pool",
		"my_npm_install_command_for_the_whole_repository_x", "x_hf_transformers_model_loading_and_saving_helpers",
		"commit_" + idsOf(1).commit + "_x sourcegraph", "v_" + idsOf(2).commit256 + "_",
		"x_s.ReadUint24LengthPrefixed2_",
	} {
		if clean, found := Redact(text); found != nil {
			t.Errorf("%q became %q", text, clean)
		}
	}
}
