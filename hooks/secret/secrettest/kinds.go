// Package secrettest makes up secrets for tests, and looks for them where none
// may be. They are put together at run time: no file of ours holds one.
package secrettest

import (
	"math/rand/v2"
	"strings"
)

// Kind is a made-up secret of one kind.
type Kind struct {
	Name string
	Rule string // that finds it
	// Before, Secret and After are the secret as somebody would write it; only
	// Secret is to be replaced.
	Before, Secret, After string
}

// Text is the secret as somebody would write it.
func (k Kind) Text() string { return k.Before + k.Secret + k.After }

// Traces are the parts of the secret that must not be left anywhere. A value
// that was cut short, folded into one line or quoted leaves one of them.
func (k Kind) Traces() []string {
	const most = 22
	var traces []string
	for line := range strings.Lines(k.Secret) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "-----") {
			continue
		}
		if len(line) <= most {
			traces = append(traces, line)
			continue
		}
		traces = append(traces, line[:most], line[len(line)-most:])
	}
	return traces
}

const (
	digits  = "0123456789"
	small   = "abcdefghijklmnopqrstuvwxyz"
	large   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hex     = digits + "abcdef"
	letters = small + large
	any62   = letters + digits
	any64   = any62 + "+/"
	urlSafe = any62 + "-_"
)

// Kinds are more than twenty, the same each time.
func Kinds() []Kind {
	r := rand.New(rand.NewPCG(3, 8))
	of := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	mixed := func(n int) string {
		return of(small, 2) + of(digits, 2) + of(any62, n-6) + of(digits, 1) + of(large, 1)
	}
	block := func(label string) string {
		var b strings.Builder
		b.WriteString("-----BEGIN " + label + "-----\n")
		for range 6 {
			b.WriteString(of(any64, 64) + "\n")
		}
		return b.String() + of(any64, 30) + "==\n-----END " + label + "-----"
	}
	uuid := of(hex, 8) + "-" + of(hex, 4) + "-4" + of(hex, 3) + "-a" + of(hex, 3) + "-" + of(hex, 12)
	return []Kind{
		{Name: "AWS access key", Rule: "aws-access-token", Secret: "AK" + "IA" + of(large+"234567", 16)},
		{Name: "AWS secret key", Rule: "generic-api-key", Before: `aws_secret_access_key = "`, Secret: of(any62, 20) + "/" + of(any62, 19), After: `"`},
		{Name: "GitHub token", Rule: "github-pat", Secret: "gh" + "p_" + of(any62, 36)},
		{Name: "GitHub fine-grained token", Rule: "github-fine-grained-pat", Secret: "github" + "_pat_" + of(any62, 22) + "_" + of(any62, 59)},
		{Name: "GitLab token", Rule: "gitlab-pat", Secret: "gl" + "pat-" + of(any62, 20)},
		{Name: "Slack bot token", Rule: "slack-bot-token", Secret: "xo" + "xb-" + of(digits, 12) + "-" + of(digits, 12) + "-" + of(any62, 24)},
		{Name: "Slack webhook", Rule: "slack-webhook-url", Secret: "https://hooks." + "slack.com/services/T" + of(large, 8) + "/B" + of(large, 8) + "/" + of(any62, 24)},
		{Name: "Stripe key", Rule: "stripe-access-token", Secret: "sk" + "_live_" + of(any62, 24)},
		{Name: "OpenAI key", Rule: "openai-api-key", Secret: "sk-" + "proj-" + of(any62, 74) + "T3Blbk" + "FJ" + of(any62, 74)},
		{Name: "Anthropic key", Rule: "anthropic-api-key", Secret: "sk-" + "ant-api03-" + of(any62, 93) + "AA"},
		{Name: "Google API key", Rule: "gcp-api-key", Secret: "AI" + "za" + of(any62, 35)},
		{Name: "private key", Rule: "private-key", Secret: block("RSA " + "PRIVATE KEY")},
		{Name: "OpenSSH private key", Rule: "private-key", Secret: block("OPENSSH " + "PRIVATE KEY")},
		{Name: "JWT", Rule: "jwt", Secret: "ey" + "J" + of(any62, 33) + ".ey" + "J" + of(any62, 60) + "." + of(any62, 43)},
		{Name: "npm token", Rule: "npm-access-token", Secret: "np" + "m_" + of(any62, 36)},
		{Name: "PyPI token", Rule: "pypi-upload-token", Secret: "pypi-" + "AgEIcHlwaS5vcmc" + of(urlSafe, 70)},
		{Name: "SendGrid key", Rule: "sendgrid-api-token", Secret: "SG" + "." + of(any62, 22) + "." + of(any62, 43)},
		{Name: "Twilio key", Rule: "twilio-api-key", Secret: "S" + "K" + of(hex, 32)},
		{Name: "Azure client secret", Rule: "azure-ad-client-secret", Before: "client_secret=", Secret: of(any62, 3) + "8Q" + "~" + of(any62, 34)},
		{Name: "Azure storage key", Rule: "generic-api-key", Before: "AccountName=box;AccountKey=", Secret: of(any64, 86) + "==", After: ";EndpointSuffix=core.windows.net"},
		{Name: "DigitalOcean token", Rule: "digitalocean-pat", Secret: "dop" + "_v1_" + of(hex, 64)},
		{Name: "Hugging Face token", Rule: "huggingface-access-token", Secret: "h" + "f_" + of(letters, 34)},
		{Name: "Telegram bot token", Rule: "telegram-bot-api-token", Before: "telegram bot: ", Secret: of("123456789", 9) + ":" + "A" + of(any62, 34)},
		{Name: "Shopify token", Rule: "shopify-access-token", Secret: "shp" + "at_" + of(hex, 32)},
		{Name: "Databricks token", Rule: "databricks-api-token", Secret: "da" + "pi" + of(hex, 32)},
		{Name: "Heroku key", Rule: "heroku-api-key", Before: "HEROKU_API_KEY=", Secret: uuid},
		{Name: "password in a URL", Rule: "url-password", Before: "postgres://admin:", Secret: mixed(16), After: "@db.example.org:5432/app"},
		{Name: "generic key", Rule: "generic-api-key", Before: `api_key = "`, Secret: mixed(32), After: `"`},
		{Name: "generic key of hex", Rule: "generic-api-key", Before: `"token": "`, Secret: of(hex, 40), After: `"`},
		{Name: "password of a setting", Rule: "password", Before: "DB_PASSWORD='", Secret: mixed(10) + "!#" + of(digits, 3), After: "'"},
		{Name: "authorization header", Rule: "authorization-header", Before: "Authorization: Bearer ", Secret: mixed(40)},
	}
}
