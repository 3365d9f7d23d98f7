package hosts

import (
	"fmt"
	"strings"
	"testing"

	"absolink/internal/listing"
)

// Hosts are as browsers see them.
func TestHosts(t *testing.T) {
	for url, want := range map[string]listing.Host{
		"http://www.Example.COM/x":   {Reversed: "com.example.www", Domain: "example.com"},
		"HTTP://a.net":               {Reversed: "net.a", Domain: "a.net"},
		"https://u:p@a.net:8080/x":   {Reversed: "net.a", Domain: "a.net"},
		"http://u@v@a.net?x@y":       {Reversed: "net.a", Domain: "a.net"},
		"http://a.net\\@c.d/":        {Reversed: "net.a", Domain: "a.net"},
		"http:\\\\a.net\\c":          {Reversed: "net.a", Domain: "a.net"},
		"  http://a.net ":            {Reversed: "net.a", Domain: "a.net"},
		"http://a\t.net/":            {Reversed: "net.a", Domain: "a.net"},
		"http:///a.net":              {Reversed: "net.a", Domain: "a.net"},
		"http://a.net#/@c":           {Reversed: "net.a", Domain: "a.net"},
		"http://a.net./":             {Reversed: "net.a", Domain: "a.net"},
		"http://B\u00fccher.example": {Reversed: "example.xn--bcher-kva"},
		"http://b\u00fccher.de":      {Reversed: "de.xn--bcher-kva", Domain: "xn--bcher-kva.de"},
		"http://%61.net/":            {Reversed: "net.a", Domain: "a.net"},

		"http://a.b.co.uk/":     {Reversed: "uk.co.b.a", Domain: "b.co.uk"},
		"http://co.uk/":         {Reversed: "uk.co"},
		"http://com/":           {Reversed: "com"},
		"http://a.b.github.io/": {Reversed: "io.github.b.a", Domain: "github.io"}, // a suffix of the private section
		"http://a.x.ck/":        {Reversed: "ck.x.a", Domain: "a.x.ck"},           // *.ck
		"http://www.ck/":        {Reversed: "ck.www", Domain: "www.ck"},           // !www.ck
		"http://localhost/":     {Reversed: "localhost"},
		"http://a.internal/":    {Reversed: "internal.a"},

		"http://0x7f.1/":    {Reversed: "127.0.0.1"},
		"http://1.2.3.4:5/": {Reversed: "1.2.3.4"},
		"http://1.2.3.4./":  {Reversed: "1.2.3.4"},
		"http://[::1]:80/":  {Reversed: "[::1]"},
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

		"http://" + strings.Repeat("a", 249) + ".net/":               {Reversed: "net." + strings.Repeat("a", 249), Domain: strings.Repeat("a", 249) + ".net"},
		"http://" + strings.Repeat("a", 250) + ".net/":               {},
		"http://" + strings.Repeat("u", maxOrigin) + "@a.net:80/":    {Reversed: "net.a", Domain: "a.net"},
		"http://" + strings.Repeat("u", maxOrigin) + "@a.net:80/x@y": {Reversed: "net.a", Domain: "a.net"},
	} {
		for range 2 { // the second time from memory
			if got := Of(url); got != want {
				t.Errorf("%q: %q, want %q", url, got, want)
			}
		}
	}
}

// What is remembered of a host does not change what other hosts get.
func TestManyHosts(t *testing.T) {
	for i := range 4 * knownHosts {
		n := i % (2 * knownHosts)
		if got, want := Of(fmt.Sprintf("http://%d.net/", n)), (listing.Host{Reversed: fmt.Sprintf("net.%d", n), Domain: fmt.Sprintf("%d.net", n)}); got != want {
			t.Fatalf("%d: %q, want %q", n, got, want)
		}
	}
}

// A host that is remembered or plain is the host that the parser finds.
func FuzzHosts(f *testing.F) {
	for _, url := range []string{"http://www.a.net/x", "https://a-b.c:80", "http://a.0x7", "http://a.net /x", "http://a.net\x01?", "http://a.1", "http://a.net.", "http://xn--a.net", "http://a..b/", "http://-/"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		url = strings.ToValidUTF8(url, "\ufffd") // the resolver takes no other base
		if got, want := Of(url), hostOf(parsed(url)); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	})
}
