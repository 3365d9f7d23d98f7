package resolver

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func mustParse(t testing.TB, url string, p Profile) *Base {
	t.Helper()
	b, err := ParseBase(url, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The examples of the two RFCs, as they stand there.
func TestExamples(t *testing.T) {
	for p, examples := range map[Profile]int{RFC1808: 39, RFC3986: 42} {
		t.Run(p.String(), func(t *testing.T) {
			data, err := os.ReadFile("../testdata/rfc/" + p.String() + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			var base *Base
			n := 0
			for line := range strings.Lines(string(data)) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "# ") {
					continue
				}
				ref, want, ok := strings.Cut(line, "\t")
				if !ok {
					t.Fatalf("no tab in line %q", line)
				}
				if ref == "base" {
					base = mustParse(t, want, p)
					continue
				}
				n++
				checkResolve(t, base, ref, want)
			}
			if n != examples {
				t.Errorf("%d examples, want %d", n, examples)
			}
		})
	}
}

// checkResolve checks Resolve, and that AppendResolve and Explain agree.
func checkResolve(t *testing.T, base *Base, ref, want string) {
	t.Helper()
	got, err := base.Resolve(ref)
	if got != want || err != nil {
		t.Errorf("%s: Resolve(%q) on %s = %q, %v; want %q", base.Profile(), ref, base, got, err, want)
	}
	dst, err := base.AppendResolve([]byte("before "), []byte(ref))
	if string(dst) != "before "+want || err != nil {
		t.Errorf("%s: AppendResolve(%q) on %s = %q, %v", base.Profile(), ref, base, dst, err)
	}
	checkExplainEnd(t, base, ref)
}

// A Reference that was made by hand is what its string is split into, or the comparison
// tells.
func TestSplitByHand(t *testing.T) {
	for _, tt := range []struct {
		r     Reference
		s     string
		again bool
	}{
		{Reference{Scheme: "http", NetLoc: "a", Path: "/b", Params: "c", Query: "d", Fragment: "e"}, "http://a/b;c?d#e", true},
		{Reference{Path: "b/c:d"}, "b/c:d", true},
		{Reference{Scheme: "http", NetLoc: "a", Path: "b"}, "http://ab", false},
		{Reference{Path: "//a"}, "//a", false},
		{Reference{Path: "a:b"}, "a:b", false},
		{Reference{Path: "a?b"}, "a?b", false},
		{Reference{NetLoc: "a", Query: "b"}, "//a?b", false},
		{Reference{Scheme: "a b"}, "a b:", false},
		{Reference{Query: "a#b"}, "?a#b", false},
	} {
		if s := tt.r.String(); s != tt.s || (Split(s) == tt.r) != tt.again {
			t.Errorf("%+v is %q, split into %+v", tt.r, s, Split(s))
		}
	}
}

func TestResolve(t *testing.T) {
	for _, tt := range []struct {
		p               Profile
		base, ref, want string
	}{
		// TestResolveLetter has the other references of RFC 1808.
		{RFC1808, "http://a/b/c/d", "HTTP://A/./b/../c d", "HTTP://A/./b/../c d"},
		{RFC1808, "http://u:p?w@h/b", "g", "http://u:p?w@h/g"},

		{RFC3986, "http://a/b/c/d;p?q#f", "", "http://a/b/c/d;p?q"},
		{RFC3986, "http://a/b/c/d;p?q", "?", "http://a/b/c/d;p?"},
		{RFC3986, "http://a/b/c/d;p?q", "#", "http://a/b/c/d;p?q#"},
		{RFC3986, "http://a/b/c/d;p?q", "//g/../h/./i", "http://g/h/i"},
		{RFC3986, "http://a/b/c/d;p?q", "//g?x", "http://g?x"},
		{RFC3986, "http://a/b/c/d;p?q", "///g", "http:///g"},
		{RFC3986, "http://h", "g", "http://h/g"},
		{RFC3986, "http://h?q", "?y", "http://h?y"},
		{RFC3986, "http://a/b;p/c/d", "g", "http://a/b;p/c/g"},
		{RFC3986, "http://a/b/c/d", "x//../y", "http://a/b/c/x/y"},
		{RFC3986, "http://a/b/c/d", "1:2", "http://a/b/c/1:2"},
		{RFC3986, "http://a/b/c/d", "HTTP://A/./b/../c d", "HTTP://A/./b/../c d"},
		{RFC3986, "urn:a", "#s", "urn:a#s"},
		{RFC3986, "mailto:a@b", "g", "mailto:g"},
		{RFC3986, "x:a/b", "../../g", "x:/g"},
		{RFC3986, "x:a/b", "./g/.", "x:a/g/"},
		{RFC3986, "x:b", "../.", "x:"},
		{RFC3986, "x:", "./g", "x:g"},
		{RFC3986, "x:", "../g", "x:g"},
		{RFC3986, "x:", ".", "x:"},
		{RFC3986, "x:", "..", "x:"},
		{RFC3986, "x:a/b/c", "..", "x:a/"},
		{RFC3986, "x:a/b/c", "../..", "x:/"},
		{RFC3986, "x:a/b/c", ".", "x:a/b/"},
		{RFC3986, "x:a/b/c", "./g", "x:a/b/g"},
		{RFC3986, "x:a/b/c", "../g", "x:a/g"},
		{RFC3986, "x:./a/../b", "g", "x:/g"},
		{RFC3986, "x:../a", "g", "x:g"},

		{WHATWG, "http://h/a/b", "http:foo", "http://h/a/foo"},
		{WHATWG, "http://h/a/b", `\p`, "http://h/p"},
		{WHATWG, "http://h/a/b", " x\ty\n", "http://h/a/xy"},
		{WHATWG, "http://h/a/b", "../../%2e%2E/g h", "http://h/g%20h"},
		{WHATWG, "http://h/a/b#f", "", "http://h/a/b"},
		{WHATWG, "HTTP://H:80", "//ex\u00e4mple/", "http://xn--exmple-cua/"},
		{WHATWG, "about:blank", "#f", "about:blank#f"},
		{WHATWG, "mailto:x", "http:y", "http://y/"},
		{WHATWG, "http://h/", "\ufffd", "http://h/%EF%BF%BD"},
		{WHATWG, "http://h/", strings.Repeat("a", 8<<10), "http://h/" + strings.Repeat("a", 8<<10)},
	} {
		checkResolve(t, mustParse(t, tt.base, tt.p), tt.ref, tt.want)
	}
}

// §3.4: without a base, the reference comes back unchanged.
func TestNoBase(t *testing.T) {
	var b *Base
	for _, ref := range []string{"", "g", "../g#s", "http://a/", "//h"} {
		checkResolve(t, b, ref, ref)
	}
	if b.String() != "" || b.Profile() != RFC1808 || b.IsAbsolute([]byte("g")) || !b.IsAbsolute([]byte("x:g")) {
		t.Error("a nil Base is not as documented")
	}
	if j, err := b.Join("http://a/b"); err != nil || j.String() != "http://a/b" {
		t.Errorf("Join: %v, %v", j, err)
	}
}

func TestParseBaseErrors(t *testing.T) {
	for _, tt := range []struct {
		p    Profile
		base string
		err  error
		text string
	}{
		{RFC1808, "", ErrNotAbsolute, `base URL "": not an absolute URL: it has no scheme`},
		{RFC1808, "/a/b", ErrNotAbsolute, "no scheme"},
		{RFC1808, "//h/b", ErrNotAbsolute, "no scheme"},
		{RFC1808, "mailto:a@b", ErrOpaqueBase, "scheme mailto is never used with relative URLs (RFC 1808 §2.3)"},
		{RFC1808, "NEWS:comp.lang.go", ErrOpaqueBase, "scheme news is never used"},
		{RFC1808, "telnet://h/", ErrOpaqueBase, "scheme telnet is never used"},
		{RFC1808, "about:blank", ErrOpaqueBase, "neither // nor / follows the scheme (RFC 1808 §2.1)"},
		{RFC1808, "x:a/b", ErrOpaqueBase, "neither // nor / follows the scheme"},
		{RFC1808, "data:text/html,x", ErrOpaqueBase, "neither // nor / follows the scheme"},
		{RFC1808, "urn:a:b", ErrOpaqueBase, "neither // nor / follows the scheme"},
		{RFC1808, "http:", ErrInvalid, "no net_loc, which http needs (RFC 1738 §3.1)"},
		{RFC1808, "http:///a", ErrInvalid, "no net_loc, which http needs"},
		{RFC1808, "HTTPS:/a", ErrInvalid, "no net_loc, which https needs"},
		{RFC1808, "ftp:/a", ErrInvalid, "no net_loc, which ftp needs"},
		{RFC1808, "gopher:/a", ErrInvalid, "no net_loc, which gopher needs"},
		{RFC1808, "nntp:/a", ErrInvalid, "no net_loc, which nntp needs"},
		{RFC1808, "prospero:/a", ErrInvalid, "no net_loc, which prospero needs"},
		{RFC1808, "wais:/a", ErrInvalid, "no net_loc, which wais needs"},
		{RFC3986, "http:/a", ErrInvalid, "no authority, which http needs"},
		{RFC3986, "http:///a", ErrInvalid, "no authority, which http needs"},
		{RFC1808, "http://h?q", ErrInvalid, `no slash ends the net_loc "h?q" before its ? or ;, stricter than RFC 1808 §2.2; write "http://h/?q"`},
		{RFC1808, "http://h:1;p/a?b", ErrInvalid, `; write "http://h:1/;p/a?b"`},
		{RFC1808, "http://h?me:x@example.org", ErrInvalid, `no slash ends the net_loc "…@example.org" before its ? or ;, stricter than RFC 1808 §2.2; write one there`},
		{RFC1808, "http://h;p/x", ErrInvalid, `no slash ends the net_loc "h;p"`},
		{RFC1808, "http://h/\n", ErrInvalid, "control character 0x0a at byte 9"},
		{RFC1808, "http://h/a\x7f", ErrInvalid, "control character 0x7f at byte 10"},
		{RFC3986, "x:\x7f", ErrInvalid, "control character 0x7f at byte 2"},
		{RFC3986, "a/b", ErrNotAbsolute, "no scheme"},
		{RFC3986, "1:b", ErrNotAbsolute, "no scheme"},
		{WHATWG, "a/b", ErrNotAbsolute, "no scheme"},
		{WHATWG, "http://[bad", ErrInvalid, "base URL \"http://[bad\": invalid URL: the IPv6 address has no closing bracket"},
		{WHATWG, "http://h/\xff", ErrInvalid, "invalid URL: not UTF-8"},
	} {
		b, err := ParseBase(tt.base, tt.p)
		var e *Error
		if b != nil || !errors.As(err, &e) || !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: ParseBase(%q) = %v, %v; want error %q", tt.p, tt.base, b, err, tt.text)
		}
	}
	for _, base := range []string{
		"gopher://h/1/x", "prospero://h/x", "wais://h/db", "file:///a", "file://h/a", "file:/a", "ftp://h/a", "http://h",
		"https://h/a b/\u00e9~|", "nntp://h/g", "unknown://h", "x-y:/a",
		"http://u:p?w;x@h/", "http://u:a:?b@h", "http://u;x:p@h/", "http://u;x@h/", "http://h/?email=me@example.org",
	} {
		mustParse(t, base, RFC1808)
	}
}

