package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Reduce writes a payload as a small JSON document, for handing an event on
// without the text that came with it. It is nil only where the event's time is
// none that JSON carries.
func Reduce(p Payload) []byte {
	data, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return data
}

// ParseReduced reads what Reduce wrote. The error is ErrPayload.
func ParseReduced(data []byte) (Payload, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var p Payload
	if err := d.Decode(&p); err != nil {
		return Payload{}, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Payload{}, fmt.Errorf("%w: something follows it", ErrPayload)
	}
	if !p.Host.Known() || p.SessionID == "" {
		return Payload{}, fmt.Errorf("%w: no client or no session", ErrPayload)
	}
	return p, nil
}
