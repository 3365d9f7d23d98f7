package console

import (
	"encoding/json"
	"io"

	"absolink/internal/listing"
)

// WriteJSON writes a value as one line of JSON.
func WriteJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// PrintJSON writes a value to standard output as one line of JSON.
func (u *UI) PrintJSON(v any) { u.Wrote(WriteJSON(u.Stdout, v)) }

// A Text is a string that JSON has as listing.AppendString writes it.
type Text string

func (t Text) MarshalJSON() ([]byte, error) { return listing.AppendString(nil, string(t)), nil }
