package charset

import (
	"sync"
	"unicode/utf8"
)

// The indexes of the Encoding Standard (§5) are x/text's indexes, with the differences in
// this file. The checksums in testdata/encodings check every sequence of two bytes and
// every character. With -full, TestChecksums shows where a row differs from what
// TestEncodings in compare has written to a directory: a new version of x/text or of the
// Standard changes a row here or there.

// A run is a part of an index: as many characters from first on, at as many pointers.
type run struct{ pointer, first, n uint16 }

// gb18030Runs are the characters of two bytes that x/text lacks, mostly for private use:
// the user-defined areas, and what gb18030 has had for other characters since 2022.
var gb18030Runs = [...]run{
	{6080, 0xe4c6, 96}, {6270, 0xe526, 96}, {6376, 0xe766, 6}, {6433, 0xe76d, 1}, {6444, 0xe76e, 2},
	{6458, 0xe770, 2}, {6460, 0xe586, 95}, {6650, 0xe5e6, 96}, {6829, 0xe772, 11}, {6840, 0xe646, 96},
	{7022, 0xe77d, 8}, {7030, 0xe6a6, 96}, {7150, 0xe785, 8}, {7182, 0xfe10, 1}, {7183, 0xfe12, 1},
	{7184, 0xfe11, 1}, {7185, 0xfe13, 4}, {7201, 0xfe17, 2}, {7208, 0xfe19, 1}, {7211, 0xe797, 9},
	{7220, 0xe706, 96}, {7349, 0xe7a0, 15}, {7397, 0xe7af, 13}, {7495, 0xe7bc, 11}, {7533, 0x1e3f, 1},
	{7538, 0xe7c9, 4}, {7579, 0xe7cd, 21}, {7624, 0xe7e2, 1}, {7627, 0xe7e3, 1}, {7629, 0xe7e4, 3},
	{7686, 0xe7f4, 13}, {7775, 0xe801, 15}, {7886, 0xe000, 94}, {8076, 0xe05e, 94}, {8266, 0xe0bc, 94},
	{8456, 0xe11a, 94}, {8646, 0xe178, 94}, {8836, 0xe1d6, 94}, {16525, 0xe810, 5}, {22706, 0xe234, 94},
	{22896, 0xe292, 94}, {23086, 0xe2f0, 94}, {23276, 0xe34e, 94}, {23466, 0xe3ac, 94}, {23656, 0xe40a, 94},
	{23767, 0xe816, 3}, {23775, 0x9fb4, 1}, {23783, 0x9fb5, 1}, {23788, 0x9fb6, 2}, {23794, 0xe831, 1},
	{23795, 0x9fb8, 1}, {23804, 0xe83b, 1}, {23812, 0x9fb9, 1}, {23829, 0x9fba, 1}, {23830, 0xe855, 1},
	{23845, 0x9fbb, 1}, {23846, 0xe468, 94},
}

// The one character of four bytes that x/text decodes differently.
const (
	gb18030Four     = "\x81\x35\xf4\x37"
	gb18030FourRune = '\ue7c7'
)

// shiftJISRuns are characters for private use, which are decoded only.
var shiftJISRuns = [...]run{{8836, 0xe000, 1880}}

// amended returns the character of a sequence of bytes that x/text lacks or decodes
// differently, and 0 for every other sequence.
func (d *EncodingOf) amended(raw []byte) rune {
	switch {
	case d.isGB() && string(raw) == gb18030Four:
		return gb18030FourRune
	case len(raw) != 2:
		return 0
	case d.isGB() && raw[1] >= 0x40 && raw[1] != 0x7f && raw[1] != 0xff:
		return runeAt(gb18030Runs[:], int(raw[0]-0x81)*190+offset(raw[1]))
	case d.name == "shift_jis" && raw[0] >= 0xf0 && raw[1] >= 0x40 && raw[1] != 0x7f && raw[1] <= 0xfc:
		return runeAt(shiftJISRuns[:], int(raw[0]-0xc1)*188+offset(raw[1]))
	}
	return 0
}

// offset returns where in its row of an index a second byte is. There is no 0x7F.
func offset(b byte) int {
	if b > 0x7f {
		b--
	}
	return int(b) - 0x40
}

// runeAt returns the character at a pointer, 0 if no run has it.
func runeAt(runs []run, pointer int) rune {
	low, high := 0, len(runs)
	for low < high {
		middle := (low + high) / 2
		switch at := pointer - int(runs[middle].pointer); {
		case at < 0:
			high = middle
		case at < int(runs[middle].n):
			return rune(int(runs[middle].first) + at)
		default:
			low = middle + 1
		}
	}
	return 0
}

