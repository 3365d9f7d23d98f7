package resolver

import "fmt"

// A Profile is a standard by which references are split and resolved.
type Profile uint8

const (
	// RFC1808 is RFC 1808, §2.4 and §4, to the letter.
	RFC1808 Profile = iota
	// RFC3986 is RFC 3986, §5.2 to §5.4, strict: a reference that begins
	// with the scheme of the base is absolute. As in the other RFC profile a
	// reference with a scheme comes back byte for byte; its dot segments are
	// not removed.
	RFC3986
	// WHATWG is the URL Standard, what browsers do: the result is the
	// serialization of the parsed URL, also where the reference is absolute.
	// References and base URLs are UTF-8 of at most 8 KiB in this profile:
	// its parser takes quadratic time.
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
