package charref

import (
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
)

// A Value is the text that a browser reads from a raw value. It knows where in the raw
// value each byte of the text comes from.
type Value struct {
	Text    []byte
	Origins Origins
	Decoded bool // Text may differ from the raw value
}

// Origins say where in a raw value the bytes of a text come from. The bytes before the
// first stretch have the same index in both.
type Origins []stretch

// A stretch is a part of a text that stands in the raw value as it is. It begins at the
// index text in the text, and at the index raw in the raw value. It ends where the next
// stretch begins.
type stretch struct{ text, raw int32 }

// Raw returns the index in the raw value from which the byte at i in the text comes. If
// i is the length of the text, that is where the raw value ends.
func (o Origins) Raw(i int) int {
	// A hand-written search: slices.BinarySearchFunc takes three times as long.
	low, high := 0, len(o) // o[:low] begin at i or before, and o[high:] begin after i
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
	return int(o[low-1].raw) + i - int(o[low-1].text)
}

// Raw returns the index in the raw value from which Text[i] comes.
func (v *Value) Raw(i int) int { return v.Origins.Raw(i) }

// Reset empties v. decoded says whether the text that follows may differ from the raw
// value.
func (v *Value) Reset(decoded bool) {
	v.Text, v.Origins, v.Decoded = v.Text[:0], v.Origins[:0], decoded
}

// End says that the raw value has been read up to end.
func (v *Value) End(end int) { v.comes(len(v.Text), end) }

// comes says that Text[i:] comes from the bytes at raw and after it, unless the last
// stretch says so already.
func (v *Value) comes(i, raw int) {
	if n := len(v.Origins); n == 0 && i == raw || n > 0 && int(v.Origins[n-1].raw)+i-int(v.Origins[n-1].text) == raw {
		return
	}
	v.Origins = append(v.Origins, stretch{int32(i), int32(raw)})
}

// from says that each byte of Text[before:] comes from the byte at raw.
func (v *Value) from(raw, before int) {
	for i := before; i < len(v.Text); i++ {
		v.comes(i, raw)
	}
}

// plain appends raw[start:end], in which every byte stands for itself.
func (v *Value) plain(raw []byte, start, end int) {
	v.comes(len(v.Text), start)
	v.Text = append(v.Text, raw[start:end]...)
}

// Decode sets v to the value that raw stands for. n is Plain, or a notation of attribute
// values. cs reads the bytes from 0x80 on.
func (v *Value) Decode(n Notation, raw []byte, cs *charset.Charset) {
	if n == Plain {
		v.DecodeText(raw, cs)
		return
	}
	plain := ascii.PlainLen(raw)
	v.Reset(plain < len(raw))
	v.Text = append(v.Text, raw[:plain]...)
	if !v.Decoded {
		return
	}
	for i := plain; i < len(raw); {
		if n := ascii.PlainLen(raw[i:]); n > 0 {
			v.plain(raw, i, i+n)
			i += n
			continue
		}
		before, n := len(v.Text), 0
		v.Text, n = appendNext(v.Text, raw[i:], cs)
		v.from(i, before)
		i += n
	}
	v.End(len(raw))
}

// DecodeText is Decode for text without character references.
func (v *Value) DecodeText(raw []byte, cs *charset.Charset) {
	v.Reset(cs != nil && !ascii.IsASCII(raw))
	if !v.Decoded {
		v.Text = append(v.Text, raw...)
		return
	}
	for i := 0; i < len(raw); {
		if n := ascii.PrefixLen(raw[i:]); n > 0 {
			v.plain(raw, i, i+n)
			i += n
			continue
		}
		before, n := len(v.Text), 0
		v.Text, n = cs.Next(v.Text, raw[i:])
		v.from(i, before)
		i += n
	}
	v.End(len(raw))
}

// IsUnended reports whether Text[i-1] is a character reference in raw without a
// semicolon. Another character after such a reference may change its meaning.
func (v *Value) IsUnended(raw []byte, i int) bool {
	end := v.Raw(i)
	if !ascii.IsAlnum(raw[end-1]) { // as the last byte of such a reference is
		return false
	}
	start := v.Raw(i - 1)
	return raw[start] == '&' && end-start > 1 && raw[end-1] != ';'
}
