package resolver

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// A Profile is a standard by which references are split and resolved.
type Profile uint8

const (
	// RFC1808 splits by §2.4 of RFC 1808 and resolves by §4, to the letter. A
	// reference with a scheme is absolute, and comes back byte for byte.
	RFC1808 Profile = iota
	// RFC3986 resolves by §5.2 to §5.4 of RFC 3986, strictly: a reference with
	// a scheme is absolute, even with the scheme of the base. It comes back byte
	// for byte, unlike in §5.2.2: its dot segments stay.
	RFC3986
	// WHATWG resolves by the URL Standard, as browsers do. The result is the
	// serialization of the parsed URL, even if the reference is absolute.
	// References and base URLs are UTF-8.
	WHATWG
)

var profileNames = [...]string{RFC1808: "rfc1808", RFC3986: "rfc3986", WHATWG: "whatwg"}

// String returns the profile's name: rfc1808, rfc3986 or whatwg.
func (p Profile) String() string {
	if int(p) < len(profileNames) {
		return profileNames[p]
	}
	return fmt.Sprintf("Profile(%d)", uint8(p))
}

// MarshalText returns the profile's name. It implements
// [encoding.TextMarshaler].
func (p Profile) MarshalText() ([]byte, error) {
	if int(p) < len(profileNames) {
		return []byte(profileNames[p]), nil
	}
	return nil, fmt.Errorf("no such profile: %d", uint8(p))
}

// UnmarshalText sets the profile by its name. It implements
// [encoding.TextUnmarshaler].
func (p *Profile) UnmarshalText(text []byte) error {
	for i, name := range profileNames {
		if name == string(text) {
			*p = Profile(i)
			return nil
		}
	}
	return fmt.Errorf("no such profile: %q (there are rfc1808, rfc3986 and whatwg)", text)
}

// IsAbsolute reports whether ref is absolute on every base URL. In the WHATWG profile,
// [Base.IsAbsolute] may know that more references are absolute: http:x is so on an ftp
// base. IsAbsolute does not allocate.
func (p Profile) IsAbsolute(ref []byte) bool {
	if p == RFC1808 {
		return scheme1808(ref) > 0
	}
	n := scheme3986(ref)
	return n > 0 && (p == RFC3986 || !isSpecial(ref[:n]) || len(ref) >= n+2 && isSlash(ref[n]) && isSlash(ref[n+1]))
}

// Accepts reports whether ref is absolute and plainly a URL: it resolves without an error
// on every base URL. If the result is false, ref may be a URL all the same;
// [Base.Resolve] finds out. Accepts does not allocate.
func (p Profile) Accepts(ref []byte) bool {
	if p != WHATWG {
		return p.IsAbsolute(ref)
	}
	host := absoluteHost(ref)
	if host == 0 {
		n := scheme3986(ref)
		return n > 0 && !hasNetLoc(ref, n) && !isSpecial(ref[:n]) && !hasIgnored(ref) && isUTF8(ref)
	}
	domain := ref[host:indexSet(ref, host, stopsHost)]
	end := host + len(domain)
	if end < len(ref) && ref[end] == ':' { // a port of up to four digits is less than 65536
		for end++; end < len(ref) && end <= host+len(domain)+4 && isDigit(ref[end]); end++ {
		}
	}
	// After host and port, nothing fails.
	return len(domain) > 0 && (end == len(ref) || urlClass[ref[end]]&endsSegment != 0) && !endsInNumber(domain) && isUTF8(ref[end:])
}

// hasIgnored reports whether s has bytes that the URL parser drops wherever they stand.
func hasIgnored(s []byte) bool {
	return bytes.IndexByte(s, '\t') >= 0 || bytes.IndexByte(s, '\n') >= 0 || bytes.IndexByte(s, '\r') >= 0
}

// isUTF8 is utf8.Valid, and faster for a URL in ASCII.
func isUTF8(s []byte) bool {
	last := len(s) - 8
	if last < 0 {
		return utf8.Valid(s)
	}
	bits := binary.LittleEndian.Uint64(s[last:])
	for i := 0; i < last; i += 8 {
		bits |= binary.LittleEndian.Uint64(s[i:])
	}
	return bits&0x8080808080808080 == 0 || utf8.Valid(s)
}

// isSpecial reports whether a scheme, with its colon, is special (URL Standard §4.2).
func isSpecial(scheme []byte) bool {
	var lower [len("https:")]byte
	if len(scheme) > len(lower) {
		return false
	}
	for i, c := range scheme {
		lower[i] = c | 0x20
	}
	_, special := specialScheme(lower[:len(scheme)])
	return special
}

// isSlash reports whether c is a slash in a special URL.
func isSlash(c byte) bool { return c == '/' || c == '\\' }