func TestResolveErrors(t *testing.T) {
	for _, tt := range []struct {
		p         Profile
		base, ref string
		err       error
		text      string
	}{
		{RFC1808, "file:/a", ".//g", ErrInvalid, "invalid URL: its path would begin with // and be taken for its net_loc"},
		{RFC1808, "file:/a/b", "..//g", ErrInvalid, "invalid URL: its path would begin with // and be taken for its net_loc"},
		{RFC3986, "file:/a", ".//g", ErrInvalid, "invalid URL: its path would begin with // and be taken for its authority"},
		{RFC3986, "file:/a", "/.//g", ErrInvalid, "invalid URL: its path would begin with // and be taken for its authority"},
		{WHATWG, "about:blank", "g", ErrOpaqueBase, "cannot be a base URL: its path is opaque"},
		{WHATWG, "about:blank", "", ErrOpaqueBase, "cannot be a base URL: its path is opaque"},
		{WHATWG, "http://h/", "http://[bad", ErrInvalid, "invalid URL: the IPv6 address has no closing bracket"},
		{WHATWG, "http://h/", "//a b/", ErrInvalid, "invalid URL: a character in the host that no host may have"},
		{WHATWG, "http://h/", "//a\x1b\u00ad/", ErrInvalid, "invalid URL: a character in the host that no host may have"},
		{WHATWG, "http://h/", "//a:port/", ErrInvalid, "invalid URL: a port that is not a number"},
		{WHATWG, "http://h/", "g\xff", ErrInvalid, "invalid URL: not UTF-8"},
		{WHATWG, "http://h/", "http://h/g?\xe9", ErrInvalid, "invalid URL: not UTF-8"},
		{WHATWG, "http://h/", "//a:65536/", ErrInvalid, "invalid URL: a port of more than 65535"},
		{WHATWG, "http://h/", "//1.2.3.256/", ErrInvalid, "invalid URL: the host ends in a number, but is not an IPv4 address"},
		{WHATWG, "http://h/", "//[::1/", ErrInvalid, "invalid URL: the IPv6 address has no closing bracket"},
		{WHATWG, "http://h/", "//[::1::]/", ErrInvalid, "invalid URL: what is in the brackets is not an IPv6 address"},
		{WHATWG, "http://h/", "//u@/", ErrInvalid, "invalid URL: no host"},
		{WHATWG, "http://h/", "//%C2%AD/", ErrInvalid, "invalid URL: the host is not a domain name"},
		{WHATWG, "http://h/", "//%FF/", ErrInvalid, "invalid URL: the host is not a domain name"},
	} {
		b := mustParse(t, tt.base, tt.p)
		got, err := b.Resolve(tt.ref)
		var e *Error
		if got != "" || !errors.Is(err, tt.err) || !errors.As(err, &e) || e.Err.Error() != tt.text {
			t.Errorf("%s: Resolve(%q) on %s = %q, %v; want error %q", tt.p, tt.ref, tt.base, got, err, tt.text)
		}
		dst, err := b.AppendResolve([]byte("kept"), []byte(tt.ref))
		if string(dst) != "kept" || err == nil {
			t.Errorf("%s: AppendResolve(%q) = %q, %v", tt.p, tt.ref, dst, err)
		}
		checkExplainEnd(t, b, tt.ref)
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&Error{Base: "x", Err: ErrNotAbsolute}, `base URL "x": not an absolute URL`},
		{&Error{Base: "x:", Ref: "g", Err: ErrInvalid}, `reference "g" on base URL "x:": invalid URL`},
		{&Error{Ref: "x://[", Err: ErrInvalid}, `reference "x://[": invalid URL`},
		{&Error{Base: strings.Repeat("x", 201), Err: ErrInvalid}, `base URL "` + strings.Repeat("x", 200) + `"…: invalid URL`},
		{resolveError(t, "about:blank", ""), `reference "" on base URL "about:blank": cannot be a base URL: its path is opaque`},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("error %q, want %q", got, tt.want)
		}
	}
}

