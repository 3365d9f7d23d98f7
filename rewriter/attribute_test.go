package rewriter

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"absolink/internal/test/testio"
	"absolink/resolver"
)

// Visit and Unresolvable may read the other attributes of the element, and nobody afterwards.
func TestAttribute(t *testing.T) {
	const page = `<a class="x &amp; y" href=1 DATA-N=2 data-n=3 checked>` + // held for a BASE
		`<body><img src="//[" alt='é'><img srcset="a, b" title=t><p style="a:url(c)" id=p><style id=s>a{b:url(d)}</style>` +
		`<svg viewBox="0 0 1 1"><use id=u href=u.svg></use></svg><iframe srcdoc="<a href=e title='&amp;quot;'>" id=i></iframe><noscript><img src=f width=1></noscript>`
	want := []string{
		"1: class=x & y data-n=2 checked=", "//[: alt=é", "//[: alt=é", "a: title=t", "b: title=t", "c: id=p", "d:", "u.svg: id=u", `e: title="`, "f: width=1",
	}
	names := []string{"class", "data-n", "checked", "alt", "title", "id", "width", "none", ""}
	for _, encoding := range []string{"utf-8", "utf-16"} {
		in := []byte(page)
		if encoding == "utf-16" {
			in = testio.UTF16(page, "\xff\xfe")
		}
		for _, pieces := range []bool{false, true} {
			var got []string
			var kept []Place
			show := func(p *Place) {
				line := p.Ref + ":"
				for _, name := range names {
					if value, ok := p.Attribute(name); ok {
						line += fmt.Sprintf(" %s=%s", name, value)
					}
				}
				for _, earlier := range kept {
					if value, ok := earlier.Attribute("alt"); ok && earlier.Ref != p.Ref {
						t.Errorf("%s has alt=%q in the call for %s", earlier.Ref, value, p.Ref)
					}
				}
				got, kept = append(got, line), append(kept, *p)
			}
			rw := Must(New(Options{Profile: resolver.WHATWG})).With(Hooks{Visit: func(p *Place) error { show(p); return nil }, Unresolvable: show})
			var src io.Reader = strings.NewReader(string(in))
			if pieces {
				src = iotest.OneByteReader(src)
			}
			rewriteFrom(t, rw, Source{Reader: src, Charset: encoding}, mustParse(t, "http://h/", resolver.WHATWG))
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, in pieces: %v: %q, want %q", encoding, pieces, got, want)
			}
			for _, p := range kept {
				for _, name := range names {
					if value, ok := p.Attribute(name); ok {
						t.Errorf("%s has %s=%q after the call", p.Ref, name, value)
					}
				}
			}
		}
	}
}

// In a tree, an element has the attributes of its node.
func TestAttributeInTree(t *testing.T) {
	var got []string
	rw := new(Rewriter).With(Hooks{Visit: func(p *Place) error {
		class, _ := p.Attribute("class")
		id, _ := p.Attribute("id")
		got = append(got, p.Ref+" "+class+id)
		return nil
	}})
	if _, err := treeOf(t, rw, `<a class="&amp;" href=x><svg><use xlink:href=y id=u></svg>`, mustParse(t, "http://h/", 0)); err != nil {
		t.Fatal(err)
	}
	if want := "[x & y u]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if _, ok := new(Place).Attribute("href"); ok {
		t.Error("a Place of nobody has an attribute")
	}
}

// The attributes of a tag are read once, however many places it has.
func TestAttributeOfMany(t *testing.T) {
	var values []string
	page := `<img srcset="` + strings.Repeat("a, ", 100_000) + `" ` + strings.Repeat("x=y ", 100_000) + `>`
	rw := new(Rewriter).With(Hooks{Visit: func(p *Place) error {
		if value, ok := p.Attribute("x"); ok && value == "y" {
			values = append(values, value)
		}
		return nil
	}})
	rewrite(t, rw, page, mustParse(t, "http://h/", 0))
	if len(values) < 1000 {
		t.Fatalf("%d places", len(values))
	}
	for _, v := range values {
		if unsafe.StringData(v) != unsafe.StringData(values[0]) {
			t.Fatal("the tag was read more than once")
		}
	}
}

// What is shown is UTF-8, whatever the encoding of the document.
func TestAttributeEncoding(t *testing.T) {
	for charset, want := range map[string]string{"windows-1251": "й\\é й", "utf-8": "\ufffd\\é \ufffd", "shift_jis": "饅é 饅"} {
		in := "<a href=x title='\xe9\\&#233;' rel='\xe9\\'>"
		rw := Must(New(Options{Profile: resolver.WHATWG})).With(Hooks{Visit: func(p *Place) error {
			title, _ := p.Attribute("title")
			if got := title + " " + strings.TrimSuffix(p.Rel, "\\"); got != want {
				t.Errorf("%s: %q, want %q", charset, got, want)
			}
			return nil
		}})
		rewriteFrom(t, rw, Source{Reader: strings.NewReader(in), Charset: charset}, mustParse(t, "http://h/", resolver.WHATWG))
	}
}
