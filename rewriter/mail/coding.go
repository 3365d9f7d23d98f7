package mail

import (
	"bytes"
	"errors"
	"slices"

	"absolink/internal/passage"
	"absolink/rewriter/internal/ascii"
)

// A coding decodes a transfer encoding (RFC 2045 §6) unit by unit. Where a unit ends
// does not depend on how much of what follows has been read.
type coding struct {
	// unit returns the unit that raw begins with. final says that nothing follows raw.
	// Without it, a unit of length 0 says that more of the input is needed.
	unit func(raw []byte, final bool) unit

	// longest is how many bytes at most decide what a unit is. A unit of literal text
	// may be longer.
	longest int

	isBase64 bool
	buf      [3]byte // the text of a unit that is not literal
}

// textIn returns the index in raw, which follows the end of the text, at which text
// begins again; -1 if it does not.
func (c *coding) textIn(raw []byte) int {
	if !c.isBase64 {
		return -1
	}
	return slices.IndexFunc(raw, func(b byte) bool { return base64Value[b] < 64 })
}

// A unit is the smallest stretch of raw bytes that can be decoded by itself, or literal
// text of any length.
type unit struct {
	raw     int    // its length
	text    []byte // decoded; valid until the next unit
	literal bool   // text is the raw bytes, and can be divided anywhere
	last    bool   // no text follows
	err     error  // what is wrong with it
}

// upTo returns the first n bytes of a literal unit, or all of a shorter one.
func (u unit) upTo(n int) unit {
	if len(u.text) > n {
		u.raw, u.text = n, u.text[:n]
	}
	return u
}

// within returns the index of byte k of the unit's text in its raw bytes.
func (u unit) within(raw []byte, k int) int {
	if u.literal || k == 0 {
		return k
	}
	for i, b := range raw {
		if base64Value[b] < 64 {
			if k == 0 {
				return i
			}
			k--
		}
	}
	return 0
}

// codingOf returns what decodes a transfer encoding, and what writes it; nil if the
// encoding is unknown.
func codingOf(encoding string) (*coding, func(splice) splicer) {
	identity := func(raw []byte, _ bool) unit { return unit{raw: len(raw), text: raw, literal: true} } // RFC 2045 §6.2
	c := &coding{unit: identity, longest: 1}
	switch encoding {
	case "7bit", "8bit":
		return c, func(s splice) splicer { return &plainSplicer{splice: s, limit: maxText} }
	case "binary":
		return c, func(s splice) splicer { return &plainSplicer{splice: s} }
	case "quoted-printable":
		c.unit, c.longest = c.quotedPrintable, maxPadding+len("=\r\n")
		return c, func(s splice) splicer { return &quotedSplicer{splice: s} }
	case "base64":
		c.unit, c.longest, c.isBase64 = c.base64, 2*maxUnit, true
		return c, func(s splice) splicer { return &base64Splicer{splice: s, lines: passage.Base64{Out: &s.walk.out}} }
	}
	return nil, nil
}

var errQuoted = errors.New("an = that is not quoted-printable; it stands for itself")

// maxPadding is how much white space there may be between a = and the end of its line.
const maxPadding = 256

// quotedPrintable decodes as RFC 2045 §6.7 says, except that white space at the end of a line
// is text.
func (c *coding) quotedPrintable(raw []byte, final bool) unit {
	if len(raw) == 0 {
		return unit{}
	}
	if raw[0] != '=' {
		n := bytes.IndexByte(raw, '=')
		if n < 0 {
			n = len(raw)
		}
		return unit{raw: n, text: raw[:n], literal: true}
	}
	n := 1
	for n < len(raw) && n <= maxPadding && (raw[n] == ' ' || raw[n] == '\t') {
		n++
	}
	rest := raw[n:]
	switch {
	case len(raw) >= 3 && isHex(raw[1]) && isHex(raw[2]):
		c.buf[0] = byte(ascii.Digit(raw[1])<<4 | ascii.Digit(raw[2]))
		return unit{raw: 3, text: c.buf[:1]}
	case n > maxPadding:
	case bytes.HasPrefix(rest, []byte("\n")):
		return unit{raw: n + 1}
	case bytes.HasPrefix(rest, []byte("\r\n")):
		return unit{raw: n + 2}
	case len(rest) == 0 && final: // the line end after this = belongs to the delimiter
		return unit{raw: n}
	case !final && (len(rest) == 0 || len(rest) == 1 && (rest[0] == '\r' || n == 1 && isHex(rest[0]))):
		return unit{}
	}
	return unit{raw: 1, text: raw[:1], literal: true, err: errQuoted}
}

