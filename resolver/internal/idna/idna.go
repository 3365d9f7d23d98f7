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
// Labels are worked on one at a time. Browsers refuse long labels, and so does this package:
// see [AppendASCII]. So the time is linear in the length of the domain, and the memory is
// linear in the length of the longest label.
package idna

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

//go:generate go run ./gen ../../../compare/idna/node_modules/tr46

const prefix = "xn--"

// short is the number of code points up to which a label needs no allocation.
const short = 64

// The limits of browsers, which the URL Standard does not have: Gecko, WebKit and Blink
// refuse labels that are not ASCII beyond maxLabel. Beyond maxEncoded they refuse an
// encoded label of a domain that is not ASCII.
const (
	maxLabel   = 1000 // code points, in Normalization Form C
	maxEncoded = 2000 // code points, with the prefix

	// maxMapped is the length from which on a label is longer than maxLabel in
	// Normalization Form C: no character decomposes into more than four.
	maxMapped = 4 * maxLabel
)

// AppendASCII appends the ASCII form of domain, which is UTF-8 and already
// percent-decoded: "domain to ASCII" of the URL Standard §3.3 with beStrict false,
// without its check for forbidden domain code points. Where this is failure, ok is false
// and dst is returned as it was; an empty result is a failure. Bytes that are not UTF-8
// are U+FFFD, which is a failure. So is a label of more than 1,000 code points that is not
// ASCII. A domain whose labels have up to 64 code points needs no allocation except the
// growth of dst.
func AppendASCII(dst, domain []byte) (_ []byte, ok bool) {
	if isASCII(domain) {
		return appendLower(dst, domain), len(domain) > 0
	}
	var buffer [short]rune
	label, out, all := buffer[:0], dst, bidiDomain{ruled: true}
	for more := true; more; {
		if label, domain, more, ok = appendMappedLabel(label[:0], domain); !ok {
			return dst, false
		}
		if out, ok = all.appendLabel(out, label); !ok {
			return dst, false
		}
		if more {
			out = append(out, '.')
		}
	}
	if len(out) == len(dst) || !all.valid() {
		return dst, false
	}
	return out, true
}

// appendMappedLabel appends the first label of domain as UTS #46 §4 step 1 maps it. It
// returns what follows the full stop, and whether there is one. It is not ok if a code
// point is disallowed, or the label is too long. A disallowed one would stay in its label,
// because none takes part in a composition, and would make the label invalid.
func appendMappedLabel(dst []rune, domain []byte) (_ []rune, rest []byte, more, ok bool) {
	wide := false
	if len(domain) > short { // a long label in ASCII is allocated once
		n := bytes.IndexFunc(domain, endsASCII)
		if n < 0 {
			n = len(domain)
		}
		dst = slices.Grow(dst, n)
	}
	for len(domain) > 0 {
		r, size := utf8.DecodeRune(domain)
		domain = domain[size:]
		start := len(dst)
		switch class := classOf(r); class.kind {
		case valid:
			dst = append(dst, r)
		case shifted:
			dst = append(dst, r+class.shift)
		case listed: // not to several with a full stop among them
			for _, r := range mapping(r) {
				dst = append(dst, r)
			}
		case disallowed:
			return dst, nil, false, false
		}
		for _, r := range dst[start:] {
			if r == '.' {
				return dst[:start], domain, true, true
			}
			wide = wide || r >= utf8.RuneSelf
		}
		if wide && len(dst) > maxMapped {
			return dst, nil, false, false
		}
	}
	return dst, nil, false, true
}

// endsASCII reports whether the ASCII start of a label ends before r: r is a full stop, or
// not an ASCII character.
func endsASCII(r rune) bool { return r == '.' || r >= utf8.RuneSelf }

// A bidiDomain is what the Bidi rule asks of the labels of a domain together.
type bidiDomain struct {
	rightToLeft bool // a label makes the domain a Bidi domain name
	ruled       bool // all labels satisfy the rule
}

func (b *bidiDomain) valid() bool { return b.ruled || !b.rightToLeft }

// appendLabel appends the ASCII form of a label that is mapped: UTS #46 §4 steps 2 to 4,
// and §4.1. It is not ok if the label is a failure. No composition reaches beyond a full
// stop, so labels are normalized one by one.
func (b *bidiDomain) appendLabel(dst []byte, label []rune) (_ []byte, ok bool) {
	if len(label) == 0 {
		return dst, true
	}
	if needsNFC(label) {
		label = appendNFC(label[:0], label)
	}
	var buffer [short]rune
	switch isEncoded := hasPrefix(label); {
	case isEncoded && len(label) > maxEncoded, !isEncoded && len(label) > maxLabel && !isBasic(label):
		return dst, false
	case isEncoded:
		if label, ok = appendDecoded(slices.Grow(buffer[:0], len(label)), label[len(prefix):]); !ok || !validDecoded(label) {
			return dst, false
		}
	}
	if classOf(label[0]).mark || !validJoiners(label) {
		return dst, false
	}
	d := directionOf(label)
	b.rightToLeft = b.rightToLeft || d.all&(bidiR|bidiAN) != 0
	b.ruled = b.ruled && d.ruled()
	if isBasic(label) {
		return appendBasic(dst, label), true
	}
	return appendEncoded(append(dst, prefix...), label), true
}

func isASCII(s []byte) bool {
	return !slices.ContainsFunc(s, func(c byte) bool { return c >= utf8.RuneSelf })
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

// validDecoded checks what is true of every other label already: UTS #46 §4.1 steps 1,
// 4 and 7.
func validDecoded(label []rune) bool {
	if slices.ContainsFunc(label, func(r rune) bool { return classOf(r).kind != valid }) {
		return false
	}
	var buffer [short]rune
	return !isBasic(label) && !hasPrefix(label) && (!needsNFC(label) || slices.Equal(label, appendNFC(buffer[:0], label)))
}

func hasPrefix(label []rune) bool {
	return len(label) >= len(prefix) && label[0] == 'x' && label[1] == 'n' && label[2] == '-' && label[3] == '-'
}

// isBasic reports whether label is ASCII, in the words of RFC 3492.
func isBasic(label []rune) bool {
	return !slices.ContainsFunc(label, func(r rune) bool { return r >= utf8.RuneSelf })
}
