package tree

import (
	"testing"

	"absolink/internal/local"
	"absolink/resolver"
)

func TestPageURL(t *testing.T) {
	const root = "https://example.org/docs/"
	for _, test := range []struct{ plain, indexed, clean string }{
		{"a.html", "a.html", "a"},
		{"index.html", "", "index"},
		{"dir/index.html", "dir/", "dir/index"},
		{"dir/xindex.html", "dir/xindex.html", "dir/xindex"},
		{"index.html/x.htm", "index.html/x.htm", "index.html/x.htm"},
		{".html", ".html", ".html"},
		{"a.HTML", "a.HTML", "a.HTML"},
		{"a b.html", "a%20b.html", "a%20b"},
		{"a;b=c.html", "a%3Bb=c.html", "a%3Bb=c"},
		{"q.html?x=1#y&z?", "q.html?x=1%23y&z%3F", "q?x=1%23y&z%3F"},
		{"dir/index.html?x=1", "dir/?x=1", "dir/index?x=1"},
		{"100%25.html", "100%2525.html", "100%2525"},
		{"é\xff\n.html", "%C3%A9%FF%0A.html", "%C3%A9%FF%0A"},
		{"...", "...", "..."},
		{"dir/..?x", "dir/..%3Fx", "dir/..%3Fx"},
		{"dir/...html", "dir/...html", "dir/...html"},
		{"dir/.?x", "dir/.%3Fx", "dir/.%3Fx"},
		{"dots../..x./x.html", "dots../..x./x.html", "dots../..x./x"},
		{"a:b/c@d!$&'()*+,=~.html", "a:b/c@d!$&'()*+,=~.html", "a:b/c@d!$&'()*+,=~"},
		{`back\slash"<>^{|}[].html`, "back%5Cslash%22%3C%3E%5E%7B%7C%7D%5B%5D.html", "back%5Cslash%22%3C%3E%5E%7B%7C%7D%5B%5D"},
	} {
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			for _, url := range []string{root, root[:len(root)-1]} {
				r := Rewriter{URL: base(t, url, p), Index: []string{"index.html", "default.htm"}}
				for _, c := range []struct {
					clean bool
					want  string
				}{{false, test.indexed}, {true, test.clean}} {
					if r.CleanURLs = c.clean; c.clean {
						r.Index = nil
					}
					a := r.address()
					got, err := a.page(test.plain)
					if err != nil || got.String() != root+c.want {
						t.Errorf("%s, %q: %v, %v, want %s", p, test.plain, got, err, root+c.want)
						continue
					}
					if path, ok := a.path(got.String() + "?q/#f/"); !ok || !c.clean && path != test.plain && test.indexed == test.plain {
						t.Errorf("%s: %s is at %q, %v", p, got, path, ok)
					}
				}
			}
		}
	}
}

func TestPath(t *testing.T) {
	for _, test := range []struct {
		root, url, want string
		ok              bool
	}{
		{"http://h/d/", "http://h/d/a.html", "a.html", true},
		{"http://h/d/", "HTTP://H/d/a.html?q#f", "a.html", true},
		{"http://h/d/", "http://h/d/", "", true},
		{"http://h/d/", "http://h/d", "", true},
		{"http://h/d/", "http://h/d?q", "", true},
		{"http://h/d/", "http://h/D/a", "", false},
		{"http://h/d/", "http://h/dx/a", "", false},
		{"http://h/d/", "http://h/", "", false},
		{"http://h/d/", "https://h/d/a", "", false},
		{"http://h/d/", "http://H:80/d/a", "a", true},
		{"https://h:443/d/", "https://h/d/a", "a", true},
		{"http://h/d/", "http://h:443/d/a", "", false},
		{"http://h/d/", "mailto:a@h/d/a", "", false},
		{"http://h/d/", "http://h/d/%61%20b%2Ehtml", "a b.html", true},
		{"http://h/d/", "http://h/d/a;p=1", "a;p=1", true},
		{"http://h/d/", "http://h/d/./x/../a/", "a/", true},
		{"http://h/d/", "http://h/d/x/..", "", true},
		{"http://h/d/", "http://h/d/../a", "", false},
		{"http://h/d/", "http://h/d/%2e%2e/a", "", false},
		{"http://h/d/", "http://h/x/../d/a", "a", true},
		{"http://h/d/", "http://h/d//a", "a", true},
		{"http://h/d/", "http://h/d/a%2Fb", "a/b", false},
		{"http://h/d/", "http://h/d/a%00", "a\x00", false},
		{"http://h/d/", "http://h/d/a%zz%4", "a%zz%4", true},
		{"http://h/%64%20e/", "http://h/d%20%65/a", "a", true},
		{"http://h/", "http://h", "", true},
		{"http://h/", "http://h/a", "a", true},
		{"file:///d/", "file:///d/a", "a", true},
	} {
		r := Rewriter{URL: base(t, test.root, resolver.RFC1808)}
		a := r.address()
		if got, ok := a.path(test.url); ok != test.ok || ok && got != test.want {
			t.Errorf("%s in %s: %q, %v", test.url, test.root, got, ok)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a/b.html", "é \n;?#%25", "..", ".../x", "a\xff\\", "a;?b#c?%41", "a/..?b", "?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		cleaned, ok := clean("/" + local.Unescape(name))
		if !ok || cleaned != "/"+name || name == "" || name[len(name)-1] == '/' {
			t.Skip("no name of a file")
		}
		for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
			r := Rewriter{URL: base(t, "http://h/d/", p)}
			a := r.address()
			url, err := a.page(name)
			if err != nil {
				if p == resolver.WHATWG && len(name) > 2000 {
					continue // the URL is too long
				}
				t.Fatal(err)
			}
			path, ok := a.path(url.String())
			if got := path + queryOf(url.String()); !ok || got != name {
				t.Errorf("%s: %q is at %s, which is %q, %v", p, name, url, got, ok)
			}
		}
	})
}
