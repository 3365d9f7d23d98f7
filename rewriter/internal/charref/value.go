package charref

import (
	"bytes"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
)

// A Value is what a browser reads from a raw value, and where in the raw value its
// bytes come from.
type Value struct {
	Text    []byte
	Origins Origins
	Decoded bool // Text may be more than a copy of the raw value
}

// Origins say where in a raw value the bytes of a text come from. What is before the
// first stretch stands in the raw value where it stands in the text.
type Origins []stretch

// A stretch is where text comes from that stands in the raw value as it is: the byte
// at text, and those that follow it up to the next stretch.
type stretch struct{ text, raw int32 }

// Raw returns where in the raw value the byte at i in the text comes from; for the
// length of the text, where the raw value ends.
func (o Origins) Raw(i int) int {
	low, high := 0, len(o) // what is before low begins at i or before, what is from high on after that
	for low < high {
		if middle := (low + high) / 2; int(o[middle].text) <= i {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == 0 {
		return i
	}
	r := o[low-1]
	return int(r.raw) + i - int(r.text)
}

// Raw returns where Text[i] comes from.
func (v *Value) Raw(i int) int { return v.Origins.Raw(i) }

// Kept returns v with its memory alone, and without the memory that an exceptional
// value took.
func (v *Value) Kept() Value {
	kept := Value{Text: v.Text[:0], Origins: v.Origins[:0]}
	if cap(v.Text) > 1<<20 {
		kept.Text = nil
	}
	if cap(v.Origins) > 1<<17 {
		kept.Origins = nil
	}
	return kept
}

// Reset empties v. What is appended next is decoded where decoded is true.
func (v *Value) Reset(decoded bool) {
	v.Text, v.Origins, v.Decoded = v.Text[:0], v.Origins[:0], decoded
}

// End says that raw has been read up to end.
func (v *Value) End(end int) { v.comes(len(v.Text), end) }

// comes says that Text[i:] comes from raw on, unless that is known.
func (v *Value) comes(i, raw int) {
	if n := len(v.Origins); n == 0 && i == raw || n > 0 && int(v.Origins[n-1].raw)+i-int(v.Origins[n-1].text) == raw {
		return
	}
	v.Origins = append(v.Origins, stretch{int32(i), int32(raw)})
}

// from says that each byte of the text from before on comes from raw.
func (v *Value) from(raw, before int) {
	for i := before; i < len(v.Text); i++ {
		v.comes(i, raw)
	}
}

// plain appends raw[start:end], whose bytes stand for themselves.
func (v *Value) plain(raw []byte, start, end int) {
	v.comes(len(v.Text), start)
	v.Text = append(v.Text, raw[start:end]...)
}

// Decode sets v to what raw stands for in a notation of attribute values or Plain.
// Bytes from 0x80 on are read by cs.
func (v *Value) Decode(n Notation, raw []byte, cs *charset.Charset) {
	if n == Plain {
		v.DecodeText(raw, cs)
		return
	}
	v.Reset(ascii.ClassOf(raw)&(ascii.Ampersand|ascii.Control|ascii.NonASCII) != 0)
	if !v.Decoded {
		v.Text = append(v.Text, raw...)
		return
	}
	for i := 0; i < len(raw); {
		before := len(v.Text)
		if n := ascii.PlainLen(raw[i:]); n > 0 {
			v.plain(raw, i, i+n)
			i += n
			continue
		}
		n := 0
		if raw[i] == '&' {
			v.Text, n = AppendReference(v.Text, raw[i:])
		}
		if n == 0 {
			n = v.appendLiteral(raw[i:], cs)
		}
		v.from(i, before)
		i += n
	}
	v.End(len(raw))
}

// appendLiteral appends what raw begins with, which is not a character reference: a
// character, or a newline. It returns its length.
func (v *Value) appendLiteral(raw []byte, cs *charset.Charset) (n int) {
	if raw[0] >= utf8.RuneSelf {
		v.Text, n = cs.Next(v.Text, raw)
		return n
	}
	n = 1
	if bytes.HasPrefix(raw, []byte("\r\n")) {
		n = 2
	}
	v.Text = AppendDecoded(v.Text, raw[:n], nil)
	return n
}

// DecodeText is Decode for text in which there are no character references.
func (v *Value) DecodeText(raw []byte, cs *charset.Charset) {
	v.Reset(cs != nil && !ascii.IsASCII(raw))
	if !v.Decoded {
		v.Text = append(v.Text, raw...)
		return
	}
	for i := 0; i < len(raw); {
		if start := i; raw[i] < utf8.RuneSelf {
			for i < len(raw) && raw[i] < utf8.RuneSelf {
				i++
			}
			v.plain(raw, start, i)
			continue
		}
		before, n := len(v.Text), 0
		v.Text, n = cs.Next(v.Text, raw[i:])
		v.from(i, before)
		i += n
	}
	v.End(len(raw))
}

// AppendContent appends what raw[i:end] stands for, CharacterData or CDATA. Bytes
// from 0x80 on are read by cs.
func (v *Value) AppendContent(n Notation, raw []byte, i, end int, cs *charset.Charset) {
	for i < end {
		length := 0
		before := len(v.Text)
		if n == CharacterData && raw[i] == '&' {
			v.Text, length = AppendTextReference(v.Text, raw[i:end])
		}
		if length == 0 {
			length = v.appendLiteral(raw[i:end], cs)
		}
		v.from(i, before)
		i += length
	}
}

// IsUnended reports whether what stands before Text[i] is a character reference in
// raw that no semicolon ends: what follows it may change what it is.
func (v *Value) IsUnended(raw []byte, i int) bool {
	start, end := v.Raw(i-1), v.Raw(i)
	return raw[start] == '&' && end-start > 1 && raw[end-1] != ';'
}
