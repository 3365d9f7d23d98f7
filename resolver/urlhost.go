package resolver

import (
	"bytes"
	"encoding/binary"
	"net/netip"
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
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, address))).AppendTo(dst)
}

// parseIPv6 is the IPv6 parser. Package netip has one for strings, which would be allocated.
func parseIPv6(s []byte) (address [16]byte, ok bool) {
	before, after, compressed := bytes.Cut(s, []byte("::"))
	start, ok := appendPieces(address[:0], before, !compressed)
	if !ok || !compressed {
		return address, ok && len(start) == len(address)
	}
	all, ok := appendPieces(start, after, true)
	end := all[len(start):]
	zeros := len(address) - len(all)
	copy(address[len(start)+zeros:], end)
	clear(address[len(start):][:zeros])
	return address, ok && zeros > 0
}

// appendPieces appends pieces of an IPv6 address, to 16 bytes at most. ends says that they
// are its last: two of them may then be an IPv4 address.
func appendPieces(dst, s []byte, ends bool) ([]byte, bool) {
	for more := len(s) > 0; more; {
		var piece []byte
		piece, s, more = bytes.Cut(s, []byte(":"))
		if ends && !more && bytes.IndexByte(piece, '.') >= 0 {
			return appendNumbers(dst, piece)
		}
		if len(piece) == 0 || len(piece) > 4 || len(dst) == 16 {
			return dst, false
		}
		n := uint16(0)
		for _, c := range piece {
			if !isHex(c) {
				return dst, false
			}
			n = n<<4 | uint16(fromHex(c))
		}
		dst = binary.BigEndian.AppendUint16(dst, n)
	}
	return dst, true
}

// appendNumbers appends the four decimal numbers at the end of an IPv6 address: step 6.5
// of its parser.
func appendNumbers(dst, s []byte) ([]byte, bool) {
	for i := range 4 {
		number, rest, more := bytes.Cut(s, []byte("."))
		n, err := strconv.ParseUint(string(number), 10, 8)
		if err != nil || len(number) > 1 && number[0] == '0' || more != (i < 3) || len(dst) == 16 {
			return dst, false
		}
		dst, s = append(dst, byte(n)), rest
	}
	return dst, true
}

// appendIPv6 is the IPv6 serializer, with the brackets of the host serializer. Package
// netip writes the same, except for an address that stands for one of IPv4.
func appendIPv6(dst []byte, address [16]byte) []byte {
	if a := netip.AddrFrom16(address); !a.Is4In6() {
		return append(a.AppendTo(append(dst, '[')), ']')
	}
	dst = strconv.AppendUint(append(dst, "[::ffff:"...), uint64(binary.BigEndian.Uint16(address[12:])), 16)
	dst = strconv.AppendUint(append(dst, ':'), uint64(binary.BigEndian.Uint16(address[14:])), 16)
	return append(dst, ']')
}
