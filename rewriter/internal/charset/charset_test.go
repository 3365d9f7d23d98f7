package charset

import "testing"

// Which bytes below 0x80 stand for themselves, as Chromium has it.
func TestLoneBytes(t *testing.T) {
	for _, row := range []struct{ charset, bytes, alone string }{
		{"shift_jis", "\x83]]", "]"}, {"shift_jis", "\x83\x83]]", "]]"}, {"shift_jis", "\xfc]]", "]]"}, {"shift_jis", "\xf0]]", "]"}, {"shift_jis", "\xb1]]", "]]"},
		{"shift_jis", "\x82@", "@"}, {"shift_jis", "\xff]]", "]]"}, {"shift_jis", "\x83>", ">"},
		{"gbk", "\x83]]", "]"}, {"gbk", "\xa1]]", "]"}, {"gbk", "\x80]]", "]]"}, {"gbk", "\xbf>\xa89", ">9"},
		{"gb18030", "\x810\x81]]", "0]"}, {"gb18030", "\x810\x810]]", "]]"}, {"gb18030", "\xbf>\xa89]", ">9]"}, {"gb18030", "\x810]", "0]"},
		{"big5", "\x81]]", "]]"}, {"big5", "\xa4]]", "]"}, {"big5", "\x88b]", "]"},
		{"euc-kr", "\xb0]]", "]]"}, {"euc-jp", "\xb0]]", "]]"},
	} {
		cs := &Charset{Of: &EncodingOf{Label: row.charset}}
		alone := ""
		for rest := []byte(row.bytes); len(rest) > 0; {
			n := 1
			if rest[0] >= 0x80 {
				cs.Of.Find()
				_, n = cs.Decode(rest)
			} else {
				alone += string(rest[:1])
			}
			rest = rest[n:]
		}
		if alone != row.alone {
			t.Errorf("%s %q: %q stand for themselves, want %q", row.charset, row.bytes, alone, row.alone)
		}
	}
}
