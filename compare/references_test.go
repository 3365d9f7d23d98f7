package compare

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A pair is a reference, and the base that it is resolved on.
type pair struct{ ref, base string }

// resolverBases are the bases of generated references, of all kinds.
var resolverBases = []string{
	"http://h", "https://h/", "http://example.org/foo/bar", "http://u:p@h:81/a/b?q#f", "https://h:443/a/b/", "https://h/a/b/c/d;p?q",
	"http://h/a//b//", "http://h//", "http://h/%2e/a/..%2F/b", "http://h/a b/\u00e9?\u00e9#\u00e9", "http://[::1]:8080/x/y", "http://192.168.0.1/a",
	"http://0x7f.1/", "http://xn--mnchen-3ya.de/a", "https://b\u00fccher.example./", "http://@h/a", "http://u@h/", "http://:p@h/?", "http://h/#",
	"http://h?q", "ws://h/a/b?c", "wss://h:443/a", "ftp://u@h:21/a/b", "ftp://h:2121/pub/",
	"file:///a/b/c?q#f", "file:///", "file://host/share/dir/file", "file:///C:/a/b", "file:///C:", "file:///C:/", "file:///c|/a/../b", "file://h/D:/x/y",
	"file:///a/C:/b", "file:///%43:/a", "file:///C%3A/a", "file:////a/b",
	"x://h", "x://h/a/b?q#f", "x://u:p@h:80/a/../b", "x://h:80", "x:///a/b", "x:/a/b/c", "x:/.//a/../b", "x:/", "x:////a", "git+ssh://h/\u00e9/b?'#`",
	"foo://[1::2]/a/b", "foo://h%41/a/", "web+demo:/a/b", "x:a", "x:a/b?q#f", "x:", "x: ?q",
	"mailto:someone@example.com", "javascript:void(0)", "data:text/plain,a?b#c", "about:blank", "about:srcdoc#x", "blob:https://h/0b7e", "urn:isbn:1",
	"tel:+1-201", "view-source:http://h/",
}

// seeds are references to begin from: those of the corpora of FuzzResolve and FuzzURL,
// and some that have one character after the other.
var seeds = []string{
	"", "g", "./g", "g/", "/g", "//g", "?y", "g?y", "#s", "g#s", ";x", "g;x?y#s", ".", "./", "..", "../", "../..", "../../g", "../../../g", "/./g", "/../g", "g.", ".g",
	"./../g", "./g/.", "g/./h", "g/../h", "http:g", "a/./b/../c?d#e", "..//%2e/.%2E", "/..//x", "//h/%41?'#`", "///h", `\\h\x`, "https://h", "http://1.2/",
	"https://h:443/", " a\tb:\nc ", "x:/..//y", "x: ?y", "file:c|/../x", "/c:/..", "//[::1.2.3.4]:0", "//@", "//%C3%A9/", "..//../b/..", "//h", ";?#", "1+.-:\x00\u00ff",
}

// A generator makes references of all shapes. Its random numbers are the same each time.
type generator struct {
	*rand.Rand
	platform [][]string // the rows of urltestdata.tsv
	mix      []string   // the lines of mix.txt
}

func newGenerator(t testing.TB, seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 3986))}
	for _, line := range readLines(t, "../testdata/url/urltestdata.tsv") {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		var row []string
		for cell := range strings.SplitSeq(line, "\t") {
			text, err := strconv.Unquote(cell)
			if err != nil && cell != "-" {
				t.Fatalf("%s: %v", line, err)
			}
			row = append(row, strings.ToValidUTF8(text, "\ufffd"))
		}
		g.platform = append(g.platform, row)
	}
	g.mix = readLines(t, "../testdata/url/mix.txt")
	return g
}

