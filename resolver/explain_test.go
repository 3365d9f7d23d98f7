package resolver

import (
	"strings"
	"testing"
)

// Each step is written as "name | value | text".
func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		p                Profile
		base, ref, steps string
	}{
		{RFC1808, "http://a/b/c/d;p?q#f", "", `
1 | http://a/b/c/d;p?q#f | the base URL is known
2a | http://a/b/c/d;p?q#f | the reference is empty: it is the entire base URL
`},
		{RFC1808, "http://a/b/c/d;p?q#f", "g:h", `
1 | http://a/b/c/d;p?q#f | the base URL is known
2b | g:h | the reference begins with a scheme: it is absolute
`},
		{RFC1808, "http://a/b/c/d;p?q#f", "//g/./h", `
1 | http://a/b/c/d;p?q#f | the base URL is known
2c | http://g/./h | the scheme is inherited
3 | http://g/./h | the reference has a net_loc: skip to step 7
7 | http://g/./h | the components are recombined
`},
		{RFC1808, "http://a/b/c/d;p?q#f", ";x", `
1 | http://a/b/c/d;p?q#f | the base URL is known
2c | http:;x | the scheme is inherited
3 | http://a;x | the net_loc is inherited
5 | http://a/b/c/d;x | the path is empty: the base's is inherited
5a | http://a/b/c/d;x | the reference has params: skip to step 7
7 | http://a/b/c/d;x | the components are recombined
`},
		{RFC1808, "http://a/b/c/d;p?q#f", "./x/../.../y/..", `
1 | http://a/b/c/d;p?q#f | the base URL is known
2c | http:./x/../.../y/.. | the scheme is inherited
3 | http://a./x/../.../y/.. | the net_loc is inherited
6 | http://a/b/c/./x/../.../y/.. | the path takes the place of the last segment of the base's path
6a | http://a/b/c/x/../.../y/.. | every segment "." goes, with its slash
6c | http://a/b/c/.../y/.. | every "<segment>/../" goes, from the left, until none is left
6d | http://a/b/c/.../ | a "<segment>/.." at the end goes
7 | http://a/b/c/.../ | the components are recombined
`},
		{RFC1808, "http://a/b/c/d;p?q#f", "./x/../../../../.", `
1 | http://a/b/c/d;p?q#f | the base URL is known
2c | http:./x/../../../../. | the scheme is inherited
3 | http://a./x/../../../../. | the net_loc is inherited
6 | http://a/b/c/./x/../../../../. | the path takes the place of the last segment of the base's path
6a | http://a/b/c/x/../../../../. | every segment "." goes, with its slash
6b | http://a/b/c/x/../../../../ | a "." at the end goes
6c | http://a/../ | every "<segment>/../" goes, from the left, until none is left
7 | http://a/../ | the components are recombined
`},
		{RFC1808, "http://a/../b/../d", "../..", `
1 | http://a/../b/../d | the base URL is known
2c | http:../.. | the scheme is inherited
3 | http://a../.. | the net_loc is inherited
6 | http://a/../b/../../.. | the path takes the place of the last segment of the base's path
6c | http://a/../../.. | every "<segment>/../" goes, from the left, until none is left
7 | http://a/../../.. | the components are recombined
`},
		{RFC1808, "file:/b/c", "///g", `
1 | file:/b/c | the base URL is known
2c | file:///g | the scheme is inherited
3 | file:///g | the net_loc is inherited
4 | file:///g | the path is absolute: skip to step 7
7 | file:///g | the components are recombined
`},
		{RFC1808, "http://h", "g", `
1 | http://h | the base URL is known
2c | http:g | the scheme is inherited
3 | http://hg | the net_loc is inherited
6 | http://h/g | the base has no path: a slash goes before the reference's
7 | http://h/g | the components are recombined
`},
		{RFC1808, "http://h", "?y", `
1 | http://h | the base URL is known
2c | http:?y | the scheme is inherited
3 | http://h?y | the net_loc is inherited
5 | http://h/?y | the path is empty, and so is the base's: a slash ends the net_loc
5a | http://h/?y | the params are inherited, if any
5b | http://h/?y | the reference has a query: skip to step 7
7 | http://h/?y | the components are recombined
`},
		{RFC1808, "http://h", "#s", `
1 | http://h | the base URL is known
2c | http:#s | the scheme is inherited
3 | http://h#s | the net_loc is inherited
5 | http://h#s | the path is empty: the base's is inherited
5a | http://h#s | the params are inherited, if any
5b | http://h#s | the query is inherited, if any
7 | http://h#s | the components are recombined
`},
		{RFC1808, "file:/a", ".//g", `
1 | file:/a | the base URL is known
2c | file:.//g | the scheme is inherited
3 | file:.//g | the net_loc is inherited
6 | file:/.//g | the path takes the place of the last segment of the base's path
6a | file://g | every segment "." goes, with its slash
7 |  | invalid URL: its path would begin with // and be taken for its net_loc
`},
		{RFC3986, "http://a/b/c/d;p?q", "g:h", `
5.2.2 | g:h | the reference has a scheme: it is absolute
`},
		{RFC3986, "http://a/b/c/d;p?q", "", `
5.2.2 | http: | the scheme is inherited
5.2.2 | http://a | the authority is inherited, if any
5.2.2 | http://a/b/c/d;p | the path is empty: the base's is inherited
5.2.2 | http://a/b/c/d;p?q | the query is inherited, if any
5.3 | http://a/b/c/d;p?q | the components are recombined
`},
		{RFC3986, "http://a/b/c/d;p?q", "//g/../h?", `
5.2.2 | http://g/../h? | the scheme is inherited
5.2.2 | http://g/../h? | the reference has an authority
5.2.4 | http://g/h? | dot segments are removed
5.3 | http://g/h? | the components are recombined
`},
		{RFC3986, "http://a/b/c/d;p?q", "///.g", `
5.2.2 | http:///.g | the scheme is inherited
5.2.2 | http:///.g | the reference has an authority
5.3 | http:///.g | the components are recombined
`},
		{RFC3986, "http://a/b/c/d;p?q", "/./g", `
5.2.2 | http:/./g | the scheme is inherited
5.2.2 | http://a/./g | the authority is inherited, if any
5.2.2 | http://a/./g | the path is absolute
5.2.4 | http://a/g | dot segments are removed
5.3 | http://a/g | the components are recombined
`},
		{RFC3986, "http://a/./b/../c/d", "g", `
5.2.2 | http:g | the scheme is inherited
5.2.2 | http://ag | the authority is inherited, if any
5.2.3 | http://a/./b/../c/g | the path takes the place of the last segment of the base's path
5.2.4 | http://a/c/g | dot segments are removed, also from the base's path
5.3 | http://a/c/g | the components are recombined
`},
		{RFC3986, "http://h", "../g", `
5.2.2 | http:../g | the scheme is inherited
5.2.2 | http://h../g | the authority is inherited, if any
5.2.3 | http://h/../g | the base has no path: a slash goes before the reference's
5.2.4 | http://h/g | dot segments are removed
5.3 | http://h/g | the components are recombined
`},
		{RFC3986, "http://h", "?y", `
5.2.2 | http:?y | the scheme is inherited
5.2.2 | http://h?y | the authority is inherited, if any
5.2.2 | http://h?y | the path is empty: the base's is inherited
5.3 | http://h?y | the components are recombined
`},
		{RFC3986, "mailto:a@b", "g", `
5.2.2 | mailto:g | the scheme is inherited
5.2.2 | mailto:g | the authority is inherited, if any
5.2.3 | mailto:g | the path takes the place of the last segment of the base's path
5.3 | mailto:g | the components are recombined
`},
		{RFC3986, "file:/a", "/.//g", `
5.2.2 | file:/.//g | the scheme is inherited
5.2.2 | file:/.//g | the authority is inherited, if any
5.2.2 | file:/.//g | the path is absolute
5.2.4 | file://g | dot segments are removed
5.3 |  | invalid URL: its path would begin with // and be taken for its authority
`},
		{WHATWG, "http://a/b/c/d;p?q", "../g", `
4.4 no scheme state | http: | the reference has no scheme: the base's is inherited
4.4 relative state | http://a/b/c/ | the path of the base is inherited, without its last segment
4.4 path state | http://a/b/g | segments are appended, and dot segments removed
`},
		{WHATWG, "http://a/b/c/d;p?q", "", `
4.4 no scheme state | http: | the reference has no scheme: the base's is inherited
4.4 relative state | http://a/b/c/d;p?q | the path is empty: the base's is inherited, and the query
`},
		{WHATWG, "http://a/b", "?x#y", `
4.4 no scheme state | http: | the reference has no scheme: the base's is inherited
4.4 relative state | http://a/b | the path is empty: the base's is inherited
4.4 query state | http://a/b?x | the query is the reference's
4.4 fragment state | http://a/b?x#y | the fragment is the reference's
`},
		{WHATWG, "http://a/b", " \tHTTP:\ng ", `
4.4 basic URL parser | HTTP:g | white space and control characters at the ends go, tabs and newlines everywhere
4.4 scheme state | http: | the reference begins with a scheme
4.4 special relative or authority state | http: | the scheme is the base's, and // does not follow: the rest is relative
4.4 relative state | http://a/ | the path of the base is inherited, without its last segment
4.4 path state | http://a/g | the path is the reference's
`},
		{WHATWG, "http://a/b", "https:\\\\u:p@H%41:0443?x", `
4.4 scheme state | https: | the reference begins with a scheme
4.4 special authority slashes state | https: | the authority comes next, after any number of slashes
4.4 authority state | https://u:p@ | what stands before the last @ is a user and a password
3.5 host parser | https://u:p@ha | the host is a domain
4.4 port state | https://u:p@ha | the port is empty or the default: it goes
4.4 path state | https://u:p@ha/ | the path is empty: it is a slash
4.4 query state | https://u:p@ha/?x | the query is the reference's
`},
		{WHATWG, "http://a/b", "//0x7f.1:81/", `
4.4 no scheme state | http: | the reference has no scheme: the base's is inherited
4.4 relative slash state | http: | two slashes: the authority comes next
3.5 IPv4 parser | http://127.0.0.1 | the host ends in a number: it is an IPv4 address
4.4 port state | http://127.0.0.1:81 | a port follows
4.4 path state | http://127.0.0.1:81/ | the path is empty: it is a slash
`},
		{WHATWG, "http://a/b", "x://[::0.0.0.1]", `
4.4 scheme state | x: | the reference begins with a scheme
4.4 path or authority state | x: | // follows: the authority comes next
3.5 IPv6 parser | x://[::1] | the host is an IPv6 address
`},
		{WHATWG, "x:/a", "/..//y", `
4.4 no scheme state | x: | the reference has no scheme: the base's is inherited
4.4 relative slash state | x: | one slash: the authority is inherited, if any
4.4 path state | x://y | segments are appended, and dot segments removed
4.5 URL serializer | x:/.//y | the path begins with //: /. goes before it, so that it is not taken for an authority
`},
		{WHATWG, "http://a/b", "mailto:x y?z", `
4.4 scheme state | mailto: | the reference begins with a scheme
4.4 opaque path state | mailto:x y | no slash follows: the path is opaque, not a hierarchy
4.4 query state | mailto:x y?z | the query is the reference's
`},
		{WHATWG, "about:blank", "#s", `
4.4 no scheme state | about:blank | the reference is a fragment: everything before it is inherited
4.4 fragment state | about:blank#s | the fragment is the reference's
`},
		{WHATWG, "about:blank", "g", `
4.4 no scheme state |  | cannot be a base URL: its path is opaque
`},
		{WHATWG, "file:///C:/a", "/b", `
4.4 no scheme state | file: | the reference has no scheme: the base's is inherited
4.4 file slash state | file:///C:/ | the host is inherited, and the drive letter
4.4 path state | file:///C:/b | the path is the reference's
`},
		{WHATWG, "file:///C:/a", "D|/b", `
4.4 no scheme state | file: | the reference has no scheme: the base's is inherited
4.4 file state | file:// | the host is inherited
4.4 path state | file:///D:/b | the path is the reference's
`},
		{WHATWG, "file:///C:/a", "//localhost/b", `
4.4 no scheme state | file: | the reference has no scheme: the base's is inherited
3.5 host parser | file://localhost | the host is a domain
4.4 file host state | file:// | the host is localhost: it becomes empty
4.4 path state | file:///b | the path is the reference's
`},
		{WHATWG, "http://a/b", "file:c", `
4.4 scheme state | file: | the reference begins with a scheme
4.4 file state | file:// | the host is empty
4.4 path state | file:///c | the path is the reference's
`},
		{WHATWG, "http://a/b", "//a:99999/", `
4.4 no scheme state | http: | the reference has no scheme: the base's is inherited
4.4 relative slash state | http: | two slashes: the authority comes next
3.5 host parser | http://a | the host is a domain
4.4 port state |  | invalid URL: a port of more than 65535
`},
		{WHATWG, "http://a/b", "//[1/", `
4.4 no scheme state | http: | the reference has no scheme: the base's is inherited
4.4 relative slash state | http: | two slashes: the authority comes next
3.5 host parser |  | invalid URL: the IPv6 address has no closing bracket
`},
		{WHATWG, "http://a/b", "\xff", `
4.4 basic URL parser |  | invalid URL: not UTF-8
`},
		{WHATWG, "file:///C:/a", "//D:/b", `
4.4 no scheme state | file: | the reference has no scheme: the base's is inherited
4.4 file host state | file:// | what follows is a drive letter, not a host
4.4 path state | file:///D:/b | the path is the reference's
`},
		{WHATWG, "file://h/a", "file:b", `
4.4 scheme state | file: | the reference begins with a scheme
4.4 file state | file://h/ | the path of the base is inherited, without its last segment
4.4 path state | file://h/b | the path is the reference's
`},
	} {
		base := mustParse(t, tt.base, tt.p)
		var got strings.Builder
		for _, s := range base.Explain(tt.ref) {
			got.WriteString("\n" + s.Name + " | " + s.Value + " | " + s.Text)
		}
		if got, want := got.String(), strings.TrimSuffix(tt.steps, "\n"); got != want {
			t.Errorf("%s: Explain(%q) on %s:%s\nwant%s", tt.p, tt.ref, base, got, want)
		}
		checkExplainEnd(t, base, tt.ref)
	}
}

// checkExplainEnd checks that the last step of Explain, which has code of its own, has
// the result of Resolve.
func checkExplainEnd(t *testing.T, base *Base, ref string) {
	t.Helper()
	url, err := base.Resolve(ref)
	steps := base.Explain(ref)
	last := steps[len(steps)-1]
	if last.Value != url || err != nil && last.Text != err.(*Error).Err.Error() {
		t.Errorf("%s: Explain(%q) on %s ends with %+v, Resolve returns %q, %v", base.Profile(), ref, base, last, url, err)
	}
}
