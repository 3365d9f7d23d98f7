package main

import "testing"

// Each kind of value has the form that go-fuzz-headers reads.
func TestRaw(t *testing.T) {
	for text, want := range map[string]string{
		"go test fuzz v1\nstring(\"a\\n\")\n":                           "\x00\x00\x00\x02a\n",
		"go test fuzz v1\n[]byte(\"\\xff\\\"\")\nbyte('\\x01')\n":       "\x00\x00\x00\x02\xff\"\x01",
		"go test fuzz v1\nbyte('\\'')\nuint8(3)\nbyte('\"')\nbyte('a')": "'\x03\"a",
		"go test fuzz v1\nbyte('\\u00ff')\nstring(\"\")\nuint16(258)\n": "\xff\x00\x00\x00\x00\x01\x02\x01",
	} {
		if got, err := raw(text); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x\nbyte('a')", "go test fuzz v1\nx", "go test fuzz v1\nint(1)", "go test fuzz v1\nbyte(300)", "go test fuzz v1\nstring(x)", "go test fuzz v1\nstring()"} {
		if got, err := raw(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}
