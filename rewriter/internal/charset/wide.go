package charset

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"absolink/rewriter/internal/mark"
)

// A wide reads a document in UTF-16 or ISO-2022-JP as UTF-8. In these encodings bytes
// below 0x80 are not always characters of ASCII. Half of a surrogate pair becomes three
// bytes. A wide remembers which bytes of the input the text in the window comes from:
// text that stays is written as these bytes.
type wide struct {
	src     io.Reader
	err     error // of src
	of      *EncodingOf
	decoder *jisDecoder // of ISO-2022-JP; nil for UTF-16

	raw     []byte  // the input from the start of the window on
	rawOff  int64   // the offset of raw[0] in the input
	shift   [3]byte // the escape sequence in force at raw[0]; inASCII if there is none
	asked   int     // the index in raw up to which shiftAt has read
	inForce [3]byte // the escape sequence in force at asked
	ending  int     // the length of the output if it ends in an escape sequence of ours; otherwise 0
	escaped int     // the length of that escape sequence
	ended   [3]byte // the escape sequence in force before that one
	next    int     // the index in raw of the first byte that is not decoded
	begun   int64   // the offset in the input of the next character, or of the escape sequences before it
	text    []byte  // decoded text that has not been read
	offsets Offsets // of the bytes in the window, and after them of text
	scratch []byte
}

const wideChunk = 16 << 10

// newWide returns a wide for the input that follows raw. raw is the ASCII in the window,
// which begins at off in the input.
func newWide(of *EncodingOf, src io.Reader, off int64, raw []byte) *wide {
	w := &wide{src: src, of: of, raw: slices.Clone(raw), rawOff: off, next: len(raw), begun: off + int64(len(raw))}
	w.offsets.next = off
	if !of.IsUTF16() {
		w.decoder = newJISDecoder()
	}
	for range raw {
		w.offsets.Add(1, 1)
	}
	return w
}

// Read reads the text of the document, in UTF-8.
func (w *wide) Read(p []byte) (int, error) {
	for len(w.text) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		w.raw = slices.Grow(w.raw, wideChunk)
		n, err := w.src.Read(w.raw[len(w.raw) : len(w.raw)+wideChunk])
		w.raw, w.err = w.raw[:len(w.raw)+n], err
		w.decode()
		if n == 0 && err == nil {
			break
		}
	}
	n := copy(p, w.text)
	w.text = w.text[:copy(w.text, w.text[n:])]
	return n, nil
}

// decode decodes the whole characters in raw.
func (w *wide) decode() {
	for w.next < len(w.raw) {
		before := len(w.text)
		n := 0
		if w.decoder == nil {
			w.text, n = appendUTF16(w.text, w.raw[w.next:], w.of.name == "utf-16be", w.err != nil)
		} else {
			w.text, n = w.decoder.append(w.text, w.raw[w.next:], w.err != nil)
		}
		if n == 0 {
			return
		}
		w.next += n
		if characters := len(w.text) - before; characters > 0 {
			end := w.rawOff + int64(w.next)
			w.offsets.Add(characters, end-w.begun)
			w.begun = end
		}
	}
}

// Tail returns the bytes after the last character. When the whole input has been read, they
// are escape sequences.
func (w *wide) Tail() []byte { return w.raw[w.begun-w.rawOff:] }

// appendUTF16 appends the character at the start of raw and returns its length in raw, or
// 0 if more input is needed.
func appendUTF16(dst, raw []byte, big, final bool) (_ []byte, n int) {
	unit := func(i int) rune {
		if big {
			return rune(raw[i])<<8 | rune(raw[i+1])
		}
		return rune(raw[i+1])<<8 | rune(raw[i])
	}
	switch {
	case len(raw) < 2 && final:
		return utf8.AppendRune(dst, utf8.RuneError), len(raw)
	case len(raw) < 2:
		return dst, 0
	}
	r := unit(0)
	switch {
	case !utf16.IsSurrogate(r):
		return utf8.AppendRune(dst, r), 2
	case len(raw) < 4 && !final:
		return dst, 0
	case len(raw) >= 4:
		if pair := utf16.DecodeRune(r, unit(2)); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 4
		}
	}
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f)), 2
}

// At returns where in the input the byte at i in the window comes from.
func (w *wide) At(i int) int64 {
	return w.offsets.At(i)
}

// Bytes returns the bytes of the input from which text in the window comes, or nil if
// they have been dropped.
func (w *wide) Bytes(start, end int) []byte {
	from, to := w.At(start)-w.rawOff, w.At(end)-w.rawOff
	if from < 0 {
		return nil
	}
	return w.raw[from:to]
}

