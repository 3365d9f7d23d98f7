package listing

import (
	"fmt"
	"strings"
	"testing"
)

// Hosts are as browsers see them.
func TestHostOf(t *testing.T) {
	for url, want := range map[string]Host{
		"http://www.Example.COM/x":   {"com.example.www", "example.com"},
		"HTTP://a.net":               {"net.a", "a.net"},
		"https://u:p@a.net:8080/x":   {"net.a", "a.net"},
		"http://u@v@a.net?x@y":       {"net.a", "a.net"},
		"http://a.net\\@c.d/":        {"net.a", "a.net"},
		"http:\\\\a.net\\c":          {"net.a", "a.net"},
		"  http://a.net ":            {"net.a", "a.net"},
		"http://a\t.net/":            {"net.a", "a.net"},
		"http:///a.net":              {"net.a", "a.net"},
		"http://a.net#/@c":           {"net.a", "a.net"},
		"http://a.net./":             {"net.a", "a.net"},
		"http://B\u00fccher.example": {"example.xn--bcher-kva", ""},
		"http://b\u00fccher.de":      {"de.xn--bcher-kva", "xn--bcher-kva.de"},
		"http://%61.net/":            {"net.a", "a.net"},

		"http://a.b.co.uk/":     {"uk.co.b.a", "b.co.uk"},
		"http://co.uk/":         {"uk.co", ""},
		"http://com/":           {"com", ""},
		"http://a.b.github.io/": {"io.github.b.a", "github.io"}, // a suffix of the private section
		"http://a.x.ck/":        {"ck.x.a", "a.x.ck"},           // *.ck
		"http://www.ck/":        {"ck.www", "www.ck"},           // !www.ck
		"http://localhost/":     {"localhost", ""},
		"http://a.internal/":    {"internal.a", ""},

		"http://0x7f.1/":    {"127.0.0.1", ""},
		"http://1.2.3.4:5/": {"1.2.3.4", ""},
		"http://1.2.3.4./":  {"1.2.3.4", ""},
		"http://[::1]:80/":  {"[::1]", ""},
		"http://a b/":       {},
		"http://a.net /x":   {},
		"http://a.net\x01/": {},
		"http://":           {},
		"http://a:99999/":   {},
		"http://a..net/":    {},
		"http://.net/":      {},
		"httpx://a.net/":    {},
		"mailto:a@net":      {},
		"":                  {},

		"http://" + strings.Repeat("a", 249) + ".net/":               {"net." + strings.Repeat("a", 249), strings.Repeat("a", 249) + ".net"},
		"http://" + strings.Repeat("a", 250) + ".net/":               {},
		"http://" + strings.Repeat("u", maxOrigin) + "@a.net:80/":    {"net.a", "a.net"},
		"http://" + strings.Repeat("u", maxOrigin) + "@a.net:80/x@y": {"net.a", "a.net"},
	} {
		for range 2 { // the second time from memory
			if got := HostOf(url); got != want {
				t.Errorf("%q: %q, want %q", url, got, want)
			}
		}
	}
}

// What is remembered of a host does not change what other hosts get.
func TestManyHosts(t *testing.T) {
	for i := range 4 * knownHosts {
		n := i % (2 * knownHosts)
		if got, want := HostOf(fmt.Sprintf("http://%d.net/", n)), (Host{fmt.Sprintf("net.%d", n), fmt.Sprintf("%d.net", n)}); got != want {
			t.Fatalf("%d: %q, want %q", n, got, want)
		}
	}
}

// A host that is remembered or plain is the host that the parser finds.
func FuzzHostOf(f *testing.F) {
	for _, url := range []string{"http://www.a.net/x", "https://a-b.c:80", "http://a.0x7", "http://a.net /x", "http://a.net\x01?", "http://a.1", "http://a.net.", "http://xn--a.net", "http://a..b/", "http://-/"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		url = strings.ToValidUTF8(url, "\ufffd") // the resolver takes no other base
		if got, want := HostOf(url), hostOf(parsed(url)); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	})
}
