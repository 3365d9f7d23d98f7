package resolver

import "strings"

// WithoutCredentials returns the base URL without the user and the password in its
// net_loc (RFC 1738 §3.1). It returns b itself if b has neither, and nil if the rest
// is not a base URL.
func (b *Base) WithoutCredentials() *Base {
	if b == nil || !b.hasNetLoc() {
		return b
	}
	start := b.scheme + len("//")
	end := start + strings.LastIndexByte(b.url[start:b.netLoc], '@') + 1
	if start == end {
		return b
	}
	public, err := ParseBase(b.url[:start]+b.url[end:], b.profile)
	if err != nil {
		return nil
	}
	return public
}

// Redact returns a URL that is fit for messages and logs, with "…" in place of the
// user and the password. The URL may be invalid, or a relative reference. Whatever
// some program may take for a password is replaced, also in a URL within a URL, as
// in view-source:http://user:password@h/.
func Redact(url string) string {
	start := 0
	for colon, ok := schemeWHATWG(url); ok; colon, ok = schemeWHATWG(url[start:]) {
		start += colon + 1
	}
	authority := strings.TrimLeft(url[start:], "/\\\t\r\n")
	slashes := strings.Count(url[start:len(url)-len(authority)], "/") + strings.Count(url[start:len(url)-len(authority)], `\`)
	if slashes < 2 && !isSpecialScheme(url[strings.LastIndexByte(url[:max(start-1, 0)], ':')+1:start]) {
		return url
	}
	end := strings.IndexAny(authority+"/", `/\`)
	at := strings.LastIndexByte(authority[:end], '@')
	if at < 0 {
		return url
	}
	return url[:len(url)-len(authority)] + "…" + authority[at:]
}

// isSpecialScheme reports whether the URL Standard assumes slashes after a scheme,
// given with its colon, even where they are missing.
func isSpecialScheme(scheme string) bool {
	scheme = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(scheme)
	port, special := specialScheme([]byte(strings.ToLower(strings.TrimLeft(scheme, " "))))
	return special && port > 0 // file has no authority to assume
}