func readLines(t testing.TB, file string) []string {
	data := must(os.ReadFile(file))(t)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// pairs returns n different pairs. The first are the web-platform-tests as they are, and
// every seed on every base.
func (g *generator) pairs(n int) []pair {
	var pairs []pair
	seen := map[pair]bool{}
	add := func(p pair) {
		if !seen[p] && len(pairs) < n {
			seen[p] = true
			pairs = append(pairs, p)
		}
	}
	for _, row := range g.platform {
		add(pair{row[0], platformBase(row)})
	}
	for _, base := range resolverBases {
		for _, ref := range seeds {
			add(pair{ref, base})
		}
	}
	for len(pairs) < n {
		add(g.pair())
	}
	return pairs
}

// platformBase returns the base of a row. A case without a base gets a base that it does
// not need.
func platformBase(row []string) string {
	if row[1] == "" {
		return "about:blank"
	}
	return row[1]
}

func (g *generator) pair() pair {
	base := g.pick(resolverBases)
	switch g.IntN(10) {
	case 0, 1:
		row := g.platform[g.IntN(len(g.platform))]
		if g.IntN(2) == 0 {
			base = platformBase(row)
		}
		return pair{g.mutated(row[0]), base}
	case 2:
		return pair{g.mutated(g.pick(g.mix)), base}
	case 3:
		return pair{g.mutated(g.pick(seeds)), base}
	case 4:
		return pair{g.soup(), base}
	case 5:
		return pair{"//" + g.host() + g.pick([]string{"", "/", "/x"}), base}
	case 6:
		return pair{g.some(g.path) + g.some(g.query) + g.some(g.fragment), base}
	case 7:
		return pair{g.mutated(g.url()), base}
	}
	return pair{g.url(), base}
}

func (g *generator) pick(of []string) string { return of[g.IntN(len(of))] }

// some returns what a function makes, or nothing.
func (g *generator) some(of func() string) string {
	if g.IntN(2) == 0 {
		return ""
	}
	return of()
}

var parts = append(strings.Fields(`http: https: x: file: / / // \ ? # : @ a B %2e . .. %41 % | ' { " < [ ] :: 1 0x 256 80 443 c: c| u ~ ! $ & localhost * + , ; = _ - ^ %C3%A9 xn--`),
	" ", "\t", "\n", "\x00", "\x7f", "`", "\u00e9", "\u00df", "\u00ad", "\U0001f600")

// soup returns parts with a meaning in URLs, in any order.
func (g *generator) soup() string {
	var soup strings.Builder
	for range 1 + g.IntN(9) {
		soup.WriteString(g.pick(parts))
	}
	return soup.String()
}

var schemes = []string{
	"http", "https", "ws", "wss", "ftp", "file", "x", "foo", "web+demo", "git+ssh", "urn", "mailto", "javascript", "blob", "data", "about", "tel", "view-source",
	"HTTP", "File", "wS", "htt", "1x", "x_y", "h\tttp", "\u00e9", "+", "filesystem", "chrome", "content", "intent", "gopher",
}

// url returns an absolute URL, if it is one, in any spelling.
func (g *generator) url() string {
	scheme := g.pick(schemes[:8])
	if g.IntN(3) == 0 {
		scheme = g.pick(schemes)
	}
	if g.IntN(8) == 0 {
		return scheme + ":" + g.text(g.IntN(12)) + g.some(g.query) + g.some(g.fragment)
	}
	slashes := g.pick([]string{"//", "//", "//", "//", "//", "/", "", "///", `\\`, `/\`, "////", "/\t/"})
	rest := g.some(g.path) + g.some(g.query) + g.some(g.fragment)
	return g.pick([]string{"", "", "", "", " ", "\n"}) + scheme + ":" + slashes + g.authority() + rest + g.pick([]string{"", "", "", " ", "\t"})
}

func (g *generator) authority() string {
	var s strings.Builder
	if g.IntN(4) == 0 {
		s.WriteString(g.text(g.IntN(5)))
		if g.IntN(2) == 0 {
			s.WriteString(":" + g.text(g.IntN(5)))
		}
		s.WriteByte('@')
	}
	s.WriteString(g.host())
	if g.IntN(3) == 0 {
		s.WriteString(":" + g.pick([]string{"", "0", "80", "443", "21", "8080", "65535", "65536", "00080", "99999999999999999999", "8a", "-1", " 80", "8\t0", "\u0661"}))
	}
	return s.String()
}

// path returns a path with dot segments in all spellings, drive letters and backslashes.
func (g *generator) path() string {
	var s strings.Builder
	for range g.IntN(7) {
		s.WriteString(g.pick([]string{"/", "/", "/", "/", `\`, "//", ""}))
		switch g.IntN(8) {
		case 0, 1, 2:
			s.WriteString(g.pick([]string{".", "..", "%2e", "%2E", ".%2e", "%2e.", "%2e%2E", "...", "%2e%2e%2e", ".\t.", "..;x", "%252e", ". ", "%2", "..%"}))
		case 3:
			s.WriteString(g.pick([]string{"C:", "c|", "D:", "C%3A", "%43:", "C%7C", "C|\t", "C:x", "1:", "\u00e9:"}))
		case 4:
			s.WriteString(g.text(1 + g.IntN(6)))
		case 5:
			s.WriteString(g.pick([]string{"", "a:b", "a@b", "a;p=1", "%41", "%zz", "%", "%C3%A9", "%c3", "^", "a b", "|", "'", "`{}"}))
		default:
			s.WriteString(g.pick([]string{"a", "b", "index.html", "x y", "\u00e9", "\u8def", "1"}))
		}
	}
	return s.String()
}

func (g *generator) query() string { return "?" + g.text(g.IntN(8)) }

func (g *generator) fragment() string { return "#" + g.text(g.IntN(8)) }

// text returns n characters, whatever their place in a URL. Most of them are ASCII.
func (g *generator) text(n int) string {
	var s strings.Builder
	for range n {
		switch g.IntN(16) {
		case 0, 1, 2, 3, 4, 5:
			s.WriteByte(byte(g.IntN(128)))
		case 6:
			s.WriteRune(g.character())
		case 7:
			s.WriteString("%" + strconv.FormatInt(int64(16+g.IntN(240)), 16))
		case 8:
			s.WriteString(g.pick([]string{"%", "%2", "%zz", "%g0", "%u20", "%%41", "%C3%A9", "%FF"}))
		default:
			s.WriteByte("abcxyzABZ019-._~"[g.IntN(16)])
		}
	}
	return s.String()
}

// character returns a character that is not ASCII.
func (g *generator) character() rune {
	for {
		r := rune(0x80 + g.IntN(0x3000))
		switch g.IntN(4) {
		case 0:
			r = rune(0x80 + g.IntN(utf8.MaxRune-0x80))
		case 1:
			r = rune([]rune("\u00e9\u00df\u1e9e\u200c\u200d\u00ad\u3002\uff0e\u2060\ufeff\ufffd\u00a0\u2028\u0131\u017f\u212a\U0001f600\ufdd0\u20ac\u0080")[g.IntN(20)])
		}
		if utf8.ValidRune(r) && (unicode.IsPrint(r) || g.IntN(4) == 0) {
			return r
		}
	}
}

// mutated returns s with up to 3 characters removed, repeated, inserted or replaced, or
// with a piece of another reference.
func (g *generator) mutated(s string) string {
	runes := []rune(s)
	for range g.IntN(4) {
		i := g.IntN(len(runes) + 1)
		before, after := runes[:i:i], runes[i:]
		switch g.IntN(5) {
		case 0:
			after = after[min(len(after), 1):]
		case 1:
			before = append(before, after[:min(len(after), 1)]...)
		case 2:
			before = append(before, []rune(g.text(1))...)
		case 3:
			before, after = append(before, []rune(g.pick(parts))...), after[min(len(after), 1):]
		case 4:
			other := []rune(g.platform[g.IntN(len(g.platform))][0])
			after = other[g.IntN(len(other)+1):]
		}
		runes = append(before, after...)
	}
	return string(runes)
}
