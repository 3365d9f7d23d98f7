package listing

import "testing"

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"":                     "",
		"plain ä€𝄞 \\ \u00a0":  "plain ä€𝄞 \\ \u00a0",
		"\x00\t\n\r\x1b\x7f":   `\x00\x09\x0a\x0d\x1b\x7f`,
		"\u0080\u009f\u009b":   `\xc2\x80\xc2\x9f\xc2\x9b`,
		"\x80\xff a\xc3":       `\x80\xff a\xc3`,
		"\u202e\u2069\u200f":   `\xe2\x80\xae\xe2\x81\xa9\xe2\x80\x8f`,
		"\u2028":               `\xe2\x80\xa8`,
		"\ufffd\xed\xa0\x80":   "\ufffd" + `\xed\xa0\x80`,
		"👩\u200d👧 \u200cفارسی": "👩\u200d👧 \u200cفارسی",
	} {
		if got := Visible(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
