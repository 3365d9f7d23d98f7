package listing

import "strings"

// WithoutLogin returns a URL without its user and password, also where a slash in
// the password is not escaped, as in http://user:pass/word@host/. A URL that
// has no user keeps all of its bytes.
func WithoutLogin(url string) string {
	if !strings.Contains(url, "@") {
		return url
	}
	start := strings.Index(url, "//") + len("//")
	if start < len("//") {
		return url
	}
	end := start + endOfAuthority(url[start:])
	if HasOddPort(url) {
		end = len(url)
	}
	at := strings.LastIndexByte(url[start:end], '@')
	if at < 0 {
		return url
	}
	return url[:start] + url[start+at+1:]
}

// endOfAuthority returns the length of the authority that stands after the "//" of
// a URL.
func endOfAuthority(rest string) int {
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		return end
	}
	return len(rest)
}

// HasOddPort reports whether the port of a URL is in truth the beginning of a
// password: it is not a number, and an "@" comes after it.
func HasOddPort(url string) bool {
	_, rest, _ := strings.Cut(url, "//")
	authority := rest[:endOfAuthority(rest)]
	_, port, _ := strings.Cut(authority[strings.LastIndexByte(authority, ']')+1:], ":")
	return !strings.Contains(authority, "@") && strings.Trim(port, "0123456789") != "" && strings.Contains(rest, "@")
}

// HostIn returns the host in a net_loc, without user, password and port.
func HostIn(netLoc string) string {
	host := netLoc[strings.LastIndexByte(netLoc, '@')+1:]
	if i := strings.LastIndexByte(host, ']'); i >= 0 {
		return host[:i+1]
	}
	host, _, _ = strings.Cut(host, ":")
	return host
}
