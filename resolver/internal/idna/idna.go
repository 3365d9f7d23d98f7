// Package idna has the "domain to ASCII" of the URL Standard (June 2026, not strict):
// Unicode IDNA Compatibility Processing (UTS #46), of Unicode 17.
//
// The tables are generated, and hold only what domains need. Everything in a label is a
// valid code point by the time it is normalized. Most characters with a decomposition
// are not valid, because UTS #46 maps them, so some 540 compositions are all that
// Normalization Form C takes. The package has them itself for two reasons:
// golang.org/x/text/unicode/norm is of Unicode 15 when built with Go 1.26, and it breaks
// long runs of marks by U+034F, which the Unicode Standard does not.
//
// The time is O(n log n) in the length of the domain, whatever is in it. The memory is
// linear: up to 150 bytes for a byte where every character is mapped to many, 60 bytes
// otherwise. Labels and domains may have any length, as in the URL Standard. Browsers
// refuse labels of more than 1,000 code points that are not ASCII.
package idna

import (
	"slices"
	"unicode/utf8"
)

//go:generate go run ./gen ../../../compare/idna/node_modules/tr46

const prefix = "xn--"

// short is the number of code points up to which a domain needs no allocation.
const short = 64

// AppendASCII appends the ASCII form of domain, which is UTF-8 and already
// percent-decoded: "domain to ASCII" of the URL Standard §3.3 with beStrict false,
// without its check for forbidden domain code points. Where this is failure, ok is false
// and dst is returned as it was; an empty result is a failure. Bytes that are not UTF-8
// are U+FFFD, which is a failure. A domain of up to 64 code points needs no allocation
// except the growth of dst.
func AppendASCII(dst, domain []byte) (_ []byte, ok bool) {
	if isASCII(domain) {
		return appendLower(dst, domain), len(domain) > 0
	}
	var buffer, decoded [short]rune
	text, ok := appendMapped(buffer[:0], domain)
	if !ok || len(text) == 0 {
		return dst, false
	}
	if needsNFC(text) {
		text = appendNFC(text[:0], text)
	}
	text, ok = appendDecodedLabels(slices.Grow(decoded[:0], len(text)), text)
	if !ok || !validLabels(text) {
		return dst, false
	}
	return appendEncodedLabels(dst, text), true
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func appendLower(dst, s []byte) []byte {
	for _, c := range s {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// appendMapped appends domain as UTS #46 §4 step 1 maps it, and reports whether no code
// point of it is disallowed. A disallowed one would stay in its label, because none takes
// part in a composition, and would make the label invalid.
func appendMapped(dst []rune, domain []byte) ([]rune, bool) {
	for len(domain) > 0 {
		r, size := utf8.DecodeRune(domain)
		domain = domain[size:]
		switch class := classOf(r); class.kind {
		case valid:
			dst = append(dst, r)
		case shifted:
			dst = append(dst, r+class.shift)
		case listed:
			for _, r := range mapping(r) {
				dst = append(dst, r)
			}
		case disallowed:
			return dst, false
		}
	}
	return dst, true
}

// appendDecodedLabels appends text with its "xn--" labels decoded (UTS #46 §4 step 4).
// It reports whether each can be decoded, and what it is decoded to is not ASCII, valid,
// and in Normalization Form C.
func appendDecodedLabels(dst, text []rune) (_ []rune, ok bool) {
	for more := true; more; {
		var label []rune
		label, text, more = cutLabel(text)
		if hasPrefix(label) {
			start := len(dst)
			if dst, ok = appendDecoded(dst, label[len(prefix):]); !ok || !validDecoded(dst[start:]) {
				return dst, false
			}
		} else {
			dst = append(dst, label...)
		}
		if more {
			dst = append(dst, '.')
		}
	}
	return dst, true
}

// validDecoded checks what is true of every other label already: UTS #46 §4.1 steps 1,
// 4 and 7.
func validDecoded(label []rune) bool {
	for _, r := range label {
		if classOf(r).kind != valid {
			return false
		}
	}
	return !isBasic(label) && !hasPrefix(label) && isNFC(label)
}

func appendEncodedLabels(dst []byte, text []rune) []byte {
	for more := true; more; {
		var label []rune
		label, text, more = cutLabel(text)
		if !isBasic(label) {
			dst = append(dst, prefix...)
			dst = appendEncoded(dst, label)
		} else {
			dst = appendBasic(dst, label)
		}
		if more {
			dst = append(dst, '.')
		}
	}
	return dst
}

// cutLabel splits text at its first full stop, and reports whether it has one.
func cutLabel(text []rune) (label, rest []rune, more bool) {
	for i, r := range text {
		if r == '.' {
			return text[:i], text[i+1:], true
		}
	}
	return text, nil, false
}

func hasPrefix(label []rune) bool {
	return len(label) >= len(prefix) && label[0] == 'x' && label[1] == 'n' && label[2] == '-' && label[3] == '-'
}

// isBasic reports whether label is ASCII, in the words of RFC 3492.
func isBasic(label []rune) bool {
	for _, r := range label {
		if r >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
