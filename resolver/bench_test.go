package resolver

import (
	"absolink/internal/test/soak"
	"bytes"
	"net/url"
	"os"
	"strings"
	"testing"
)

var benchRefs = []struct{ name, ref string }{
	{"short", "g"},
	{"absolute-path", "/assets/css/main.css"},
	{"query", "page.html?id=12&lang=en#top"},
	{"long", strings.Repeat("directory/", 20) + "page.html?" + strings.Repeat("key=value&", 20) + "#fragment"},
	{"dotdot", "../../../../a/../b/./c/../../d/../../../g"},
	{"absolute", "https://example.org/a/b/c?x=y"},
}

const benchBase = "http://www.example.com/one/two/three/four/five;p?q#f"

// Compare BenchmarkResolve with BenchmarkNetURL, which does the same with net/url.
// There, Parsed leaves out the parsing of the reference. String includes it, and the
// String of the result, as AppendResolve does.
func BenchmarkResolve(b *testing.B) {
	for _, p := range []Profile{RFC1808, RFC3986, WHATWG} {
		base := mustParse(b, benchBase, p)
		for _, r := range benchRefs {
			b.Run(p.String()+"/"+r.name, func(b *testing.B) {
				b.ReportAllocs()
				ref, dst := []byte(r.ref), make([]byte, 0, 1024)
				for b.Loop() {
					dst, _ = base.AppendResolve(dst[:0], ref)
				}
			})
		}
	}
}

func BenchmarkNetURL(b *testing.B) {
	base, err := url.Parse(benchBase)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range benchRefs {
		b.Run("parsed/"+r.name, func(b *testing.B) {
			b.ReportAllocs()
			ref, err := url.Parse(r.ref)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				base.ResolveReference(ref)
			}
		})
		b.Run("string/"+r.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ref, err := url.Parse(r.ref)
				if err != nil {
					b.Fatal(err)
				}
				_ = base.ResolveReference(ref).String()
			}
		})
	}
}

// mix returns the references of testdata/url/mix.txt: the kinds of those in pages.
func mix(b *testing.B) (refs [][]byte) {
	data, err := os.ReadFile("../testdata/url/mix.txt")
	if err != nil {
		b.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// BenchmarkMixWHATWG and BenchmarkMixNetURL resolve the references of mix, one after the
// other; parser leaves out the short way of those that are canonical. BenchmarkMixURL in
// the module compare does it with another implementation.
func BenchmarkMixWHATWG(b *testing.B) {
	base, refs := mustParse(b, benchBase, WHATWG), mix(b)
	for name, resolve := range map[string]func(dst, ref []byte) ([]byte, error){"all": base.AppendResolve, "parser": base.appendURL} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]byte, 0, 1024)
			for i := 0; b.Loop(); i++ {
				dst, _ = resolve(dst[:0], refs[i%len(refs)])
			}
		})
	}
}

func BenchmarkMixNetURL(b *testing.B) {
	base, err := url.Parse(benchBase)
	if err != nil {
		b.Fatal(err)
	}
	refs := mix(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ref, err := url.Parse(string(refs[i%len(refs)]))
		if err != nil {
			b.Fatal(err)
		}
		_ = base.ResolveReference(ref).String()
	}
}

// slowPaths are segments that, repeated, take quadratic time in a careless resolver.
var slowPaths = []string{"../", "a/../", "./", "a/b/../../", "/", "a/", ".a/", "..a/../"}

// Time is linear in the length of reference and base. Nothing is timed: in quadratic
// time, references of this length would take longer than go test waits.
func TestLinear(t *testing.T) {
	const size = 4 << 20
	for _, segment := range soak.Every(slowPaths, 4) {
		path := "x/" + strings.Repeat(segment, size/len(segment)) + "end"
		for _, p := range []Profile{RFC1808, RFC3986} {
			checkEnd(t, mustParse(t, "http://h/a/b", p), path)
			checkEnd(t, mustParse(t, "file:/a/b", p), path)
			checkEnd(t, mustParse(t, "http://h/"+path, p), "g/end")
		}
		checkEnd(t, mustParse(t, "x:a/b", RFC3986), path)
		checkEnd(t, mustParse(t, "x:"+path, RFC3986), "g/end")
	}
}