func isHex(c byte) bool { return ascii.Digit(c) < 16 }

var (
	errBase64 = errors.New("bytes that are no base64; they count for nothing")
	errCut    = errors.New("base64 that ends within a character; that stays as it is from here on")
)

// maxUnit is how many bytes one group of digits may be spread over.
const maxUnit = 4 << 10

// base64 decodes as RFC 2045 §6.8 says. A unit is either four digits, with other bytes between
// them, or the other bytes between two such groups. Other bytes stay where they are.
func (c *coding) base64(raw []byte, final bool) unit {
	if len(raw) == 0 {
		return unit{}
	}
	if n := indexBase64(raw); n != 0 {
		if n < 0 {
			n = len(raw)
		}
		if i := slices.IndexFunc(raw[:n], isJunk); i > 0 {
			n = i // the warning is about what begins there, whatever stands before it
		}
		return unit{raw: n}.junk(raw)
	}
	var bits uint32
	count, end := 0, 0 // characters, and where the last ends
	for i := 0; i < len(raw) && i < maxUnit; i++ {
		v := base64Value[raw[i]]
		switch {
		case v < 64:
			bits = bits<<6 | uint32(v)
			if count, end = count+1, i+1; count == 4 {
				c.buf = [3]byte{byte(bits >> 16), byte(bits >> 8), byte(bits)}
				return unit{raw: end, text: c.buf[:]}.junk(raw)
			}
		case v == padding && count >= 2:
			return c.padded(bits, count, raw, i+1, final)
		case v == padding && count == 1:
			return unit{last: true, err: errCut}
		case v == padding:
			return unit{last: true}
		}
	}
	switch {
	case len(raw) < maxUnit && !final:
		return unit{}
	case count < 2:
		return unit{last: true, err: errCut}
	}
	return c.part(bits, count, end)
}

// padded returns the last unit, of count digits, whose first padding ends at end.
func (c *coding) padded(bits uint32, count int, raw []byte, end int, final bool) unit {
	if count == 2 {
		n := indexBase64(raw[end:])
		switch {
		case n >= 0 && raw[end+n] == '=' && n < maxUnit:
			end += n + 1
		case n < 0 && !final && len(raw)-end < maxUnit:
			return unit{}
		}
	}
	return c.part(bits, count, end)
}

// part returns the last unit, of two or three digits.
func (c *coding) part(bits uint32, count, end int) unit {
	bits <<= 6 * (4 - count)
	c.buf = [3]byte{byte(bits >> 16), byte(bits >> 8)}
	return unit{raw: end, text: c.buf[:count-1], last: true}
}

// indexBase64 returns the index of the first digit or padding; -1 is none.
func indexBase64(raw []byte) int {
	return slices.IndexFunc(raw, func(b byte) bool { return base64Value[b] <= padding })
}

// junk returns the unit, with an error if some of its bytes are neither base64 nor white
// space.
func (u unit) junk(raw []byte) unit {
	if slices.ContainsFunc(raw[:u.raw], isJunk) {
		u.err = errBase64
	}
	return u
}

func isJunk(b byte) bool { return base64Value[b] == junk }

// What a byte is in base64 if it is not a digit.
const (
	padding = 64 + iota
	blank
	junk
)

// base64Value has the value of each byte that is a digit of base64, below 64; otherwise
// padding, blank or junk.
var base64Value = func() (values [256]byte) {
	for i := range values {
		values[i] = junk
	}
	for i := range len(base64Digits) {
		values[base64Digits[i]] = byte(i)
	}
	for _, c := range []byte(" \t\r\n") {
		values[c] = blank
	}
	values['='] = padding
	return values
}()

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
