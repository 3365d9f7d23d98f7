package charset

import "unicode/utf8"

// The sets of characters that ISO-2022-JP shifts between, each named as the escape
// sequence that shifts to it, without its first byte.
const (
	asciiSet    = "(B"
	romanSet    = "(J"
	katakanaSet = "(I"
	jis0208Set  = "$B"
)

// shiftOf returns the set that an escape sequence without its first byte shifts to, or ""
// if b does not begin with an escape sequence.
func shiftOf(b []byte) string {
	if len(b) < 2 {
		return ""
	}
	switch s := string(b[:2]); s {
	case asciiSet, romanSet, katakanaSet, jis0208Set:
		return s
	case "$@":
		return jis0208Set
	}
	return ""
}

// A jisDecoder decodes ISO-2022-JP (Encoding Standard, §12.2.1).
type jisDecoder struct {
	set     string  // the set in force; "" is ASCII
	shifted bool    // the last of the input was an escape sequence
	pairs   Charset // EUC-JP, which has the same pairs with their high bits set
}

func newJISDecoder() *jisDecoder {
	d := &jisDecoder{pairs: Charset{Of: &EncodingOf{Label: "euc-jp"}}}
	d.pairs.Of.Find()
	return d
}

// append appends what raw begins with and returns its length, 0 if more has to be read.
// An escape sequence is nothing, unless it follows another.
func (d *jisDecoder) append(dst, raw []byte, final bool) (_ []byte, n int) {
	if raw[0] == '\x1b' {
		return d.appendEscape(dst, raw, final)
	}
	if d.set == jis0208Set && raw[0] >= 0x21 && raw[0] <= 0x7e {
		if len(raw) < 2 && !final {
			return dst, 0
		}
		d.shifted = false
		return d.appendPair(dst, raw)
	}
	d.shifted = false
	return utf8.AppendRune(dst, d.single(raw[0])), 1
}

// appendEscape does the same for what begins like an escape sequence.
func (d *jisDecoder) appendEscape(dst, raw []byte, final bool) (_ []byte, n int) {
	begins := len(raw) < 2 || len(raw) < 3 && (raw[1] == '(' || raw[1] == '$')
	set := shiftOf(raw[1:])
	again := d.shifted
	switch {
	case begins && !final:
		return dst, 0
	case set == "":
		d.shifted = false
		return utf8.AppendRune(dst, utf8.RuneError), 1
	}
	d.set, d.shifted = set, true
	if again {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	return dst, 3
}

// appendPair appends a character of two bytes. An escape sequence breaks it, and
// everything else is part of it.
func (d *jisDecoder) appendPair(dst, raw []byte) (_ []byte, n int) {
	switch {
	case len(raw) < 2 || raw[1] == '\x1b':
		return utf8.AppendRune(dst, utf8.RuneError), 1
	case raw[1] < 0x21 || raw[1] > 0x7e:
		return utf8.AppendRune(dst, utf8.RuneError), 2
	}
	text, _ := d.pairs.Decode([]byte{raw[0] | 0x80, raw[1] | 0x80})
	return append(dst, text...), 2
}

// single returns the character of one byte.
func (d *jisDecoder) single(b byte) rune {
	switch {
	case d.set == katakanaSet && b >= 0x21 && b <= 0x5f:
		return '\uff61' + rune(b) - 0x21
	case b >= utf8.RuneSelf || b == 0x0e || b == 0x0f || d.set == katakanaSet || d.set == jis0208Set:
		return utf8.RuneError
	case d.set == romanSet && b == '\\':
		return '\u00a5'
	case d.set == romanSet && b == '~':
		return '\u203e'
	}
	return rune(b)
}

// wideKatakana has the characters that are written for U+FF61 to U+FF9F.
const wideKatakana = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜"

// appendShiftedQuery appends a query in ISO-2022-JP, percent-encoded (§12.2.2).
func appendShiftedQuery(dst, query []byte) []byte {
	e := jisEncoder{set: asciiSet, pairs: indexes["euc-jp"]()}
	for _, r := range string(query) {
		dst = e.append(dst, r)
	}
	return e.shift(dst, asciiSet)
}

type jisEncoder struct {
	set   string // the set in force
	pairs *index // of EUC-JP
}

func (e *jisEncoder) append(dst []byte, r rune) []byte {
	set, code, ok := e.encode(r)
	if !ok && e.set != jis0208Set {
		set = e.set // the reference is written as it is
	}
	dst = e.shift(dst, set)
	switch {
	case !ok && r < utf8.RuneSelf:
		return appendLacking(dst, utf8.RuneError)
	case !ok:
		return appendLacking(dst, r)
	case code > 0xff:
		dst = appendByte(dst, byte(code>>8))
	}
	return appendByte(dst, byte(code))
}

// shift shifts to a set.
func (e *jisEncoder) shift(dst []byte, set string) []byte {
	if e.set == set {
		return dst
	}
	e.set = set
	return append(append(dst, "%1B"...), set...)
}

// encode returns a set and the one or two bytes of a character in it, or false.
func (e *jisEncoder) encode(r rune) (set string, code uint16, ok bool) {
	switch {
	case r == 0x0e || r == 0x0f || r == 0x1b:
		return asciiSet, 0, false
	case r < utf8.RuneSelf && e.set == romanSet && r != '\\' && r != '~':
		return romanSet, uint16(r), true
	case r < utf8.RuneSelf:
		return asciiSet, uint16(r), true
	case r == '\u00a5':
		return romanSet, '\\', true
	case r == '\u203e':
		return romanSet, '~', true
	case r >= '\uff61' && r <= '\uff9f':
		const size = len("。")
		r, _ = utf8.DecodeRuneInString(wideKatakana[int(r-'\uff61')*size:])
	}
	if pair := e.pairs.at(r); pair > 0xff {
		return jis0208Set, pair &^ 0x8080, true
	}
	return asciiSet, 0, false
}
