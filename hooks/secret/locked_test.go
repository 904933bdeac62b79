package secret

import (
	"strings"
	"testing"
)

func TestDigestsOfPackagesStayWhateverTheyAreCalled(t *testing.T) {
	t.Parallel()
	pods := []string{"LaunchDarkly", "DatadogSDK", "SendBirdSDK", "Zendesk", "RNCredentials", "react-native-config-secret", "Token"}
	packages := []string{
		"auth-token", "js-tokens", "token-types", "github-token", "credentials", "secret-manager", "api-key-utils", "APIKey",
		"cloudflare", "netlify", "gitter", "@scope/auth-token", `"js-tokens"`,
	}
	for seed := range 10 {
		i := idsOf(seed)
		text := "SPEC CHECKSUMS:\n"
		for n, pod := range pods {
			text += "  " + pod + ": " + idsOf(seed*100+n).commit + "\n"
		}
		text += "\nPODFILE CHECKSUM: " + i.commit + "\n"
		texts := []string{
			text, strings.ReplaceAll(text, "\n", "\r\n"),
			"yarn auth checksum: 10c0/" + i.commit256 + i.commit256,
			"\"js-tokens@npm:4\":\n  version: 4.0.0\n  checksum: 10c0/" + i.commit256 + i.commit256 + "\n",
			"checksums:\n  token: " + i.commit + "\n  SECRET: " + i.commit256 + "\n",
			"left-pad: " + i.commit + "\ntoken: " + i.commit256 + "\nzod: " + i.commit + "\n",
		}
		block := ""
		for _, name := range packages {
			for _, digest := range []string{i.commit, i.commit256, i.commit256 + i.commit256} {
				texts = append(texts, name+": "+digest, "one\n  "+name+": "+digest+"\ntwo")
				block += "  " + name + ": " + digest + "\n"
			}
		}
		for _, pod := range pods[:6] {
			texts = append(texts, "  "+pod+": "+i.commit)
		}
		for _, text := range append(texts, block) {
			if clean, found := Redact(text); found != nil {
				t.Errorf("%q became %q", text, clean)
			}
		}
	}
}

func TestAWordForASecretIsNoPackage(t *testing.T) {
	t.Parallel()
	i := idsOf(7)
	for _, name := range []string{
		"token", "access_token", "api_key", "apikey", "apiKey", "secret", "client_secret", "password", "private_key", "auth_token", "Token", "PASSWORD",
		"GITHUB_TOKEN", "github_token", "DATADOG_API_KEY", `"token"`, "client-secret", "app.token", "clientSecret", "SharedSecret", "AccessKey",
	} {
		for _, text := range []string{
			name + ": " + i.commit,
			"Notes\n\n  " + name + ": " + i.commit256 + "\n",
			"one_token: " + i.commit + "\n" + name + ": " + i.commit + "\n",                     // settings
			"commit: " + i.commit256 + "\n" + name + ": " + i.commit + "\ntree: " + i.commit256, // ids of a repository
		} {
			if clean, _ := Redact(text); strings.Contains(clean, i.commit) || strings.Contains(clean, name+": "+i.commit256) {
				t.Errorf("%q became %q", text, clean)
			}
		}
	}
}

func TestAPlaceholderInAURLStays(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"password", "pass", "pwd", "secret", "changeme", "xxx", "***", "<password>", "$VAR", "${VAR}", "{var}", "Password", "your-password",
	} {
		for _, text := range []string{"postgres://user:" + password + "@host/db", "see `postgres://user:" + password + "@db.example.org:5432/app`."} {
			if clean, found := Redact(text); found != nil {
				t.Errorf("%q became %q", text, clean)
			}
		}
	}
	if clean, _ := Redact("postgres://user:password1@host/db"); !strings.Contains(clean, Mark("url-password")) {
		t.Errorf("%q", clean)
	}
}
