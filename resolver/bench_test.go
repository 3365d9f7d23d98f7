package resolver

import (
	"net/url"
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

// BenchmarkResolve is to be read beside BenchmarkNetURL, which does the same
// with net/url: Parsed leaves the parsing of the reference out, String counts
// it and the result's String as well, as AppendResolve does.
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

// BenchmarkLinear shows time per byte, which must not grow with the length
// of the path.
func BenchmarkLinear(b *testing.B) {
	base := mustParse(b, benchBase, RFC1808)
	for _, segment := range []string{"../", "a/../", "./", "a/b/../../", "/", "a/"} {
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
