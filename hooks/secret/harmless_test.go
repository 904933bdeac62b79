package secret

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// ids are the forms that work in a repository is told in, of a seed.
type ids struct{ commit, commit256, short, tiny, uuid, review, md5, sha512, h1, base64 string }

func idsOf(seed int) ids {
	s := []byte(fmt.Sprint("seed ", seed))
	sum1, sum256, sum512, sumMD5 := sha1.Sum(s), sha256.Sum256(s), sha512.Sum512(s), md5.Sum(s)
	commit := hex.EncodeToString(sum1[:])
	tail := strings.Map(func(r rune) rune { return 'a' + r%16 }, commit[20:28])
	return ids{
		commit: commit, commit256: hex.EncodeToString(sum256[:]), short: commit[:12], tiny: commit[:7],
		uuid: uuid.NewSHA1(uuid.NameSpaceOID, s).String(), review: commit[:12] + "." + tail,
		md5: hex.EncodeToString(sumMD5[:]), sha512: base64.StdEncoding.EncodeToString(sum512[:]),
		h1:     base64.StdEncoding.EncodeToString(sum256[:]),
		base64: base64.StdEncoding.EncodeToString([]byte("The quick brown fox jumps over the lazy dog, " + commit[:5])),
	}
}

func TestIDsDigestsAndLockFilesStay(t *testing.T) {
	t.Parallel()
	for seed := range 40 {
		i := idsOf(seed)
		page := strings.NewReplacer(
			"COMMIT256", i.commit256, "COMMIT", i.commit, "SHORT", i.short, "TINY", i.tiny, "UUID", i.uuid, "REVIEW", i.review,
			"MD5", i.md5, "SHA512", i.sha512, "H1", i.h1, "BASE64", i.base64,
		).Replace(page)
		for line := range strings.Lines(page) {
			if clean, found := Redact(line); found != nil {
				t.Errorf("seed %d: %q became %q", seed, line, clean)
			}
		}
		if clean, found := Redact(page); clean != page {
			t.Errorf("seed %d: the page as a whole: %v", seed, found)
		}
		folded := strings.Join(strings.Fields(page), " ")
		if clean, found := Redact(folded); clean != folded {
			t.Errorf("seed %d: the page in one line: %v", seed, found)
		}
	}
}

const page = `commit COMMIT
commit COMMIT256 (HEAD -> main, origin/main)
Merge: TINY SHORT
Author: Ada <ada@example.org>
TINY auth: accept the token that an older version made
SHORT keys: one way to look a secret up
COMMIT access: whoever may read may list
Cherry-picked from COMMIT, SHORT and TINY.
The secret was rotated in COMMIT, not in SHORT.
Fixed the token refresh, COMMIT has it; the key part is SHORT.
The auth change is COMMIT. Password reset: see SHORT.
datadog, sourcegraph and heroku were named at COMMIT and UUID.
cache key: COMMIT
key=COMMIT256
key: SHORT
tree COMMIT
parent COMMIT
refs/heads/main COMMIT
token_hash: COMMIT256
secret_id = UUID
session UUID
event UUID, task COMMIT256
chatrail reconcile REVIEW
access to review REVIEW: token REVIEW, key REVIEW
the key is review: REVIEW
sourcegraph showed COMMIT as the tip
{"event_id":"UUID","after_sha256":"COMMIT256","head":"COMMIT","review_id":"REVIEW"}
github.com/zalando/go-keyring v0.2.3 h1:H1
github.com/zalando/go-keyring v0.2.3/go.mod h1:H1
golang.org/x/oauth2 v0.30.0 h1:H1
github.com/auth0/go-jwt v1.0.1 h1:H1
      "integrity": "sha512-SHA512"
    "node_modules/js-tokens": { "version": "4.0.0", "resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz", "integrity": "sha512-SHA512", "license": "MIT" },
  resolved "https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#COMMIT"
  integrity sha512-SHA512
  resolution: {integrity: sha512-SHA512}
    "keyv": ["keyv@4.5.4", "", { "dependencies": { "json-buffer": "3.0.1" } }, "sha512-SHA512"],
name = "secrecy"
checksum = "COMMIT256"
{file = "keyring-24.3.0-py3-none-any.whl", hash = "sha256:COMMIT256"},
{file = "tokenizers-0.15.0.tar.gz", hash = "sha256:COMMIT256"},
keyring==24.3.0 --hash=sha256:COMMIT256
    --hash=sha256:COMMIT256 \
image: registry.example.org/auth@sha256:COMMIT256
    "h1:H1",
    "zh:COMMIT256",
"narHash": "sha256-H1", "rev": "COMMIT"
<script src="/token.js" integrity="sha384-SHA512" crossorigin="anonymous"></script>
etag: "MD5"
md5sum: MD5  secret-santa.txt
GOOD signature with key SHA256:H1
data:image/png;base64,BASE64
{"data": "BASE64"}
BASE64
`

// holdsPasswords are the tests of what becomes of a password in a URL: they hold
// one, and finding it is right.
var holdsPasswords = map[string]bool{
	"prepush_test.go": true, "push_test.go": true, "refusal_test.go": true, "remote_test.go": true, "share_exits.txtar": true,
}

func TestProseAndCodeStay(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	var files []string
	for _, pattern := range []string{"README.md", "docs/*.md", "hooks/wor?/*.go", "cmd/chatrail/*.go", "bundle/*.go", "refs/*.go", "testdata/script/*.txtar", "go.sum"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 100 {
		t.Fatalf("only %d files to look at", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range find(string(data)) {
			if s.rule == "url-password" && holdsPasswords[filepath.Base(file)] {
				continue
			}
			t.Errorf("%s: %s took %q", file, s.rule, data[s.start:s.end])
		}
	}
	for _, line := range []string{
		"The key to it: nobody has access. Credentials, tokens and secrets are for the vault.",
		"type PrivateKey = ed25519.PrivateKey",
		"{Certificate: testCertificate, PrivateKey: testRSA2048PrivateKey}",
		"return []string{KeyAlgoRSASHA256, KeyAlgoRSASHA512, KeyAlgoED25519}",
		"token := scanner.Next2(); secret = os.Getenv(\"API_TOKEN\")",
		"export TOKEN=$GITHUB_TOKEN; PASSWORD=${DB_PASSWORD2}",
		"TOKEN=$(cat /run/secrets/token1) make deploy",
		"Authorization: Bearer <token>",
		"git clone ssh://git@example.org:2222/repo.git && git push https://example.org:8443/x@y",
		"https://$USER:$PASSWORD@example.org and https://user:****@example.org",
		"-----BEGIN PUBLIC KEY-----",
		"the header is -----BEGIN RSA PRIVATE KEY----- and then base64 lines",
		"s.ReadUint24LengthPrefixed(&out)",
		"password: \"correct-horse\"",
	} {
		if clean, found := Redact(line); found != nil {
			t.Errorf("%q became %q", line, clean)
		}
	}
}
