package resolver

import "slices"

// A urlSet is one or several sets of bytes.
type urlSet uint16

// The percent-encode sets of the URL Standard, §1.3, and other sets of bytes. Every
// percent-encode set has all code points from U+007F on, in UTF-8 the bytes from 0x7F on.
const (
	encodeC0 urlSet = 1 << iota
	encodeFragment
	encodeQuery
	encodeSpecialQuery
	encodePath
	encodeUserinfo
	forbiddenHost   // §3.2
	forbiddenDomain // §3.2
	endsPath        // "?" and "#"
	endsSegment     // those and "/"
	endsSpecial     // those and "\", as in a special URL
	isIgnored       // tab and newline
	notASCII

	// What the canonical form of a special URL does not have.
	stopsHost    // host: anything except a-z 0-9 - . _
	stopsSegment // the first segment of a relative path: encodePath, "\", "%", "/" and ":"
	stopsPath    // path: encodePath, "\" and "%"; and ".", which may begin a dot segment
)

// urlClass says of each byte in which sets it is.
var urlClass = func() (class [256]urlSet) {
	for i := range class {
		c := byte(i)
		if c < 0x20 || c > '~' {
			class[i] = encodeC0 | encodeFragment | encodeQuery | encodeSpecialQuery | encodePath | encodeUserinfo | stopsPath | stopsSegment
		}
		if c < 0x20 || c == 0x7f {
			class[i] |= forbiddenDomain
		}
		if c >= 0x80 {
			class[i] |= notASCII
		}
		if c < 'a' || c > 'z' {
			class[i] |= stopsHost
		}
	}
	for _, s := range []struct {
		bytes string
		sets  urlSet
	}{
		{" \"<>", encodeFragment | encodeQuery | encodeSpecialQuery | encodePath | encodeUserinfo | stopsPath | stopsSegment},
		{"`", encodeFragment | encodePath | encodeUserinfo | stopsPath | stopsSegment},
		{"#", encodeQuery | encodeSpecialQuery | encodePath | encodeUserinfo | stopsPath | stopsSegment},
		{"'", encodeSpecialQuery},
		{"?^{}", encodePath | encodeUserinfo | stopsPath | stopsSegment},
		{"/:;=@[\\]|", encodeUserinfo},
		{"\x00\t\n\r #/:<>?@[\\]^|", forbiddenHost | forbiddenDomain},
		{"%", forbiddenDomain},
		{"?#", endsPath | endsSegment | endsSpecial},
		{"/", endsSegment | endsSpecial},
		{"\\", endsSpecial},
		{"\t\n\r", isIgnored},
		{"\\%", stopsPath | stopsSegment},
		{"/:", stopsSegment},
		{".", stopsPath},
	} {
		for _, c := range []byte(s.bytes) {
			class[c] |= s.sets
		}
	}
	for _, c := range []byte("0123456789-._") {
		class[c] &^= stopsHost
	}
	return class
}()

// indexSet returns the index of the first byte from i on that is in one of the sets,
// or len(s).
func indexSet(s []byte, i int, sets urlSet) int {
	for i < len(s) && urlClass[s[i]]&sets == 0 {
		i++
	}
	return i
}

// appendEncoded appends s with the bytes of a set percent-encoded (§1.3, "UTF-8
// percent-encode").
func appendEncoded(dst, s []byte, set urlSet) []byte {
	const hex = "0123456789ABCDEF"
	if len(s) > longText {
		n := len(s)
		for i := indexSet(s, 0, set); i < len(s); i = indexSet(s, i+1, set) {
			n += 2
		}
		dst = slices.Grow(dst, n)
	}
	for {
		n := indexSet(s, 0, set)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return dst
		}
		dst = append(dst, '%', hex[s[n]>>4], hex[s[n]&15])
		s = s[n+1:]
	}
}

// longText is from how many bytes on a text is worth counting before it is appended.
const longText = 4 << 10

// appendDecoded appends s percent-decoded (§1.3), with its ASCII letters in lower case.
func appendDecoded(dst, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = fromHex(s[i+1])<<4 | fromHex(s[i+2])
			i += 2
		}
		dst = append(dst, lower(c))
	}
	return dst
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// fromHex returns the value of a hex digit.
func fromHex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
