package charset

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"absolink/rewriter/internal/ascii"
)

// EncodeQuery returns a reference with its query percent-encoded from the document's
// encoding, as the URL Standard has it (§4.4, query state) for the schemes that it calls
// special, except ws and wss; base is the base URL. Elsewhere it is from UTF-8, which the
// resolver does.
func (c *Charset) EncodeQuery(ref []byte, base string) []byte {
	if c.Mark || c.Of == nil || !c.mayEncode(ref) || !c.Of.HasOwnQueries() {
		return ref
	}
	path, fragment, hasFragment := bytes.Cut(ref, []byte("#"))
	path, query, ok := bytes.Cut(path, []byte("?"))
	if !ok || !c.mayEncode(query) || !encodesQuery(ref, base) {
		return ref
	}
	encoded := c.Of.appendQuery(append(bytes.Clone(path), '?'), query)
	if hasFragment {
		encoded = append(append(encoded, '#'), fragment...)
	}
	return encoded
}

// HasOwnQueries reports whether queries are in the encoding, and not in UTF-8.
func (d *EncodingOf) HasOwnQueries() bool {
	d.Find()
	return d.enc != nil && !d.IsUTF16() && d.name != "replacement"
}

// mayEncode reports whether a text may need more than UTF-8: ASCII does not, except for
// the bytes that shift ISO-2022-JP, which is decoded as a whole.
func (c *Charset) mayEncode(text []byte) bool {
	return ascii.ClassOf(text)&ascii.NonASCII != 0 || c.Of.decoded && bytes.ContainsAny(text, shifts)
}

const shifts = "\x0e\x0f\x1b"

// PrefixLen returns how many bytes at the start of a text are ASCII in every encoding that
// a document may have without naming it: up to the first character beyond ASCII, and the
// first escape sequence of ISO-2022-JP. Any other ESC is a control character.
func PrefixLen(text []byte) int {
	n := ascii.PrefixLen(text)
	for i := bytes.IndexByte(text[:n], '\x1b'); i >= 0; i = ascii.NextByte(text[:n], i, '\x1b') {
		if shiftOf(text[i+1:]) != "" {
			return i
		}
	}
	return n
}

// encodesQuery reports whether the query of a reference is in the document's
// encoding.
func encodesQuery(ref []byte, base string) bool {
	scheme, _, ok := bytes.Cut(ref, []byte(":"))
	if !ok || !ascii.IsScheme(scheme) {
		scheme, _, _ = bytes.Cut([]byte(base), []byte(":"))
	}
	return ascii.IsSpecial(scheme) && !ascii.EqualFold(scheme, "ws") && !ascii.EqualFold(scheme, "wss")
}

// appendQuery appends a query, encoded and percent-encoded. A character that the
// encoding lacks is a character reference.
func (d *EncodingOf) appendQuery(dst, query []byte) []byte {
	if d.name == "iso-2022-jp" {
		return appendShiftedQuery(dst, query)
	}
	e := newEncoder(d)
	for i := 0; i < len(query); {
		if query[i] < utf8.RuneSelf {
			dst = appendByte(dst, query[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(query[i:])
		if encoded := e.encode(r); encoded != nil {
			for _, b := range encoded {
				dst = appendByte(dst, b)
			}
		} else {
			dst = appendLacking(dst, r)
		}
		i += n
	}
	return dst
}

// appendLacking appends a reference to a character that an encoding lacks.
func appendLacking(dst []byte, r rune) []byte {
	return append(strconv.AppendInt(append(dst, "%26%23"...), int64(r), 10), "%3B"...)
}

// appendByte appends a byte of encoded text, percent-encoded where a query needs it.
func appendByte(dst []byte, b byte) []byte {
	if b <= ' ' || b >= 0x7f || b == '"' || b == '#' || b == '<' || b == '>' || b == '\'' {
		return append(dst, '%', ascii.HexDigits[b>>4], ascii.HexDigits[b&15])
	}
	return append(dst, b)
}

// An encoder encodes single characters beyond ASCII. Fields that its encoding
// does not need are nil.
type encoder struct {
	table *charmap.Charmap  // of a single-byte encoding
	index *index            // of an encoding of several bytes
	four  *encoding.Encoder // of gb18030, for characters of four bytes
	buf   [maxBytes]byte
	char  [utf8.UTFMax]byte
}

func newEncoder(d *EncodingOf) *encoder {
	if table := d.charmap(); table != nil {
		return &encoder{table: table}
	}
	e := &encoder{index: indexes[d.name]()}
	if d.name == "gb18030" {
		e.four = simplifiedchinese.GB18030.NewEncoder()
	}
	return e
}

// encode returns the bytes of a character, until the next call, nil if there are none.
func (e *encoder) encode(r rune) []byte {
	if e.table != nil {
		b, ok := e.table.EncodeRune(r)
		if !ok && r <= 0x9f && decodeByte(e.table, byte(r)) == r {
			b, ok = byte(r), true
		}
		if e.buf[0] = b; !ok {
			return nil
		}
		return e.buf[:1]
	}
	switch bytes := e.index.at(r); {
	case bytes > 0xff:
		e.buf[0], e.buf[1] = byte(bytes>>8), byte(bytes)
		return e.buf[:2]
	case bytes > 0:
		e.buf[0] = byte(bytes)
		return e.buf[:1]
	}
	if e.four == nil {
		return nil
	}
	return e.encodeFour(r)
}

// encodeFour returns the four bytes of a character in gb18030, which U+E5E5 alone lacks.
func (e *encoder) encodeFour(r rune) []byte {
	switch r {
	case '\ue5e5':
		return nil
	case gb18030FourRune:
		return append(e.buf[:0], gb18030Four...)
	}
	e.four.Reset()
	n, _, err := e.four.Transform(e.buf[:], utf8.AppendRune(e.char[:0], r), true)
	if err != nil {
		return nil
	}
	return e.buf[:n]
}
