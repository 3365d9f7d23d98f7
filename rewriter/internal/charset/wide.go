package charset

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"absolink/rewriter/internal/mark"
)

// A wide reads a document in an encoding in which bytes of ASCII are not always
// what they are in ASCII, UTF-16 or ISO-2022-JP, as UTF-8; half of a surrogate
// pair is three bytes as well. It remembers which bytes of the input the text in
// the window comes from: what stays is passed on as those.
type wide struct {
	src     io.Reader
	err     error // of src
	of      *EncodingOf
	decoder *jisDecoder // of ISO-2022-JP

	raw     []byte  // of the input, from what the window begins with
	rawOff  int64   // of raw[0] in the input
	shift   [3]byte // the escape sequence in force at raw[0], none in ASCII
	asked   int     // in raw: shiftAt has been asked up to here
	inForce [3]byte // the escape sequence in force there
	ending  int     // the length of what is written, if it ends in an escape sequence of ours
	escaped int     // the length of that
	ended   [3]byte // what was in force before it
	next    int     // in raw: not decoded
	begun   int64   // in the input: where the character begins that is decoded next, with its escape sequences
	text    []byte  // decoded and not read
	offsets Offsets // in the input, of the bytes in the window, and after it of text
	scratch []byte
}

const wideChunk = 16 << 10

// newWide returns one for what follows the ASCII that the window holds from off
// on, raw.
func newWide(of *EncodingOf, src io.Reader, off int64, raw []byte) *wide {
	w := &wide{src: src, of: of, raw: slices.Clone(raw), rawOff: off, next: len(raw), begun: off + int64(len(raw))}
	w.offsets.next = off
	if !of.isUTF16() {
		w.decoder = newJISDecoder()
	}
	for range raw {
		w.offsets.Add(1, 1)
	}
	return w
}

// Read reads text.
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

// decode decodes the characters that are whole.
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

// Tail returns what is left when all has been read: escape sequences that no
// character follows.
func (w *wide) Tail() []byte { return w.raw[w.begun-w.rawOff:] }

// appendUTF16 appends the character that raw begins with and returns its
// length, 0 if more has to be read.
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

// Bytes returns what text in the window is in the input, nil if that is gone.
func (w *wide) Bytes(start, end int) []byte {
	from, to := w.At(start)-w.rawOff, w.At(end)-w.rawOff
	if from < 0 {
		return nil
	}
	return w.raw[from:to]
}

// Drop follows the window, of which the bytes from start to end go. All that is
// before them has been written.
func (w *wide) Drop(start, end int) {
	w.offsets.Drop(start, end)
	n := int(max(w.At(start)-w.rawOff, 0)) // what was taken out before may have been behind it
	w.shift = w.shiftAt(n)
	w.asked -= n
	w.raw = w.raw[:copy(w.raw, w.raw[n:])]
	w.rawOff += int64(n)
	w.next -= n
}

// shiftAt returns the escape sequence in force at i in raw, none in ASCII. It
// reads on from where it was asked last, as what is asked comes in order.
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

// readShift reads what begins like an escape sequence at asked in raw and returns its
// length.
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
	inASCII [3]byte // none
	toASCII = []byte("\x1b(B")
)

// MayShorten reports whether what is written next may take back the escape
// sequence that out ends in.
func (w *wide) MayShorten(out []byte) bool { return w.ending > 0 && w.ending == len(out) }

// Encode encodes out[from:], UTF-8, which is to be written in place of the
// window from start to end.
func (w *wide) Encode(out []byte, from int, start, end int) []byte {
	w.scratch = append(w.scratch[:0], out[from:]...)
	out = out[:from]
	if w.decoder == nil {
		return AppendAsUTF16(out, w.scratch, w.of.name == "utf-16be")
	}
	encoded, err := w.of.enc.NewEncoder().Bytes(w.scratch)
	if err != nil { // a character that is read and not written in it
		encoded = mark.AppendText(nil, w.scratch)
	}
	return w.appendShifted(out, encoded, int(w.At(start)-w.rawOff), int(w.At(end)-w.rawOff))
}

// appendShifted appends ISO-2022-JP that begins and ends in ASCII in place of
// raw from start to end. No escape sequence follows another at once: that would
// be an error.
func (w *wide) appendShifted(out, encoded []byte, start, end int) []byte {
	now, want := w.shiftAt(start), w.shiftAt(end)
	if w.ending > 0 && len(out) == w.ending { // nothing is between
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

// AppendAsUTF16 appends text, in which half of a surrogate pair may be, as
// UTF-16.
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