// An index has the one or two bytes of each character that an encoder writes, by its
// high bits and its low ones. It is the decoder turned around: the first of several
// sequences of bytes counts.
type index [0x300]*[256]uint16

// at returns the bytes of a character, 0 if it has none.
func (x *index) at(r rune) uint16 {
	if high := int(r >> 8); high < len(x) && x[high] != nil {
		return x[high][r&0xff]
	}
	return 0
}

func (x *index) set(r rune, bytes uint16) {
	high := r >> 8
	if x[high] == nil {
		x[high] = new([256]uint16)
	}
	x[high][r&0xff] = bytes
}

// indexes are the indexes of the encodings of several bytes. Each is made once, when a
// query needs it first. The ranges of first bytes are the same as in the Standard's
// encoders: Big5 without the Hong Kong characters before its own, Shift_JIS without those
// that NEC selected from IBM and without private use.
var indexes = map[string]func() *index{
	"gbk":       once(func(x *index) { x.turn("gbk", 0x80, 0xfe).write(gb18030Written[:]) }),
	"gb18030":   once(func(x *index) { x.turn("gb18030", 0x81, 0xfe).write(gb18030Written[:]) }),
	"big5":      once(func(x *index) { x.turn("big5", 0xa1, 0xfe).write(big5Written[:]) }),
	"euc-kr":    once(func(x *index) { x.turn("euc-kr", 0x81, 0xfe) }),
	"shift_jis": once(func(x *index) { x.turn("shift_jis", 0x80, 0xec).turn("shift_jis", 0xfa, 0xfc).writeJapanese() }),
	"euc-jp":    once(func(x *index) { x.turn("euc-jp", 0x8e, 0xfe).writeJapanese() }), // of ISO-2022-JP too
}

func once(fill func(x *index)) func() *index {
	return sync.OnceValue(func() *index {
		x := new(index)
		fill(x)
		return x
	})
}

// turn adds the characters whose first bytes are from first to last.
func (x *index) turn(name string, first, last byte) *index {
	c := &Charset{Of: &EncodingOf{Label: name}}
	c.Of.Find()
	for lead := int(first); lead <= int(last); lead++ {
		if !c.Of.isLead(byte(lead)) {
			x.add(c, byte(lead))
			continue
		}
		for second := 0x40; second <= 0xfe; second++ {
			x.add(c, byte(lead), byte(second))
		}
	}
	return x
}

// add adds the character of a sequence of bytes, unless the character already has bytes.
func (x *index) add(c *Charset, raw ...byte) {
	text, n := c.Decode(raw)
	r, size := utf8.DecodeRune(text)
	if n == len(raw) && r != utf8.RuneError && size == len(text) && x.at(r) == 0 {
		x.set(r, code(raw))
	}
}

// code returns one or two bytes as a number.
func code(raw []byte) (bytes uint16) {
	for _, b := range raw {
		bytes = bytes<<8 | uint16(b)
	}
	return bytes
}

// writeJapanese sets what the encoders of Shift_JIS and EUC-JP write without reading it.
func (x *index) writeJapanese() {
	x.set('\u2212', x.at('\uff0d'))
	x.write(japaneseWritten[:])
}

// A written is a row of n characters from first on whose bytes the decoder turned around
// does not give. The encoder writes bytes for the first of them, bytes+1 for the next, and
// so on.
type written struct{ first, bytes, n uint16 }

// gb18030Written are the characters for private use that gb18030 had until 2022. Their
// bytes are read as other characters.
var gb18030Written = [...]written{
	{0xe78d, 0xa6d9, 7}, {0xe794, 0xa6ec, 2}, {0xe796, 0xa6f3, 1}, {0xe81e, 0xfe59, 1}, {0xe826, 0xfe61, 1},
	{0xe82b, 0xfe66, 2}, {0xe832, 0xfe6d, 1}, {0xe843, 0xfe7e, 1}, {0xe854, 0xfe90, 1}, {0xe864, 0xfea0, 1},
}

// big5Written are the characters whose last sequence of bytes counts.
var big5Written = [...]written{
	{0x2550, 0xf9f9, 1}, {0x255e, 0xf9e9, 1}, {0x2561, 0xf9eb, 1}, {0x256a, 0xf9ea, 1}, {0x5341, 0xa451, 1}, {0x5345, 0xa4ca, 1},
}

// japaneseWritten are the characters that Shift_JIS and EUC-JP write as ASCII.
var japaneseWritten = [...]written{{0xa5, '\\', 1}, {0x203e, '~', 1}}

// write sets the bytes of characters.
func (x *index) write(rows []written) {
	for _, w := range rows {
		for i := range w.n {
			x.set(rune(w.first+i), w.bytes+i)
		}
	}
}