func resolveError(t *testing.T, base, ref string) error {
	_, err := mustParse(t, base, WHATWG).Resolve(ref)
	return err
}

func TestIsAbsolute(t *testing.T) {
	for _, tt := range []struct {
		p         Profile
		base, ref string
		want      bool
	}{
		{RFC1808, "http://h/", "http:g", true},
		{RFC1808, "http://h/", "1:g", true},
		{RFC1808, "http://h/", "//h", false},
		{RFC3986, "http://h/", "1:g", false},
		{RFC3986, "http://h/", "a:g", true},
		{WHATWG, "http://h/", "http:g", false},
		{WHATWG, "http://h/", "http:/g", false},
		{WHATWG, "http://h/", "http:\\/g", true},
		{WHATWG, "http://h/", "https:g", true},
		{WHATWG, "https://h/", "http:g", true},
		{WHATWG, "http://h/", "\x01 h\ntTp:\t/\r/g", true},
		{WHATWG, "http://h/", "javascript:x", true},
		{WHATWG, "http://h/", "h://x", true},
		{WHATWG, "http://h/", "http://x", true},
		{WHATWG, "file:///a", "file:/x", false},
		{WHATWG, "mailto:x", "mailto:y", true},
		{WHATWG, "x://h/", "x:g", true},
		{WHATWG, "http://h/", ":g", false},
		{WHATWG, "http://h/", "", false},
	} {
		base, ref := mustParse(t, tt.base, tt.p), []byte(tt.ref)
		if got := base.IsAbsolute(ref); got != tt.want {
			t.Errorf("%s: IsAbsolute(%q) on %s = %v", tt.p, tt.ref, tt.base, got)
		}
		if n := testing.AllocsPerRun(10, func() { base.IsAbsolute(ref) }); n != 0 {
			t.Errorf("%s: IsAbsolute(%q) allocates %v times", tt.p, tt.ref, n)
		}
	}
}

