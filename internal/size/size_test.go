package size

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
)

// What is taken is exact, and fits Pattern. What is not taken has an error that says what is.
func TestText(t *testing.T) {
	const wrong, large = "64KiB", "largest"
	pattern := regexp.MustCompile(Pattern)
	for _, test := range []struct {
		text string
		want Bytes
		err  string // is in the error; "" for none
	}{
		{"0", 0, ""},
		{"4096", 4096, ""},
		{"0004096", 4096, ""},
		{"64KiB", 64 << 10, ""},
		{"64kib", 64 << 10, ""},
		{"64 KIB", 64 << 10, ""},
		{"16MiB", 16 << 20, ""},
		{"16 MiB", 16 << 20, ""},
		{"1GiB", 1 << 30, ""},
		{"1073741825", 1<<30 + 1, ""},
		{"9007199254740993", 1<<53 + 1, ""},
		{"9007199254740991KiB", 1<<63 - 1<<10, ""},
		{"9223372036854775807", math.MaxInt64, ""},
		{"9223372036854775808", 0, large},
		{"18446744073709551615", 0, large},
		{"18446744073709551616", 0, large},
		{"9007199254740992KiB", 0, large},
		{"8589934592GiB", 0, large},
		{"18014398509481985KiB", 0, large}, // 1024 more than 2⁶⁴
		{strings.Repeat("9", 1000) + "MiB", 0, large},
		{"", 0, wrong},
		{"MiB", 0, wrong},
		{" MiB", 0, wrong},
		{"x", 0, wrong},
		{"-1", 0, wrong},
		{"+1", 0, wrong},
		{"1.5MiB", 0, wrong},
		{"1e6", 0, wrong},
		{"0x10", 0, wrong},
		{"1_000", 0, wrong},
		{"1,000", 0, wrong},
		{"16M", 16 << 20, ""},
		{"16 k", 16 << 10, ""},
		{"1g", 1 << 30, ""},
		{"M", 0, wrong},
		{"16KM", 0, wrong},
		{"16MB", 0, wrong},
		{"16B", 0, wrong},
		{"16 ", 0, wrong},
		{" 16", 0, wrong},
		{"16  MiB", 0, wrong},
		{"16\tMiB", 0, wrong},
		{"16MiB\n", 0, wrong},
		{"16MiBMiB", 0, wrong},
		{"16 KiB MiB", 0, wrong},
		{"1TiB", 0, wrong},
		{"١MiB", 0, wrong},
		{"16\u212AiB", 0, wrong}, // the Kelvin sign
	} {
		b := Bytes(-1)
		err := b.UnmarshalText([]byte(test.text))
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) || err == nil && b != test.want {
			t.Errorf("%.40q: %d, %v", test.text, b, err)
		}
		if err != nil && (b != -1 || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%.40q: %d, %v", test.text, b, err)
		}
		if matches := pattern.MatchString(test.text); matches != (test.err != wrong) {
			t.Errorf("%.40q: the pattern matches: %v", test.text, matches)
		}
	}
}

// A number that is written is the same when it is read.
func TestString(t *testing.T) {
	for b, want := range map[Bytes]string{
		0: "0", 1: "1", 1023: "1023", 1024: "1KiB", 1025: "1025", 16 << 20: "16MiB", 1 << 30: "1GiB", 3 << 29: "1536MiB",
		1 << 40: "1024GiB", math.MaxInt64: "9223372036854775807",
	} {
		text, err := b.MarshalText()
		var again Bytes
		if err != nil || string(text) != want || again.UnmarshalText(text) != nil || again != b {
			t.Errorf("%d is %q, want %q, which is %d", int64(b), text, want, int64(again))
		}
	}
}

// In JSON, a number and a string say the same. A number that is not whole has an error.
func TestJSON(t *testing.T) {
	for text, want := range map[string]Bytes{
		`65536`: 65536, `"65536"`: 65536, `"64KiB"`: 65536, `"64\u004biB"`: 65536, `0`: 0, `9223372036854775807`: math.MaxInt64, `null`: -1,
		`1.5`: -2, `1e6`: -2, `-1`: -2, `9223372036854775808`: -2, `""`: -2, `"null"`: -2, `true`: -2, `[]`: -2, `{}`: -2, // -2 is an error
	} {
		v := struct{ Hold Bytes }{-1}
		err := json.Unmarshal([]byte(`{"hold": `+text+`}`), &v)
		if (err != nil) != (want == -2) || err == nil && v.Hold != want || err != nil && v.Hold != -1 {
			t.Errorf("%s: %d, %v", text, v.Hold, err)
		}
	}
	b, err := json.Marshal(Bytes(65536))
	if string(b) != `"64KiB"` || err != nil {
		t.Errorf("%s, %v", b, err)
	}
}
