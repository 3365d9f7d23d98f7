package charset

import (
	"absolink/internal/test/soak"
	"bytes"
	"strings"
	"testing"
)

// Of 1 MB of what is the most work, every character is decoded and encoded.
func TestLongQueries(t *testing.T) {
	size := soak.N(1 << 20)
	for _, row := range []struct{ encoding, raw, want string }{
		{"shift_jis", "\x95\x5c", `%95\`},
		{"shift_jis", "\x81!", "%26%2365533%3B!"},
		{"gb18030", "\x81\x30\x81\x30", "%810%810"},
		{"gb18030", "\x81\x30\x81!", "%841%A470%841%A47!"},
		{"gbk", "\xff", "%26%2365533%3B"},
		{"big5", "\x88\x62", "%26%23202%3B%26%23772%3B"},
		{"euc-jp", "\x8f\xb0\xa1", "%26%2319970%3B"},
		{"euc-kr", "\xb0\xa1", "%B0%A1"},
		{"windows-1252", "\x81", "%81"},
		{"iso-2022-jp", "\x1b$BI=\x1b(Bx", "%1B$BI=%1B(Bx"},
		{"iso-2022-jp", "\x1b(J\\\x1b$BI=", `%1B(J\%1B$BI=`},
		{"iso-2022-jp", "\x1b$B\x1b(B", "%26%2365533%3B"},
	} {
		n := size / len(row.raw)
		text := decoded(t, row.encoding, bytes.Repeat([]byte(row.raw), n))
		if got := strings.Count(string(encoded(row.encoding, text)), row.want); got < n-1 || got > 2*n {
			t.Errorf("%s %q: %d times %q, want %d", row.encoding, row.raw, got, row.want, n)
		}
	}
}

// What a query takes in memory depends on its length, not on how many characters the
// encoding has to be asked for; ASCII takes nothing.
func TestQueryAllocations(t *testing.T) {
	for _, row := range []struct {
		encoding, query string
		most            float64
	}{
		{"shift_jis", "?" + strings.Repeat("表", 1000), 25},
		{"gb18030", "?" + strings.Repeat("表\u0080", 1000), 25},
		{"iso-2022-jp", "?" + strings.Repeat("表x", 1000), 25},
		{"windows-1252", "?" + strings.Repeat("é表", 1000), 25},
		{"shift_jis", "?x=1", 0},
		{"utf-8", "?é", 0},
	} {
		c := &Charset{Of: &EncodingOf{Label: row.encoding}}
		ref := []byte(row.query)
		c.EncodeQuery(ref, "http://h/")
		if got := testing.AllocsPerRun(10, func() { c.EncodeQuery(ref, "http://h/") }); got > row.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f", row.encoding, got, row.most)
		}
	}
}

// A character is decoded without allocation.
func TestDecodeAllocations(t *testing.T) {
	for encoding, raw := range map[string]string{
		"shift_jis": "\x95\x5c", "gb18030": "\x81\x30\x81\x30", "gbk": "\xfe\x59", "big5": "\x88\x62", "euc-jp": "\x8f\xb0\xa1", "windows-1252": "\x81",
	} {
		c, in := &Charset{Of: &EncodingOf{Label: encoding}}, []byte(raw)
		c.Of.Find()
		c.Decode(in)
		if got := testing.AllocsPerRun(10, func() { c.Decode(in) }); got > 0 {
			t.Errorf("%s: %.0f allocations", encoding, got)
		}
	}
}

func BenchmarkEncodeQuery(b *testing.B) {
	for _, encoding := range []string{"shift_jis", "gb18030", "iso-2022-jp", "windows-1251"} {
		b.Run(encoding, func(b *testing.B) {
			c := &Charset{Of: &EncodingOf{Label: encoding}}
			ref := []byte("/search?q=" + strings.Repeat("表ж", 50))
			b.SetBytes(int64(len(ref)))
			b.ReportAllocs()
			for b.Loop() {
				c.EncodeQuery(ref, "http://h/")
			}
		})
	}
}

// BenchmarkIndex makes an index, as the first query of a process does.
func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		new(index).turn("gb18030", 0x81, 0xfe).write(gb18030Written[:])
	}
}
