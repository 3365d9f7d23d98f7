package resolver

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"absolink/internal/test/docs"
	"absolink/internal/test/soak"
)

// The letter of RFC 1808: a program that takes the steps of §2.4 and §4 one after the other,
// and knows nothing of the code under test. It has no delimiters: a component that is empty
// is absent.

// letters are the six components, in the order of §2.1.
type letters struct{ scheme, netLoc, path, params, query, fragment string }

var letterScheme = regexp.MustCompile(`^[A-Za-z0-9+.-]+:`)

func lettersOf(r Reference) letters {
	return letters{r.Scheme, r.NetLoc, r.Path, r.Params, r.Query, r.Fragment}
}

// splitLetter parses a URL as §2.4.1 to §2.4.6 say.
func splitLetter(url string) (l letters) {
	url, l.fragment, _ = strings.Cut(url, "#") // 2.4.1
	if m := letterScheme.FindString(url); m != "" {
		l.scheme, url = m[:len(m)-1], url[len(m):] // 2.4.2
	}
	if rest, ok := strings.CutPrefix(url, "//"); ok { // 2.4.3
		end := strings.IndexByte(rest+"/", '/')
		l.netLoc, url = rest[:end], rest[end:]
	}
	url, l.query, _ = strings.Cut(url, "?")     // 2.4.4
	l.path, l.params, _ = strings.Cut(url, ";") // 2.4.5, 2.4.6
	return l
}

// resolveLetter takes the steps 2 to 6 of §4.
func resolveLetter(base, ref string) letters {
	b, r := splitLetter(base), splitLetter(ref)
	switch {
	case ref == "": // 2a
		return b
	case r.scheme != "": // 2b
		return r
	}
	r.scheme = b.scheme // 2c
	if r.netLoc != "" { // 3
		return r
	}
	r.netLoc = b.netLoc
	if strings.HasPrefix(r.path, "/") { // 4
		return r
	}
	if r.path == "" { // 5
		r.path = b.path
		if r.params == "" { // 5a
			r.params = b.params
			if r.query == "" { // 5b
				r.query = b.query
			}
		}
		return r
	}
	r.path = removeLetter(b.path[:strings.LastIndexByte(b.path, '/')+1] + r.path) // 6
	return r
}

var (
	letterDot = regexp.MustCompile(`(^|/)\./`)
	letterUp  = regexp.MustCompile(`(^|/)([^/]*)/\.\./`)
)

// removeLetter takes the steps 6a to 6d. The slash that a path may begin with is no part of
// its first segment.
func removeLetter(path string) string {
	path, absolute := strings.CutPrefix(path, "/")
	for m := letterDot.FindStringIndex(path); m != nil; m = letterDot.FindStringIndex(path) { // 6a
		path = path[:m[1]-2] + path[m[1]:]
	}
	if path == "." || strings.HasSuffix(path, "/.") { // 6b
		path = path[:len(path)-1]
	}
	for from := 0; ; { // 6c
		m := letterUp.FindStringSubmatchIndex(path[from:])
		if m == nil {
			break
		}
		if path[from+m[4]:from+m[5]] == ".." { // the next segment may match
			from += m[5] + 1
			continue
		}
		path, from = path[:from+m[4]]+path[from+m[1]:], 0
	}
	if rest, ok := strings.CutSuffix(path, "/.."); ok { // 6d
		if segment := rest[strings.LastIndexByte(rest, '/')+1:]; segment != ".." {
			path = rest[:len(rest)-len(segment)]
		}
	}
	if absolute {
		return "/" + path
	}
	return path
}

// String takes step 7: it recombines the components.
func (l letters) String() string {
	s := l.path
	if l.scheme != "" {
		s = l.scheme + ":"
		if l.netLoc != "" {
			s += "//" + l.netLoc
		}
		s += l.path
	} else if l.netLoc != "" {
		s = "//" + l.netLoc + l.path
	}
	for _, c := range []struct{ delim, value string }{{";", l.params}, {"?", l.query}, {"#", l.fragment}} {
		if c.value != "" {
			s += c.delim + c.value
		}
	}
	return s
}

// deviation returns what this package makes of the letter (docs/profiles.md). A base with a
// net_loc, even an empty one, and without a path is read as if it had the path "/". Otherwise
// what follows would become part of the net_loc. isError says that the path of the result
// begins with two slashes where no net_loc is written, and would be taken for one.
func deviation(base, ref string) (want letters, isError bool) {
	b, r := splitLetter(base), splitLetter(ref)
	if ref == "" || r.scheme != "" || r.netLoc != "" { // 2a, 2b, 3
		return resolveLetter(base, ref), false
	}
	net := b.scheme + "://" + b.netLoc
	rest, hasNetLoc := strings.CutPrefix(base, net)
	written, _, _ := strings.Cut(strings.TrimPrefix(ref, "//"), "#") // also an empty ; or ?
	if hasNetLoc && b.path == "" && written != "" {
		base = net + "/" + rest
	}
	want = resolveLetter(base, ref)
	return want, strings.HasPrefix(want.path, "//") && !hasNetLoc && !strings.HasPrefix(ref, "//")
}

