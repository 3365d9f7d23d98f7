package resolver

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"absolink/resolver/internal/idna"
)

const hostParser = "3.5 host parser"

var (
	errNoHost    = &urlFailure{"4.4 host state", "no host"}
	errBracket   = &urlFailure{hostParser, "the IPv6 address has no closing bracket"}
	errHostChar  = &urlFailure{hostParser, "a character in the host that no host may have"}
	errDomain    = &urlFailure{hostParser, "the host is not a domain name"}
	errIPv4      = &urlFailure{"3.5 IPv4 parser", "the host ends in a number, but is not an IPv4 address"}
	errIPv6      = &urlFailure{"3.5 IPv6 parser", "what is in the brackets is not an IPv6 address"}
	errPort      = &urlFailure{"4.4 port state", "a port that is not a number"}
	errPortRange = &urlFailure{"4.4 port state", "a port of more than 65535"}
)

// appendHost appends the host that in stands for, parsed and serialized (§3.5 and §3.6).
// An opaque host is the host of a URL that is not special.
func appendHost(dst, in []byte, opaque bool) ([]byte, error) {
	switch {
	case len(in) > 0 && in[0] == '[':
		if in[len(in)-1] != ']' {
			return dst, errBracket
		}
		address, ok := parseIPv6(in[1 : len(in)-1])
		if !ok {
			return dst, errIPv6
		}
		return appendIPv6(dst, address), nil
	case opaque:
		if indexSet(in, 0, forbiddenHost) < len(in) {
			return dst, errHostChar
		}
		return appendEncoded(dst, in, encodeC0), nil
	}
	return appendDomain(dst, in)
}

// appendDomain appends a domain or an IPv4 address: the host parser from its step 4 on.
func appendDomain(dst, in []byte) ([]byte, error) {
	start := len(dst)
	dst = appendDecoded(dst, in)
	host := dst[start:]
	if indexSet(host, 0, notASCII) < len(host) {
		if !utf8.Valid(host) {
			return dst, errDomain // the domain parser fails on U+FFFD
		}
		var ok bool
		if dst, ok = idna.AppendASCII(dst, host); !ok {
			return dst, errDomain
		}
		dst = append(dst[:start], dst[start+len(host):]...)
		host = dst[start:]
	}
	if indexSet(host, 0, forbiddenDomain) < len(host) {
		return dst, errHostChar
	}
	if !endsInNumber(host) {
		return dst, nil
	}
	address, ok := parseIPv4(host)
	if !ok {
		return dst, errIPv4
	}
	return appendIPv4(dst[:start], address), nil
}

// endsInNumber is the ends in a number checker, for a host in lower case.
func endsInNumber(host []byte) bool {
	if n := len(host); n > 0 && 'g' <= host[n-1] && host[n-1] <= 'w' { // as in "com": not the end of a number, even in hexadecimal
		return false
	}
	host = bytes.TrimSuffix(host, []byte("."))
	last := host[bytes.LastIndexByte(host, '.')+1:]
	if len(last) == 0 || !isDigit(last[0]) {
		return false
	}
	digits := true
	for _, c := range last {
		digits = digits && isDigit(c)
	}
	if digits {
		return true
	}
	_, ok := parseIPv4Number(last)
	return ok
}

// parseIPv4 is the IPv4 parser, for a host in lower case.
func parseIPv4(host []byte) (address uint32, ok bool) {
	host = bytes.TrimSuffix(host, []byte("."))
	for i := range 4 {
		part, rest, more := bytes.Cut(host, []byte("."))
		n, ok := parseIPv4Number(part)
		if !ok {
			return 0, false
		}
		if !more { // the last part fills the bytes that are left
			return address | uint32(n), n < 1<<(8*(4-i))
		}
		if n > 255 {
			return 0, false
		}
		address |= uint32(n) << (8 * (3 - i))
		host = rest
	}
	return 0, false
}