func TestJoin(t *testing.T) {
	b := mustParse(t, "http://h/a/p", RFC1808)
	if j, err := b.Join("b/"); err != nil || j.String() != "http://h/a/b/" {
		t.Errorf("Join = %v, %v", j, err)
	}
	if j, err := b.Join("mailto:x"); j != nil || !errors.Is(err, ErrOpaqueBase) {
		t.Errorf("Join = %v, %v", j, err)
	}
}

func TestProfileText(t *testing.T) {
	for _, p := range []Profile{RFC1808, RFC3986, WHATWG} {
		text, err := p.MarshalText()
		var q Profile
		if err != nil || q.UnmarshalText(text) != nil || q != p || p.String() != string(text) {
			t.Errorf("%v: %q, %v, %v", p, text, err, q)
		}
	}
	var p Profile
	if err := p.UnmarshalText([]byte("rfc2396")); err == nil || !strings.Contains(err.Error(), "rfc1808, rfc3986 and whatwg") {
		t.Errorf("UnmarshalText: %v", err)
	}
	if _, err := Profile(9).MarshalText(); err == nil || Profile(9).String() != "Profile(9)" {
		t.Error("Profile(9) has a name")
	}
}

func TestAppendResolveAllocates(t *testing.T) {
	dst := make([]byte, 0, 4096)
	refs := []string{"", "g", "#s", "?y", "../../../g", "x/../y/./..", "//h/../g", "/./g", "http://h/", strings.Repeat("../g/", 50)}
	for _, p := range []Profile{RFC1808, RFC3986, WHATWG} {
		b := mustParse(t, "http://a/b/c/d;p?q#f", p)
		if p == WHATWG { // references that the general parser takes
			refs = append(refs, "g h", " x\ty\n", "\u00e9?\u00e9#\u00e9", "HTTPS://U:P@H%41:0080\\..\\%2e", "//0x7f.1", "//[1:0:0::0.0.0.1]", "mailto:x y", "x:/..//y", "file:///C|/..")
		}
		for _, ref := range refs {
			r := []byte(ref)
			if n := testing.AllocsPerRun(100, func() { dst, _ = b.AppendResolve(dst[:0], r) }); n != 0 {
				t.Errorf("%s: AppendResolve(%q) allocates %v times", p, ref, n)
			}
			longest := 2 // allocations; percent-encoded, a reference may be longer than Resolve expects
			if p == WHATWG {
				longest = 3
			}
			if n := testing.AllocsPerRun(100, func() { _, _ = b.Resolve(ref) }); n > float64(longest) {
				t.Errorf("%s: Resolve(%q) allocates %v times", p, ref, n)
			}
		}
	}
}

