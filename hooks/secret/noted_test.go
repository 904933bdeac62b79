package secret

import (
	"strings"
	"testing"

	"chatrail/hooks/secret/secrettest"
)

// values are what somebody would write as a secret, of no vendor's form.
func values() []string {
	var found []string
	for _, k := range secrettest.Kinds() {
		switch k.Name {
		case "generic key", "AWS secret key", "generic key of hex":
			found = append(found, k.Secret)
		}
		if k.Name == "generic key" {
			found = append(found, k.Secret[:20], strings.ToLower(k.Secret))
		}
	}
	return found
}

func TestWhatANoteNamesAsASecretIsReplaced(t *testing.T) {
	t.Parallel()
	secrets := values()
	if len(secrets) != 5 {
		t.Fatalf("%d values", len(secrets))
	}
	for _, form := range []string{
		"| api_key | VALUE |", "| **API key** | `VALUE` |", "|token|VALUE|", "| name | x |\n| --- | --- |\n| Access token (prod) | VALUE |",
		"**token**: VALUE", "**token:** VALUE", "__password__: `VALUE`", "- *API key*: **VALUE**", "`client_secret`: `VALUE`",
		"the API key is VALUE", "The API key is VALUE.", "the password was `VALUE`, then", "The access token is now\nVALUE", `the secret is "VALUE"`,
		"deploy --api-key VALUE --dry-run", "login --password VALUE", "login --password 'VALUE'", "x --github-token \"VALUE\"", "x -token VALUE",
		"{\"say\": \"login --password VALUE\"}", "{\"say\": \"login --password \\\"VALUE\\\"\"}",
	} {
		for _, secret := range secrets {
			text := strings.ReplaceAll(form, "VALUE", secret)
			clean, found := Redact(text)
			if strings.Contains(clean, secret[:10]) || strings.Contains(clean, secret[len(secret)-10:]) || len(found) != 1 {
				t.Errorf("%q became %q with %v", text, clean, found)
			}
			if before, _, _ := strings.Cut(form, "VALUE"); !strings.HasPrefix(clean, before+markStart) {
				t.Errorf("%q became %q", text, clean)
			}
		}
	}
	for _, secret := range secrets {
		if isID(secret) {
			continue
		}
		for _, form := range []string{"client-secret VALUE", "use api_key VALUE, then", "the access-token `VALUE`"} {
			text := strings.ReplaceAll(form, "VALUE", secret)
			if clean, _ := Redact(text); clean != strings.ReplaceAll(form, "VALUE", Mark(notedRule)) {
				t.Errorf("%q became %q", text, clean)
			}
		}
	}
}

func TestWhatANoteSaysAboutSecretsStays(t *testing.T) {
	t.Parallel()
	i := idsOf(3)
	for _, text := range []string{
		"| token | the name of the thing that lets one in |", "| api_key | string | required, since 2026-11-30 |", "| password | correct-horse-battery |",
		"| token refresh | " + i.commit + " |", "| token hash | " + i.commit256 + " |", "| secret | " + i.short + " |", "| token | " + i.review + " |",
		"| token | commit |\n| --- | --- |\n| 3 | " + i.commit + " |", "| token count | 1234567890123 |", "| token | sha256:" + i.commit256 + " |",
		"**token**: see docs/decisions.md#tokens-2026-11-30", "**password**: at least 12 characters", "the API key is documentation2only",
		"the token is 2026-11-30T18:04:58Z", "the key is " + i.commit, "the secret was rotated in " + i.commit,
		"the token is read from config/production/tokens2.yaml", "the token is parseX509Certificate(x)",
		"--token $GITHUB_TOKEN_2 --password ${DB_PASSWORD2}", "--token <your-token-here-123>", "--password /run/secrets/password1", "--api-key https://example.org/k3y",
		"--token-file token12345.txt", "--private-key id_ed25519.pem", "--password=\"$PASSWORD1\"", "--api-key YOUR_API_KEY_1",
		"client-secret " + i.commit, "client_secret handled_by_provider_2", "the api-key header is X-Api-Key-V2", "token " + i.commit, "secret_key ed25519.PrivateKey2",
	} {
		if clean, found := Redact(text); found != nil {
			t.Errorf("%q became %q", text, clean)
		}
	}
}
