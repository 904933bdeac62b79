package bundle

import (
	"bytes"
	"errors"
)

// DecodeCompass reads the bytes of a live Compass file. It returns a
// *SyntaxError for bytes that it cannot read, a *RuleError for a value that is
// no Compass.
func DecodeCompass(data []byte) (Compass, error) {
	tree, err := parseLive("compass", data)
	if err != nil {
		return Compass{}, err
	}
	return compassFromTree(tree)
}

// DecodeRail reads the bytes of a live Rail file. It returns a *SyntaxError
// for bytes that it cannot read, a *RuleError for a value that is no Rail.
func DecodeRail(data []byte) (Rail, error) {
	tree, err := parseLive("rail", data)
	if err != nil {
		return Rail{}, err
	}
	return railFromTree(tree)
}

// EncodeCompass writes a Compass as a live file. The bytes are read again
// before they are returned, and have to say the same.
func EncodeCompass(c Compass) ([]byte, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	data := appendCompassYAML(nil, c)
	again, err := DecodeCompass(data)
	if err != nil || again.Digest() != c.Digest() {
		return nil, errNoRoundTrip
	}
	return data, nil
}

// EncodeRail writes a Rail as a live file. The bytes are read again before
// they are returned, and have to say the same.
func EncodeRail(r Rail) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	data := appendRailYAML(nil, r)
	again, err := DecodeRail(data)
	if err != nil || again.Digest() != r.Digest() {
		return nil, errNoRoundTrip
	}
	return data, nil
}

// WrittenAs reports whether data is the Compass as EncodeCompass writes it,
// which is quicker to tell than what data says.
func (c Compass) WrittenAs(data []byte) bool { return bytes.Equal(appendCompassYAML(nil, c), data) }

// WrittenAs reports whether data is the Rail as EncodeRail writes it, which is
// quicker to tell than what data says.
func (r Rail) WrittenAs(data []byte) bool { return bytes.Equal(appendRailYAML(nil, r), data) }

// errNoRoundTrip is a bug of the writer, caught before it costs anything.
var errNoRoundTrip = errors.New("a value does not survive being written as YAML; nothing was written, please report it")

// parseLive reads JSON where the file starts with a brace, which is what the
// Python tool wrote, and YAML otherwise.
func parseLive(path string, data []byte) (any, error) {
	if err := checkFile(path, len(data)); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(data, " \t\r\n"); len(rest) > 0 && rest[0] == '{' {
		return ParseJSON(data)
	}
	return parseYAML(data)
}
