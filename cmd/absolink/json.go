package main

import (
	"bytes"
	"encoding/json"
	"io"

	"absolink/internal/listing"
)

// writeJSON writes a value as one line of JSON.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// marshal returns a value as JSON, in one line without its end.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(&b, v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// printJSON writes a value to standard output as one line of JSON.
func (u *ui) printJSON(v any) {
	if err := writeJSON(u.stdout, v); err != nil {
		u.cannotWriteOn(err)
	}
}

// A text is a string that JSON has as listing.AppendString writes it.
type text string

func (t text) MarshalJSON() ([]byte, error) { return listing.AppendString(nil, string(t)), nil }
