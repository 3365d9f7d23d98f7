package compare

import (
	"bytes"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"absolink/resolver"
)

// urlClasses are the known differences between package resolver and nlnwa/whatwg-url
// v0.6.2, which follows the URL Standard of 2024. TestURLClasses shows that each is still
// there.
var urlClasses = []struct {
	name, ref    string // ref is an example
	ours, theirs string // its absolute form on http://h/; "" for failure
	has          func(in string) bool
}{
	{"since 2025, a path has %5E in place of ^", "^", "http://h/%5E", "http://h/^", func(in string) bool {
		return strings.Contains(in, "^")
	}},
	{"since 2025, no opaque path ends with a space", "x: ?y", "x:%20?y", "x: ?y", func(in string) bool {
		return strings.Contains(in, " ?") || strings.Contains(in, " #")
	}},
	{"since 2025, a domain of ASCII letters is not checked for Punycode", "//xn--a", "http://xn--a/", "", func(in string) bool {
		return strings.Contains(strings.ToLower(in), "xn--")
	}},
	{"ASCII symbols in a domain that is not ASCII", "//\u00e9~", "http://xn--~-9fa/", "", notASCII},
	{"a label with a sign is not a number", "//-1", "http://-1/", "http://255.255.255.255/", regexp.MustCompile(`(?i)[+-]\d|0x[+-]`).MatchString},
	{"a label with a letter after more digits than a number has is not a number", "//100000000000000000000a", "http://100000000000000000000a/", "", regexp.MustCompile(`\d{18}`).MatchString},
	{"an IPv6 address has one bracket at each end", "x://[::]]", "", "x://[::]", regexp.MustCompile(`\][^/?#]*\]|\[[^/?#]*\[`).MatchString},
	{"resolver refuses what is not UTF-8", "\xff", "", "http://h/%EF%BF%BD", func(in string) bool {
		return !utf8.ValidString(in)
	}},
}

// notASCII reports whether a URL has a character that is not ASCII, percent-encoded
// or not.
func notASCII(in string) bool {
	return strings.ContainsFunc(in, func(r rune) bool { return r >= utf8.RuneSelf }) ||
		strings.ContainsAny(in, "%") && strings.ContainsFunc(unescape(in), func(r rune) bool { return r >= utf8.RuneSelf })
}

// unescape decodes percent-encoded bytes, as far as there are any.
func unescape(s string) string {
	parts := strings.SplitAfter(s, "%")
	for i := range parts[1:] {
		decoded, err := url.PathUnescape("%" + parts[i+1][:min(2, len(parts[i+1]))])
		if err == nil {
			parts[i] = strings.TrimSuffix(parts[i], "%") + decoded
			parts[i+1] = parts[i+1][2:]
		}
	}
	return strings.Join(parts, "")
}

// knownURL reports whether a pair of a base and a reference is in one of urlClasses.
func knownURL(base, ref string) bool {
	clean := strings.NewReplacer("\t", "", "\n", "", "\r", "")
	in := clean.Replace(base) + "\n" + clean.Replace(ref)
	for _, class := range urlClasses {
		if class.has(in) || class.has(unescape(in)) {
			return true
		}
	}
	return false
}

// theirURL resolves with nlnwa/whatwg-url; "" is failure.
func theirURL(base, ref string) string {
	b, err := whatwg.Parse(base)
	if err != nil {
		return ""
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ""
	}
	return u.Href(false)
}

func ourURL(base, ref string) string {
	b, err := resolver.ParseBase(base, resolver.WHATWG)
	if err != nil {
		return ""
	}
	s, _ := b.Resolve(ref)
	return s
}

func checkURL(t *testing.T, base, ref string) {
	t.Helper()
	if ours, theirs := ourURL(base, ref), theirURL(base, ref); ours != theirs && !knownURL(base, ref) {
		t.Errorf("%q on %q is %q, but %q by nlnwa/whatwg-url", ref, base, ours, theirs)
	}
}

func TestURLClasses(t *testing.T) {
	for _, class := range urlClasses {
		ours, theirs := ourURL("http://h/", class.ref), theirURL("http://h/", class.ref)
		if ours != class.ours || theirs != class.theirs || !knownURL("http://h/", class.ref) {
			t.Errorf("%s: %q is %q, but %q by nlnwa/whatwg-url", class.name, class.ref, ours, theirs)
		}
	}
}

var urlBases = []string{"http://u:p@h:81/a/b?q#f", "https://h", "file:///C:/a/b", "file://h/", "x:/.//a/../b", "x://h", "x:y z?q"}

// What is not in urlClasses is equal, for references put together from parts with a
// meaning in URLs.
func TestURLRandom(t *testing.T) {
	parts := strings.Fields(`http: https: x: file: / / // \ ? # : @ a B %2e . .. %41 % | ' { " < [ ] :: 1 0x 256 80 443 c: c| u ~ ! $ & localhost * + , ; = _ -`)
	parts = append(parts, " ", "\t", "\x00", "\x7f", "`")
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		var ref strings.Builder
		for range 1 + random.IntN(9) {
			ref.WriteString(parts[random.IntN(len(parts))])
		}
		checkURL(t, urlBases[random.IntN(len(urlBases))], ref.String())
	}
}

func FuzzURL(f *testing.F) {
	for _, base := range urlBases {
		for _, ref := range []string{"", "..//%2e/.%2E", "//h/%41?'#`", "\\\\h\\x", " a\tb:\nc ", "x:/..//y", "file:c|/../x", "//[::1.2.3.4]:0", "//0x7f.1"} {
			f.Add(base, ref)
		}
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		if len(base)+len(ref) < 1<<10 { // nlnwa/whatwg-url takes quadratic time
			checkURL(t, base, ref)
		}
	})
}

// BenchmarkMixURL is BenchmarkMixWHATWG of package resolver, and the same with
// nlnwa/whatwg-url.
func BenchmarkMixURL(b *testing.B) {
	data := must(os.ReadFile("../testdata/url/mix.txt"))(b)
	const base = "http://www.example.com/one/two/three/four/five;p?q#f"
	refs := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	b.Run("absolink", func(b *testing.B) {
		base := must(resolver.ParseBase(base, resolver.WHATWG))(b)
		b.ReportAllocs()
		dst := make([]byte, 0, 1024)
		for i := 0; b.Loop(); i++ {
			dst, _ = base.AppendResolve(dst[:0], refs[i%len(refs)])
		}
	})
	b.Run("nlnwa", func(b *testing.B) {
		base := must(whatwg.Parse(base))(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			u, err := base.Parse(string(refs[i%len(refs)]))
			if err != nil {
				b.Fatal(err)
			}
			_ = u.Href(false)
		}
	})
}