// Time is linear in each component in the WHATWG profile, in bases and in references,
// wherever the parser or its short way takes them.
func TestLinearWHATWG(t *testing.T) {
	const size = 1 << 20
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var urls []string
	for _, segment := range append(slowPaths, "%2e%2E/", "a/%2e%2e/", "..\\", "C:/../", "\u00e9/", "%", "a\t/") {
		urls = append(urls, "http://h/"+repeat(segment)+"/end", "file:///C:/"+repeat(segment)+"/end", "x:/"+repeat(segment)+"/end")
	}
	for _, long := range []string{"@", ":", "u:p@", "a", "%41", "0", "0.", "1", "[", "[]:", "-", "."} {
		urls = append(urls, "http://"+repeat(long)+"/end", "x://"+repeat(long)+"/end", "file://"+repeat(long)+"/end")
	}
	urls = append(urls, "http://h:"+repeat("0")+"/end", "http://h:"+repeat("9")+"/end", "http://["+repeat(":")+"]/end", "http://["+repeat("1:")+"]/end", "http://["+repeat("0")+"]/end",
		"x:"+repeat(" ")+"/end", "x:"+repeat(" ?")+"/end", repeat("\t\n")+"x:/end", repeat("x")+":/end", "x:a"+repeat("\t")+"/end", "http:"+repeat("/")+"h/end",
		"http://h/?"+repeat("'")+"/end", "http://h/#"+repeat("`")+"/end", "http:"+repeat("\\")+"h/end", repeat(" ")+"http://h/end")
	bases := []*Base{mustParse(t, "http://h/a/b", WHATWG), mustParse(t, "file:///C:/a", WHATWG), mustParse(t, "x:/a/b", WHATWG)}
	for _, url := range soak.Every(urls, 5) {
		for _, base := range bases {
			if got, err := base.Resolve(url); err == nil && !strings.HasSuffix(got, "/end") {
				t.Errorf("%.12q… on %s is %.12q…", url, base, got)
			}
			base.IsAbsolute([]byte(url))
		}
		long, err := ParseBase(url, WHATWG)
		if err != nil {
			continue
		}
		if n := len(long.url) + len(long.dir); n > 8*len(url) {
			t.Errorf("%.12q… has %d bytes, its Base %d", url, len(url), n)
		}
		if !long.IsOpaque() {
			checkEnd(t, long, "../g/end")
		}
	}
}

// Every component of 1 KiB to 4 MiB is resolved to the same as a short one, in a
// reference and in a base.
func TestLongComponents(t *testing.T) {
	base := mustParse(t, "http://h/a/b", WHATWG)
	for _, size := range soak.Every([]int{64 << 10, 1 << 10, 1 << 20, 4 << 20}, 4) {
		for _, tt := range []struct{ before, unit, after, wantBefore, wantUnit, wantAfter string }{
			{"", "S", "://h/end", "", "s", "://h/end"},
			{"http://u", "@", "@h/end", "http://u", "%40", "@h/end"},
			{"http://:", ":", "@h/end", "http://:", "%3A", "@h/end"},
			{"http://", "%4a", "/end", "http://", "j", "/end"},
			{"x://", "\u00e9", "/end", "x://", "%C3%A9", "/end"},
			{"http://\u00e9.", "X\u00ad", ".h/end", "http://xn--9ca.", "x", ".h/end"},
			{"http://h:", "0", "81/end", "http://h:81", "", "/end"},
			{"http://h/", "x/%2e%2E/", "end", "http://h/", "", "end"},
			{"http://h/", "\\^", "/end", "http://h/", "/%5E", "/end"},
			{"http://h/\u00e9", "\n", "/end", "http://h/%C3%A9", "", "/end"},
			{"http://h/?", "'", "/end", "http://h/?", "%27", "/end"},
			{"http://h/#", "`", "/end", "http://h/#", "%60", "/end"},
			{"x:", "\u00e9 ", "/end", "x:", "%C3%A9 ", "/end"},
		} {
			n := size / len(tt.unit)
			url := tt.before + strings.Repeat(tt.unit, n) + tt.after
			want := tt.wantBefore + strings.Repeat(tt.wantUnit, n) + tt.wantAfter
			if got, err := base.Resolve(url); got != want || err != nil {
				t.Errorf("%d bytes, %.12q… is %.20q… %.20q, %v", size, url, got, got[max(0, len(got)-20):], err)
			}
			if b, err := ParseBase(url, WHATWG); err != nil || b.String() != want {
				t.Errorf("%d bytes, %.12q… is a base %.20q…, %v", size, url, b, err)
			}
		}
	}
}

// checkEnd checks that the absolute form of ref ends in "/end", as ref does.
func checkEnd(t *testing.T, base *Base, ref string) {
	t.Helper()
	got, err := base.Resolve(ref)
	if !strings.HasSuffix(got, "/end") || err != nil {
		t.Errorf("%s: %.12q… on %.12q… ends with %q, %v", base.Profile(), ref, base, got[max(0, len(got)-20):], err)
	}
}

// BenchmarkLinear reports the time per byte, which must not grow with the length of
// the path.
func BenchmarkLinear(b *testing.B) {
	base := mustParse(b, benchBase, RFC1808)
	for _, segment := range slowPaths {
		for _, size := range []struct {
			name string
			n    int
		}{{"64KiB", 64 << 10}, {"256KiB", 256 << 10}, {"1MiB", 1 << 20}} {
			b.Run(strings.ReplaceAll(segment, "/", "|")+"/"+size.name, func(b *testing.B) {
				ref := []byte("x/" + strings.Repeat(segment, size.n/len(segment)))
				dst := make([]byte, 0, 2*len(ref))
				b.SetBytes(int64(len(ref)))
				for b.Loop() {
					dst, _ = base.AppendResolve(dst[:0], ref)
				}
			})
		}
	}
}
