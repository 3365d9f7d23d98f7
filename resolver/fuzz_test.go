package resolver

import (
	"cmp"
	"strings"
	"testing"
)

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "http://a/b/c/d;p?q#f", "//a?b;c#d", ";?#", "a:", ":", "///", "1+.-:\x00\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := Split(s)
		if got := r.String(); got != s {
			t.Fatalf("Split(%q).String() = %q", s, got)
		}
		if want := splitLetter(s); want != lettersOf(r) {
			t.Fatalf("Split(%q) = %+v, want %+v", s, r, want)
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, base := range []string{"http://a/b/c/d;p?q#f", "http://h", "file:/a", "file:///a/./b/../c/", "x:/..//b"} {
		for _, ref := range []string{"g", "../../../g", ".//g", "?", ";x?y#s", "//h", "a//../b/..", "./.././", "#", "\x00\xff"} {
			f.Add(base, ref)
		}
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		for _, p := range []Profile{RFC1808, RFC3986, WHATWG} {
			b, err := ParseBase(base, p)
			if err != nil {
				continue
			}
			got, err := b.Resolve(ref)
			checkExplainEnd(t, b, ref)
			if err != nil {
				continue
			}
			if !b.IsAbsolute([]byte(got)) {
				t.Fatalf("%s: %q on %q gives %q, which is not absolute", p, ref, base, got)
			}
			again, err := b.Resolve(got)
			if again != got || err != nil {
				t.Fatalf("%s: %q on %q gives %q, and that %q, %v", p, ref, base, got, again, err)
			}
			if p == RFC1808 && Split(ref).Scheme == "" {
				if want := literalResolve(base, ref); got != want {
					t.Fatalf("%q on %q = %q, want %q", ref, base, got, want)
				}
			}
		}
	})
}

// FuzzURL checks what holds for every reference of the WHATWG profile.
func FuzzURL(f *testing.F) {
	for _, base := range []string{"http://u:p@h:81/a/b?q#f", "https://h", "file:///C:/a/b", "file://h/", "x:/.//a/../b", "x://h", "x:y z?q"} {
		for _, ref := range []string{
			"", "a/./b/../c?d#e", "..//%2e/.%2E", "/..//x", "//h/%41?'#`", "///h", "\\\\h\\x", "?q", "#f", "http:g", "https://h", "http://1.2/", "https://h:443/",
			" a\tb:\nc ", "x:/..//y", "x: ?y", "file:c|/../x", "/c:/..", "//[::1.2.3.4]:0", "//@", "//%C3%A9/", "\xff",
		} {
			f.Add(base, ref)
		}
	}
	other := mustParse(f, "other://host/dir/", WHATWG)
	f.Fuzz(func(t *testing.T, base, ref string) {
		b, err := ParseBase(base, WHATWG)
		if err != nil {
			return
		}
		if again, err := ParseBase(b.String(), WHATWG); err != nil || *again != *b {
			t.Fatalf("base %q is %+v, and %q is %+v, %v", base, b, b, again, err)
		}
		slow, err := b.appendURL([]byte("<"), []byte(ref))
		if fast, ok := b.appendCanonical([]byte("<"), []byte(ref)); ok && (err != nil || string(fast) != string(slow)) {
			t.Fatalf("%q on %q: %q on the short way, %q, %v by the parser", ref, b, fast, slow, err)
		}
		checkExplainEnd(t, b, ref)
		if WHATWG.Accepts([]byte(ref)) && (err != nil || !b.IsAbsolute([]byte(ref))) {
			t.Fatalf("%q is accepted, but on %q it is not absolute, or %v", ref, b, err)
		}
		if err != nil {
			return
		}
		url := strings.TrimPrefix(string(slow), "<")
		checkCanonical(t, url)
		for _, on := range []*Base{b, other} {
			if got, err := on.Resolve(url); got != url || err != nil {
				t.Fatalf("%q on %q is %q, and that on %q is %q, %v", ref, b, url, on, got, err)
			}
		}
		if _, hasScheme := schemeWHATWG(ref); hasScheme && !b.IsAbsolute([]byte(ref)) {
			if on := mustParse(t, b.url[:b.scheme]+"//fuzz/fuzz?fuzz", WHATWG); !strings.Contains(url, "fuzz") {
				if got, err := on.Resolve(ref); got == url || err != nil {
					t.Fatalf("%q on %q is relative, and %q on %q too, %v", ref, b, got, on, err)
				}
			}
		}
		if b.IsAbsolute([]byte(ref)) {
			if alone, err := ParseBase(ref, WHATWG); err != nil || alone.String() != url {
				t.Fatalf("%q is absolute, and %q alone, %v, but %q on %q", ref, alone, err, url, b)
			}
		}
	})
}

// checkCanonical checks what the URL serializer never writes.
func checkCanonical(t *testing.T, url string) {
	t.Helper()
	if strings.ContainsFunc(url, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Fatalf("%q has a character that is not printable ASCII", url)
	}
	b := mustParse(t, url, WHATWG)
	path := strings.TrimPrefix(url[b.netLoc:b.path], "/./")
	if b.opaque || !strings.Contains(path, "/.") {
		return
	}
	for segment := range strings.SplitSeq(path, "/") {
		if dots([]byte(segment)) > 0 {
			t.Fatalf("%q has a dot segment", url)
		}
	}
}

// literalResolve is resolveLetter with the delimiters that this package keeps, so that it
// tells every byte of a result.
func literalResolve(base, ref string) string {
	if ref == "" {
		return base
	}
	b, r := Split(base), Split(ref)
	r.Scheme = b.Scheme
	if r.NetLoc != "" {
		return r.String()
	}
	r.NetLoc, r.emptyNetLoc = inherit(b.NetLoc, b.emptyNetLoc, r.emptyNetLoc)
	switch {
	case strings.HasPrefix(r.Path, "/"):
	case r.Path == "":
		r.Path = b.Path
		if r.Params == "" {
			r.Params, r.emptyParams = inherit(b.Params, b.emptyParams, r.emptyParams)
			if r.Query == "" {
				r.Query, r.emptyQuery = inherit(b.Query, b.emptyQuery, r.emptyQuery)
			}
		}
	default:
		dir := cmp.Or(b.Path[:strings.LastIndexByte(b.Path, '/')+1], "/")
		r.Path = removeLetter(dir + r.Path)
	}
	if hasNetLoc := r.NetLoc != "" || r.emptyNetLoc; hasNetLoc && r.Path == "" &&
		(r.Params != "" || r.emptyParams || r.Query != "" || r.emptyQuery) {
		r.Path = "/"
	}
	return r.String()
}

func inherit(base string, baseEmpty, ownEmpty bool) (string, bool) {
	return base, baseEmpty || base == "" && ownEmpty
}
