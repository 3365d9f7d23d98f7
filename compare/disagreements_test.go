package compare

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/net/idna"
)

const (
	chromium  = "Chromium"
	whatwgURL = "whatwg-url"
)

// A disagreement is a class of pairs that one of the two programs resolves otherwise than
// the URL Standard.
type disagreement struct {
	who          string // the program; we are with the other
	why          string
	example      pair
	ours, theirs string // the URL of the example; "" for failure
	has          func(c comparison, theirs string) bool
}

// disagreements are known for Chromium 156 and whatwg-url 17.3.0, narrow ones first.
var disagreements = []disagreement{
	{whatwgURL, "it has Unicode 18; we have Unicode 17, as Chromium", pair{"//\U00018e90", "http://h"}, "", "http://xn--tg7f/",
		func(c comparison, theirs string) bool {
			decoded, _ := idna.Punycode.ToUnicode(host(theirs))
			return c.ours == "" && strings.ContainsFunc(unescape(c.input())+decoded, isNew)
		}},
	{chromium, "it has schemes of its own, which are special or opaque: filesystem, chrome, steam and others", pair{"chrome://A", "x:/"}, "chrome://A", "chrome://a/",
		func(c comparison, theirs string) bool { return ownScheme.MatchString(c.scheme()) }},
	{chromium, "| in a path is %7C (path percent-encode set, §1.3)", pair{"|", "http://h"}, "http://h/|", "http://h/%7C",
		func(c comparison, theirs string) bool { return sameAfter(c.ours, theirs, "%7C", "|") }},
	{chromium, "' in credentials, and in the query of a URL that is not special, is %27 (§1.3)", pair{"?'", "x:/"}, "x:/?'", "x:/?%27",
		func(c comparison, theirs string) bool { return sameAfter(c.ours, theirs, "%27", "'", "%7C", "|") }},
	{chromium, "the last space of an opaque path stays (opaque path state, §4.4)", pair{"x: ?y", "http://h"}, "x:%20?y", "x: ?y",
		func(c comparison, theirs string) bool {
			return opaqueSpace.MatchString(theirs) && sameAfter(c.ours, theirs, "%20", " ", "%27", "'")
		}},
	{chromium, "tabs and newlines stay in the path of data: and javascript: (basic URL parser, step 3)", pair{"data:a\tb", "x:/"}, "data:ab", "data:a%09b",
		func(c comparison, theirs string) bool {
			return strings.ContainsAny(c.ref, "\t\n\r") && (c.scheme() == "data" || c.scheme() == "javascript")
		}},
	{chromium, "* in a domain is %2A, or a failure (forbidden domain code point, §3.2)", pair{"//a*b", "http://h"}, "http://a*b/", "http://a%2Ab/",
		func(c comparison, theirs string) bool {
			return c.special() && strings.Contains(host(c.ours), "*") && (theirs == "" || strings.Contains(host(theirs), "%2A"))
		}},
	{chromium, "a space in a domain is %20 (forbidden host code point, §3.2)", pair{"//a b", "http://h"}, "", "http://a%20b/",
		func(c comparison, theirs string) bool {
			return c.special() && c.ours == "" && strings.Contains(host(theirs), "%20")
		}},
	{chromium, "IPv6 addresses may be percent-encoded, and have zeros before an IPv4 number (§3.5)", pair{"//[::%31]", "http://h"}, "", "http://[::1]/",
		func(c comparison, theirs string) bool {
			return c.ours == "" && strings.HasPrefix(host(theirs), "[")
		}},
	{chromium, "a domain is percent-decoded again after it is mapped (host parser, §3.5)", pair{"//\uff05\uff14\uff11", "http://h"}, "", "http://a/",
		func(c comparison, theirs string) bool {
			return c.special() && c.ours == "" && theirs != "" && strings.Contains(unescape(c.input()), "\uff05")
		}},
	{chromium, "a character of an opaque host whose UTF-16 code unit ends in the byte of a forbidden one is one (§3.5)", pair{"x://\u1040", "x:/"}, "x://%E1%81%80", "",
		func(c comparison, theirs string) bool {
			return !c.special() && theirs == "" && lowByteForbidden(unescape(host(c.ours)))
		}},
	{chromium, `\ is a slash in the path of a URL that is not special (path state, §4.4)`, pair{`\b`, "x://h"}, `x://h/\b`, "x://h/b",
		func(c comparison, theirs string) bool {
			return !c.special() && strings.Contains(c.ours+c.ref, `\`)
		}},
	{chromium, "/. before a path that begins with two slashes is lost (URL serializer, §4.5)", pair{"?y", "x:/.//b"}, "x:/.//b?y", "x://b?y",
		func(c comparison, theirs string) bool {
			return !c.special() && strings.Contains(c.ours, ":/.//") && sameAfter(c.ours, theirs, ":/.//", "://", "%27", "'", "%7C", "|")
		}},
	{chromium, "a path has no drive letters (not on this platform; §4.4)", pair{"/x", "file:///C:/a"}, "file:///C:/x", "file:///x",
		func(c comparison, theirs string) bool { return drive.MatchString(c.ours) }},
	{chromium, "slashes where the path of a file URL begins are one, or have /. before them (file slash state, §4.4)", pair{"a", "file:////h/x"}, "file:////h/a", "file:///h/a",
		func(c comparison, theirs string) bool {
			return strings.HasPrefix(c.ours, "file:////") && sameAfter(fileSlashes.ReplaceAllString(c.ours, "/"), fileSlashes.ReplaceAllString(theirs, "/"), "%7C", "|")
		}},
	{chromium, "the host of a file URL may be localhost (file host state, §4.4)", pair{"file://localhost/x", "x:/"}, "file:///x", "file://localhost/x",
		func(c comparison, theirs string) bool { return strings.HasPrefix(theirs, "file://localhost/") }},
	{chromium, "a file URL with a host and no path fails if it has a query or a fragment", pair{"file://h?q", "x:/"}, "file://h/?q", "",
		func(c comparison, theirs string) bool { return theirs == "" && emptyFile.MatchString(c.ours) }},
}

var (
	ownScheme   = regexp.MustCompile(`^(chrome.*|filesystem|content|isolated-app|android|drivefs|materialized-view|steam|.*-extension|devtools)$`)
	opaqueSpace = regexp.MustCompile(`^[^:/]+:[^/?#][^?#]* [?#]|^[^:/]+: [?#]`)
	schemeStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	authority   = regexp.MustCompile(`^[^/?#]*://([^/?#]*)`)
	fileSlashes = regexp.MustCompile(`^file:/+(\./+)?`)
	emptyFile   = regexp.MustCompile(`^file://[^/]*/([?#]|$)`)
	drive       = regexp.MustCompile(`^file://[^/]*/[A-Za-z]:([/?#]|$)`)
)

// input returns the base and the reference, without what the parser ignores.
func (c comparison) input() string {
	return clean(c.base) + "\n" + clean(c.ref)
}

func clean(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
}

// scheme returns the scheme of the pair, in lower case.
func (c comparison) scheme() string {
	scheme := schemeStart.FindString(clean(c.ref))
	if scheme == "" {
		scheme = schemeStart.FindString(clean(c.base))
	}
	return strings.ToLower(strings.TrimSuffix(scheme, ":"))
}

func (c comparison) special() bool {
	switch c.scheme() {
	case "http", "https", "ws", "wss", "ftp", "file":
		return true
	}
	return false
}

// sameAfter reports whether two URLs are the same after some of their parts are replaced.
// A failure is the same as nothing.
func sameAfter(a, b string, oldnew ...string) bool {
	replace := strings.NewReplacer(oldnew...).Replace
	return a != "" && b != "" && replace(a) == replace(b)
}

// host returns the host in a URL.
func host(url string) string {
	match := authority.FindStringSubmatch(url)
	if match == nil {
		return ""
	}
	return match[1][strings.LastIndexByte(match[1], '@')+1:]
}

// lowByteForbidden reports whether a character that is not ASCII looks like a forbidden
// host code point when only the low byte of its UTF-16 code units counts.
func lowByteForbidden(host string) bool {
	for _, unit := range utf16.Encode([]rune(host)) {
		if unit >= 0x80 && strings.ContainsRune("\x00\t\n\r #/:<>?@[\\]^|", rune(unit&0xff)) {
			return true
		}
	}
	return false
}

// isNew reports whether a code point is not assigned in the Unicode of this Go, which is
// older than 17.
func isNew(r rune) bool { return unicode.Is(unicode.Cn, r) }
