// Package idna maps domains to ASCII, as the URL Standard needs it.
package idna

import "golang.org/x/net/idna"

var profile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
)

// AppendASCII appends the ASCII form of a domain (UTF-8, already percent-decoded): the
// URL Standard's "domain to ASCII" with beStrict false. ok is false for failure.
func AppendASCII(dst, domain []byte) (_ []byte, ok bool) {
	s, err := profile.ToASCII(string(domain))
	if err != nil {
		return dst, false
	}
	return append(dst, s...), true
}