// What is accepted resolves, and is absolute.
func TestAccepts(t *testing.T) {
	base := mustParse(t, "http://h/a/b", WHATWG)
	file := mustParse(t, "file:///C:/a", WHATWG)
	for ref, want := range map[string]bool{"x:\t//[": false, "x:/\n/[": false,
		"http://h": true, "https://h.x-y_1/": true, "http://h?": true, "http://h#\u00e9 ": true, "http://h/%": true,
		"http://h\\x": false, "http://h:80/": true, "http://h:/": true, "http://h:9999?": true, "http://h:99999": false, "http://h:8a": false, "http://:80/": false, "http://u@h/": false, "http://H/": false, "HTTP://h/": false,
		"http:///h": false, "http://": false, "http://1": false, "http://h.1": false, "http://h.0x": false, "http://h/\xff": false,
		"http://[::]/": false, "http://\u00e9/": false, "http://h.": true, "http:x": false, "ftp://h/": false,
		"javascript:x": true, "mailto:\u00e9 ": true, "x:\xff": false, "x://h": false, "x:/h": true, "x:": true, ":x": false, "": false, "1:x": false,
	} {
		if got := WHATWG.Accepts([]byte(ref)); got != want {
			t.Errorf("%q: %t", ref, got)
		}
		if !want {
			continue
		}
		for _, b := range []*Base{base, file} {
			if _, err := b.Resolve(ref); err != nil || !b.IsAbsolute([]byte(ref)) {
				t.Errorf("%q on %s: %v", ref, b, err)
			}
		}
	}
	if !RFC1808.Accepts([]byte("1:x")) || RFC3986.Accepts([]byte("1:x")) {
		t.Error("1:x")
	}
}

func TestProfileIsAbsolute(t *testing.T) {
	for _, row := range []struct {
		ref                      string
		rfc1808, rfc3986, whatwg bool
	}{
		{"", false, false, false},
		{"x", false, false, false},
		{"//h/", false, false, false},
		{"1:x", true, false, false},
		{"x:y", true, true, true},
		{"x:", true, true, true},
		{"HTTPS:x", true, true, false},
		{"hTTp:/x", true, true, false},
		{"file:x", true, true, false},
		{"http:/\\x", true, true, true},
		{"wss:\\\\x", true, true, true},
		{"http:\\x", true, true, false},
		{"Http://x", true, true, true},
		{"http-x:y", true, true, true},
		{"javascript:x", true, true, true},
	} {
		for p, want := range map[Profile]bool{RFC1808: row.rfc1808, RFC3986: row.rfc3986, WHATWG: row.whatwg} {
			if got := p.IsAbsolute([]byte(row.ref)); got != want {
				t.Errorf("%s: %q: %t", p, row.ref, got)
			}
		}
	}
}
