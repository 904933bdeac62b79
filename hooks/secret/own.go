package secret

// own are the kinds that the library leaves out.
var own = []rule{
	{
		// The password in https://user:password@host.
		id:       "url-password",
		pattern:  "(?i)\\b[a-z][a-z0-9+.-]{1,20}://[^\\s/?#:@'\"`<>]*:([^\\s/'\"`<>]+)@[\\w.\\[-]",
		keywords: []string{"://"},
		allow: []allowlist{{patterns: []string{
			`^\$`, `^%[^%]*%?$`, `^\*+$`, `^[xX]+$`, `^\.+$`, `^\{.*\}$`, `^…$`,
			`(?i)^(?:your[_-]?)?(?:password|passwd|passwort|pass|pwd|secret|change[_-]?me)$`,
		}}},
	},
	{
		// What is written as a password, with the characters that the library's
		// rule for everything does not take.
		id: "password",
		pattern: "(?i)passw(?:or)?d[\\w-]{0,20}(?:\\\\?[\"'])?[ \\t]{0,3}[:=]=?[ \\t]{0,3}\\\\?[\"']([^\\s\"'`<>{}\\\\]{8,100})\\\\?[\"']" +
			"|(?-i:\\b[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY)[A-Z0-9_]{0,20}=([^\\s\"'`<>{}()\\\\]{7,100}[^\\s\"'`<>{}()\\\\.,;:!?]))",
		entropy:  2.5,
		keywords: []string{"passw", "secret", "token", "api_key"},
		allow:    []allowlist{{patterns: []string{`^\D*$`, `^[$%]`, `^/`}}}, // words, variables, paths
	},
	{
		id:       notedRule,
		pattern:  notedPattern,
		entropy:  3.5, // as for the library's generic rule
		keywords: []string{"passw", "passphrase", "pwd", "secret", "token", "key"},
	},
	{
		id:       "authorization-header",
		pattern:  `(?i)\bauthorization(?:\\?["'])?[ \t]{0,3}[:=][ \t]{0,3}(?:\\?["'])?(?:basic|bearer|token)[ \t]{1,3}([\w.~+/=-]{15,}[\w~+/=-])`,
		entropy:  3,
		keywords: []string{"authorization"},
	},
	{
		// The library knows a private key by both its ends; a part of one is as
		// secret.
		id:       "private-key",
		pattern:  `(?i)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr])*[a-z0-9+/=]{16,})+(?:(?:\s|\\[nr])+[a-z0-9+/]+={1,2})?`,
		keywords: []string{"-----begin"},
	},
}
