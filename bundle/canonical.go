package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// written is canonical JSON that goes into a larger tree as it stands.
type written json.RawMessage

// Canonical writes a value as canonical JSON: keys sorted by code point, no
// spaces, everything outside 0x20-0x7e escaped. Two values have the same
// canonical form exactly if they are equal.
//
// It takes what ParseJSON returns, and int. Anything else, and a string that
// is not valid UTF-8, is an error.
func Canonical(v any) ([]byte, error) { return appendCanonical(make([]byte, 0, 1<<10), v) }

// Digest is the SHA-256 of the canonical form, 64 lower-case hex digits.
func Digest(v any) (string, error) {
	canonical, err := Canonical(v)
	if err != nil {
		return "", err
	}
	return hexSum(canonical), nil
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func appendCanonical(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case *big.Int:
		return v.Append(b, 10), nil
	case bare:
		return append(b, v...), nil
	case written:
		return append(b, v...), nil
	case string:
		return appendCanonicalString(b, v)
	case []any:
		b = append(b, '[')
		for i, element := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendCanonical(b, element); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		b = append(b, '{')
		// The byte order of UTF-8 is the order of code points.
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendCanonicalString(b, key); err != nil {
				return nil, err
			}
			b = append(b, ':')
			if b, err = appendCanonical(b, v[key]); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	return nil, fmt.Errorf("a %T has no canonical form", v)
}

func appendCanonicalString(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%s is not valid UTF-8", quote(s))
	}
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case 0x20 <= r && r <= 0x7e:
			b = append(b, byte(r))
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = appendUnicodeEscape(appendUnicodeEscape(b, high), low)
		default:
			b = appendUnicodeEscape(b, r)
		}
	}
	return append(b, '"'), nil
}

// appendUnicodeEscape writes r, at most 0xffff, as \uXXXX.
func appendUnicodeEscape(b []byte, r rune) []byte {
	const hexDigits = "0123456789abcdef"
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// mustCanonical is the canonical form of a tree that we read or built
// ourselves, which has nothing in it that Canonical refuses.
func mustCanonical(tree any) json.RawMessage {
	canonical, err := Canonical(tree)
	if err != nil {
		panic("bundle: " + err.Error())
	}
	return canonical
}