// Drop says that the bytes from start to end have been removed from the window. Everything
// before them has been written.
func (w *wide) Drop(start, end int) {
	w.offsets.Drop(start, end)
	n := int(max(w.At(start)-w.rawOff, 0)) // bytes further on may have been removed before
	w.shift = w.shiftAt(n)
	w.asked -= n
	w.raw = w.raw[:copy(w.raw, w.raw[n:])]
	w.rawOff += int64(n)
	w.next -= n
}

// shiftAt returns the escape sequence in force at i in raw, or inASCII. It reads on from
// the last i, because calls come in order as a rule.
func (w *wide) shiftAt(i int) (shift [3]byte) {
	if w.decoder == nil {
		return shift
	}
	if i < w.asked {
		w.asked, w.inForce = 0, w.shift
	}
	for w.asked < i {
		rest := w.raw[w.asked:i]
		n := bytes.IndexByte(rest, '\x1b')
		if n < 0 {
			n = len(rest)
		}
		if w.asked += n; w.asked < i {
			w.asked += w.readShift()
		}
	}
	return w.inForce
}

// readShift reads the bytes at raw[asked] that begin like an escape sequence, and returns
// their number. If they are one, it sets inForce.
func (w *wide) readShift() int {
	escape := w.raw[w.asked:]
	switch shiftOf(escape[1:]) {
	case "":
		return 1
	case asciiSet:
		w.inForce = inASCII
	default:
		w.inForce = [3]byte{}
		copy(w.inForce[:], escape[:3])
	}
	return 3
}

// Escape sequences of ISO-2022-JP.
var (
	inASCII [3]byte // no escape sequence is in force
	toASCII = []byte("\x1b(B")
)

// MayShorten reports whether out ends in an escape sequence that the next write may take
// back.
func (w *wide) MayShorten(out []byte) bool { return w.ending > 0 && w.ending == len(out) }

// Encode encodes out[from:], which is in UTF-8 and replaces the window from start to end.
func (w *wide) Encode(out []byte, from int, start, end int) []byte {
	w.scratch = append(w.scratch[:0], out[from:]...)
	out = out[:from]
	if w.decoder == nil {
		return AppendAsUTF16(out, w.scratch, w.of.name == "utf-16be")
	}
	encoded, err := w.of.enc.NewEncoder().Bytes(w.scratch)
	if err != nil { // the encoding has characters that are read, and never written
		encoded = mark.AppendText(nil, w.scratch)
	}
	return w.appendShifted(out, encoded, int(w.At(start)-w.rawOff), int(w.At(end)-w.rawOff))
}

// appendShifted appends encoded, which is ISO-2022-JP that begins and ends in ASCII, in
// place of raw[start:end]. It never writes one escape sequence right after another, which
// would be an error.
func (w *wide) appendShifted(out, encoded []byte, start, end int) []byte {
	now, want := w.shiftAt(start), w.shiftAt(end)
	if w.ending > 0 && len(out) == w.ending { // nothing was written after our escape sequence
		out, now = out[:len(out)-w.escaped], w.ended
	}
	w.ending = 0
	if len(encoded) > 0 {
		if now != inASCII && encoded[0] != toASCII[0] {
			out = append(out, toASCII...)
		}
		text := bytes.TrimSuffix(encoded, toASCII)
		out = append(out, text...)
		if now = inASCII; len(text) < len(encoded) {
			copy(now[:], text[bytes.LastIndexByte(text, toASCII[0]):][:3])
		}
	}
	if now == want || end < len(w.raw) && w.raw[end] == toASCII[0] && shiftOf(w.raw[end+1:]) != "" {
		return out
	}
	escape := toASCII
	if want != inASCII {
		escape = bytes.TrimRight(want[:], "\x00")
	}
	out = append(out, escape...)
	w.ending, w.escaped, w.ended = len(out), len(escape), now
	return out
}

// AppendAsUTF16 appends text as UTF-16. The text may have halves of surrogate pairs, as
// three bytes each.
func AppendAsUTF16(dst, text []byte, big bool) []byte {
	put := func(unit rune) {
		if big {
			dst = append(dst, byte(unit>>8), byte(unit))
		} else {
			dst = append(dst, byte(unit), byte(unit>>8))
		}
	}
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1 && len(text) >= 3 && text[0] == 0xed:
			r, n = 0xd000|rune(text[1]&0x3f)<<6|rune(text[2]&0x3f), 3
			put(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			put(high)
			put(low)
		default:
			put(r)
		}
		text = text[n:]
	}
	return dst
}