// The six components of all strings of up to six of the characters that matter are those of
// the letter.
func TestSplitLetter(t *testing.T) {
	const characters = "a1:.-/;?#%"
	strings := 0
	var try func(s []byte)
	try = func(s []byte) {
		if soak.Enabled() || strings%7 == 0 {
			r := Split(string(s))
			if want := splitLetter(string(s)); lettersOf(r) != want || r.String() != string(s) {
				t.Fatalf("Split(%q) is %q, and together %q; want %q", s, lettersOf(r), r, want)
			}
		}
		strings++
		for i := 0; len(s) < 6 && i < len(characters); i++ {
			try(append(s, characters[i]))
		}
	}
	try(make([]byte, 0, 6))
	if strings != 1_111_111 {
		t.Errorf("%d strings", strings)
	}
}

// The components of a result are those of the letter, on random bases and references. Which
// bases are refused, and why, is in the letter's terms as well.
func TestResolveLetter(t *testing.T) {
	random := rand.New(rand.NewPCG(18, 8))
	pick := func(parts []string, most int) (s string) {
		for range random.IntN(most + 1) {
			s += parts[random.IntN(len(parts))]
		}
		return s
	}
	starts := []string{"http://a", "http://a", "http:", "file:", "file:", "x:", "x:", "file://", "1+:", "mailto:", "//", ""}
	parts := []string{"a", "b", "..", ".", "/", "/", "/", "/../", "/./", ";", "?", "#", ":", "%", "@", "c.d", "//"}
	resolved, slashes, errs, refused := 0, 0, 0, 0
	for resolved < soak.N(600_000) {
		base := starts[random.IntN(len(starts))] + pick([]string{"/", "/", "/", "c", "\x01"}, 1) + pick(parts, 8)
		ref := pick(starts, 1) + pick(parts, 8)
		b, err := ParseBase(base, RFC1808)
		if is := isRefused(base); is != (err != nil) {
			t.Fatalf("base %q: %v, but by its words %v", base, err, is)
		}
		if err != nil {
			refused++
			continue
		}
		letter := resolveLetter(base, ref)
		got, err := b.Resolve(ref)
		want, isError := deviation(base, ref)
		switch {
		case isError != errors.Is(err, ErrInvalid):
			t.Fatalf("%q on %q: %q, %v, but the letter is %q", ref, base, got, err, letter)
		case isError:
			errs++
			continue
		case splitLetter(got) != want:
			t.Fatalf("%q on %q: %q, %v; the letter is %q", ref, base, got, err, want)
		case Split(ref).Scheme == "" && got != literalResolve(base, ref):
			t.Fatalf("%q on %q: %q, not %q", ref, base, got, literalResolve(base, ref))
		}
		if resolved++; want != letter {
			slashes++
		}
	}
	t.Logf("%d pairs resolved, %d of them with a slash; %d errors; %d bases refused", resolved, slashes, errs, refused)
	if slashes < resolved/100 || errs < resolved/1000 || refused < resolved/10 {
		t.Error("the pairs do not show every case")
	}
}

// isRefused reports, in the words of docs/bases.md, whether the RFC1808 profile refuses a
// base.
func isRefused(base string) bool {
	l := splitLetter(base)
	login, host, found := strings.Cut(l.netLoc, "@")
	if !found {
		login, host = "", l.netLoc
	}
	user, _, _ := strings.Cut(login, ":")
	_, afterScheme, _ := strings.Cut(base, ":")
	switch {
	case l.scheme == "", strings.ContainsAny(base, "\x01"):
		return true
	case l.scheme == "mailto", l.scheme == "http" && l.netLoc == "":
		return true
	case !strings.HasPrefix(afterScheme, "/"):
		return true
	}
	return strings.Contains(user, "?") || strings.ContainsAny(host, "?;")
}

// What RFC 1808 says of splitting, resolving and base URLs, section by section.
func TestSayings(t *testing.T) {
	sayings, differ := docs.Sayings(t, "split", "resolve", "base", "unwrap"), 0
	for _, s := range sayings {
		var letter, got string
		b, err := ParseBase(s.On, RFC1808)
		switch s.Kind {
		case "split":
			letter, got = splitLetter(s.Given).columns(), lettersOf(Split(s.Given)).columns()
		case "resolve":
			letter = resolveLetter(s.On, s.Given).String()
			if err == nil {
				got, err = b.Resolve(s.Given)
			}
			if err != nil {
				t.Error(err)
			}
		case "base":
			letter, got = s.Letter, "taken" // which the letter has no program for
			if _, err := ParseBase(s.Given, RFC1808); err != nil {
				got = "refused"
			}
		case "unwrap":
			letter, got = s.Letter, Unwrap(s.Given)
		}
		if letter != s.Letter || got != s.Want() {
			t.Errorf("§%s, %s: %q on %q is %q, by the letter %q; want %q", s.Section, s.Says, s.Given, s.On, got, letter, s.Want())
		}
		if s.Got != "" {
			differ++
		}
	}
	t.Logf("%d assertions, %d of which differ from the letter", len(sayings), differ)
}

func (l letters) columns() string {
	return strings.Join([]string{l.scheme, l.netLoc, l.path, l.params, l.query, l.fragment}, " | ")
}