// parseIPv4Number is the IPv4 number parser. A number of 2³² or more counts as 2³².
func parseIPv4Number(s []byte) (n uint64, ok bool) {
	radix := uint64(10)
	switch {
	case len(s) == 0:
		return 0, false
	case len(s) >= 2 && s[0] == '0' && s[1] == 'x':
		radix, s = 16, s[2:]
	case len(s) >= 2 && s[0] == '0':
		radix, s = 8, s[1:]
	}
	for _, c := range s {
		if !isHex(c) || uint64(fromHex(c)) >= radix {
			return 0, false
		}
		n = min(n*radix+uint64(fromHex(c)), 1<<32)
	}
	return n, true
}

// appendIPv4 is the IPv4 serializer.
func appendIPv4(dst []byte, address uint32) []byte {
	for shift := 24; shift >= 0; shift -= 8 {
		dst = strconv.AppendUint(dst, uint64(address>>shift&255), 10)
		if shift > 0 {
			dst = append(dst, '.')
		}
	}
	return dst
}

// parseIPv6 is the IPv6 parser.
func parseIPv6(s []byte) (address [8]uint16, ok bool) {
	piece, compress := 0, -1
	if len(s) > 0 && s[0] == ':' { // 5
		if len(s) < 2 || s[1] != ':' {
			return address, false
		}
		s = s[2:]
		piece, compress = 1, 1
	}
	for len(s) > 0 { // 6
		if piece == 8 {
			return address, false
		}
		if s[0] == ':' {
			if compress >= 0 {
				return address, false
			}
			s = s[1:]
			piece++
			compress = piece
			continue
		}
		n := 0
		for n < 4 && n < len(s) && isHex(s[n]) {
			address[piece] = address[piece]<<4 | uint16(fromHex(s[n]))
			n++
		}
		switch {
		case n < len(s) && s[n] == '.': // 6.5
			high, low, ok := parseIPv4InIPv6(s)
			if n == 0 || piece > 6 || !ok {
				return address, false
			}
			address[piece], address[piece+1] = high, low
			piece += 2
			s = nil
			continue
		case n < len(s) && s[n] == ':': // 6.6
			if n++; n == len(s) {
				return address, false
			}
		case n < len(s): // 6.7
			return address, false
		}
		s = s[n:]
		piece++
	}
	if compress < 0 {
		return address, piece == 8
	}
	moved := piece - compress // 7
	copy(address[8-moved:], address[compress:piece])
	clear(address[compress : 8-moved])
	return address, true
}

// parseIPv4InIPv6 parses the four decimal numbers at the end of an IPv6 address, step
// 6.5 of its parser.
func parseIPv4InIPv6(s []byte) (high, low uint16, ok bool) {
	var numbers [4]uint16
	for i := range numbers {
		part, rest, more := bytes.Cut(s, []byte("."))
		if len(part) == 0 || len(part) > 1 && part[0] == '0' || more != (i < 3) {
			return 0, 0, false
		}
		for _, c := range part {
			if numbers[i] = numbers[i]*10 + uint16(c-'0'); !isDigit(c) || numbers[i] > 255 {
				return 0, 0, false
			}
		}
		s = rest
	}
	return numbers[0]<<8 | numbers[1], numbers[2]<<8 | numbers[3], true
}

// appendIPv6 is the IPv6 serializer, with the brackets of the host serializer.
func appendIPv6(dst []byte, address [8]uint16) []byte {
	from, to := longestZeros(address)
	dst = append(dst, '[')
	for i := 0; i < 8; i++ {
		if i == from {
			dst = append(dst, "::"...)
			if i = to; i == 8 {
				break
			}
		} else if i > 0 {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(address[i]), 16)
	}
	return append(dst, ']')
}

// longestZeros returns the span of the first longest sequence of pieces that are 0, if
// it has more than one; otherwise -1.
func longestZeros(address [8]uint16) (from, to int) {
	from, to = -1, 0 // as long as one piece
	for i := 0; i < 8; i++ {
		end := i
		for end < 8 && address[end] == 0 {
			end++
		}
		if end-i > to-from {
			from, to = i, end
		}
		i = max(i, end-1)
	}
	return from, to
}
