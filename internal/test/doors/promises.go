package doors

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing/iotest"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// options are the Rewriters with whose options documents go through a door.
var options = []*rewriter.Rewriter{
	new(rewriter.Rewriter),
	rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG, KeepFragments: true, RemoveBase: true, WholeDocument: true})),
}

// each calls f for each document and its container, with each of options.
func (c *checking) each(f func(rw *rewriter.Rewriter, doc, in []byte)) {
	for _, rw := range options {
		c.documents(func(doc, in []byte) { f(rw, doc, in) })
	}
}

func (c *checking) same() {
	c.each(func(rw *rewriter.Rewriter, doc, in []byte) {
		want := c.want(rw, doc)
		if got := c.Seen(c.whole(rw, in)); !bytes.Equal(got, want) {
			c.errorf("%.300q becomes\n%.300q, not\n%.300q", doc, got, want)
		}
	})
}

// location looks from elsewhere at where the links lead of what is rewritten.
func (c *checking) location() {
	c.each(func(rw *rewriter.Rewriter, doc, in []byte) {
		there, err := rw.ParseBase("https://elsewhere.test/x/y?z")
		if err != nil {
			c.fatalf("%v", err)
		}
		out := c.Seen(c.whole(rw, in))
		if before, after := c.links(rw, doc, c.base(rw)), c.links(rw, out, there); !slices.Equal(before, after) {
			c.errorf("%.300q leads to\n%.300q\n%.300q leads to\n%.300q", doc, before, out, after)
		}
	})
}

// anyBase is a base for URLs that are absolute.
var anyBase, _ = resolver.ParseBase("http://any/", resolver.WHATWG)

// links returns where each place of a document leads on a base, in one spelling, or the
// reference if it has no absolute form.
func (c *checking) links(rw *rewriter.Rewriter, doc []byte, outer *resolver.Base) (urls []string) {
	rw = rw.With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		url, err := anyBase.Resolve(p.URL)
		if p.URL == "" || err != nil {
			url = cmp.Or(p.URL, p.Ref)
		}
		urls = append(urls, strings.ReplaceAll(url, "\ufffd", "%EF%BF%BD"))
		return nil
	}})
	c.core(&Pass{HTML: rw, Src: bytes.NewReader(doc), Outer: outer})
	return urls
}

// A telling gathers what the functions of a Rewriter are told. Some doors tell what is
// wrong with a document when they are done with it, so warnings are apart from places.
type telling struct {
	mu               sync.Mutex
	places, warnings strings.Builder
}

func (t *telling) say(to *strings.Builder, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(to, args...)
}

func (t *telling) String() string { return t.places.String() + "warnings:\n" + t.warnings.String() }

// says reports whether t was told the same as other. A container says before a warning where
// in it that is.
func (t *telling) says(other *telling) bool {
	got, want := strings.Split(t.warnings.String(), "\n"), strings.Split(other.warnings.String(), "\n")
	return t.places.String() == other.places.String() && slices.EqualFunc(got, want, strings.HasSuffix)
}

// hooks returns hooks that tell t. offsets says whether the offsets count.
func (t *telling) hooks(offsets bool) rewriter.Hooks {
	at := func(offset int64) any {
		if offsets {
			return offset
		}
		return ""
	}
	return rewriter.Hooks{
		Visit: func(p *rewriter.Place) error {
			t.say(&t.places, at(p.Offset), p.Element, p.Attr, p.Ref, p.URL, p.Err)
			return nil
		},
		Unresolvable: func(p *rewriter.Place) { t.say(&t.places, "unresolvable", at(p.Offset), p.Ref, p.Err) },
		Warn:         func(offset int64, err error) { t.say(&t.warnings, at(offset), err) },
	}
}

func (c *checking) told() {
	c.each(func(rw *rewriter.Rewriter, doc, in []byte) {
		var want, got telling
		c.core(&Pass{HTML: rw.With(want.hooks(false)), Src: bytes.NewReader(doc), Outer: c.base(rw)})
		c.whole(rw.With(got.hooks(false)), in)
		if !got.says(&want) {
			c.errorf("of %.300q the door tells\n%s, not\n%s", doc, &got, &want)
		}
	})
}

func (c *checking) counts() {
	c.each(func(rw *rewriter.Rewriter, doc, in []byte) {
		places := 0
		counting := rw.With(rewriter.Hooks{Visit: func(*rewriter.Place) error { places++; return nil }})
		want := c.core(&Pass{HTML: counting, Src: bytes.NewReader(doc), Outer: c.base(counting)})
		if want.Rewritten+want.Absolute+want.Left+want.Unresolvable != places {
			c.errorf("%.300q: %+v, of %d places", doc, want, places)
		}
		for _, dst := range []io.Writer{io.Discard, nil} {
			if dst == nil && !c.NoDst {
				continue
			}
			wanted := new(rewriter.Result)
			p := &Pass{HTML: rw, Dst: dst, Src: bytes.NewReader(in), Outer: c.base(rw), Result: wanted}
			if _, err := c.run(p); err != nil {
				c.fatalf("%v", err)
			}
			if p.Result == wanted {
				c.fatalf("the row sets no Result")
			}
			var counts [2]rewriter.Result
			counts[0].Add(want)
			counts[1].Add(*p.Result)
			if counts[0] != counts[1] {
				c.errorf("%.300q: %+v, not %+v; written to %T", doc, counts[1], counts[0], dst)
			}
		}
	})
}

func (c *checking) stays() {
	c.documents(func(doc, _ []byte) {
		if r := c.core(&Pass{HTML: &c.usual, Src: bytes.NewReader(doc)}); r.Base.URL != nil || r.Overridden.URL != nil {
			return // the document names its base
		}
		in := c.Wrap(doc, false)
		var out bytes.Buffer
		if _, err := c.run(&Pass{HTML: &c.usual, Dst: &out, Src: bytes.NewReader(in)}); err != nil || !bytes.Equal(c.plain(out.Bytes()), c.plain(in)) {
			c.errorf("without a base: %v\n%.300q\nbecomes\n%.300q", err, in, out.Bytes())
		}
	})
}

func (c *checking) kept() {
	rw := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error { p.URL = ""; return nil }})
	c.documents(func(_, in []byte) {
		if out := c.whole(rw, in); !bytes.Equal(c.plain(out), c.plain(in)) {
			c.errorf("%.300q\nbecomes\n%.300q", in, out)
		}
	})
}

// A sized gives at most n bytes at a time.
type sized struct {
	src io.Reader
	n   int
}

func (r sized) Read(p []byte) (int, error) { return r.src.Read(p[:min(len(p), r.n)]) }

func (c *checking) chunks() {
	c.each(func(rw *rewriter.Rewriter, _, in []byte) {
		var first telling
		want := c.whole(rw.With(first.hooks(true)), in)
		for name, src := range map[string]io.Reader{
			"1 byte": iotest.OneByteReader(bytes.NewReader(in)), "7 bytes": sized{bytes.NewReader(in), 7},
			"half": sized{bytes.NewReader(in), len(in)/2 + 1}, "the end with the last bytes": iotest.DataErrReader(bytes.NewReader(in)),
			"random": testio.InPieces(bytes.NewReader(in), 1),
		} {
			var now telling
			var out bytes.Buffer
			_, err := c.run(&Pass{HTML: rw.With(now.hooks(true)), Dst: &out, Src: src, Outer: c.base(rw), Pieces: 7})
			if err != nil || !bytes.Equal(c.plain(out.Bytes()), c.plain(want)) || now.String() != first.String() {
				c.errorf("%s: %v\n%.300q becomes\n%.300q, not\n%.300q\n%s\n%s", name, err, in, out.Bytes(), want, &now, &first)
			}
		}
	})
}

func (c *checking) twice() {
	c.each(func(rw *rewriter.Rewriter, _, in []byte) {
		once := c.whole(rw, in)
		if again := c.whole(rw, once); !bytes.Equal(c.plain(once), c.plain(again)) {
			c.errorf("%.300q, then\n%.300q", once, again)
		}
	})
}

func (c *checking) structure() {
	c.each(func(rw *rewriter.Rewriter, doc, in []byte) { c.keepsStructure(doc, c.whole(rw, in)) })
}

func (c *checking) keepsStructure(doc, out []byte) {
	if err := testio.StructureError(doc, c.Seen(out)); err != nil {
		c.errorf("%v", err)
	}
}

func (c *checking) hostile() {
	for _, url := range []string{`http://x/"'><script>`, "javascript:`\n<", "-->]]>\x00&lt;", "\xff\xfe \t"} {
		rw := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error { p.URL = url; return nil }})
		c.documents(func(doc, in []byte) { c.keepsStructure(doc, c.whole(rw, in)) })
	}
}

// hold is the default of Hold: how many bytes wait for a BASE, with the places among them.
const hold = 16 << 20

// late returns a document of n bytes that ends with its BASE, and has a link at its start.
// It has few tags, which are long: it is about bytes.
func late(n int) []byte {
	const start, end, head, tail = "<link href=late>", "<base href=http://late/>", "<meta content='", "'>"
	doc := make([]byte, 0, n)
	doc = append(doc, start...)
	tag := []byte(head + strings.Repeat("a head may be long; ", n/64/20) + tail)
	for n-len(doc)-len(end) > len(tag) {
		doc = append(doc, tag...)
	}
	for n-len(doc)-len(end) > 0 {
		doc = append(doc, ' ')
	}
	return append(doc, end...)
}

// justHeld is a document whose BASE is just below Hold.
var justHeld = sync.OnceValue(func() []byte { return late(hold - 1<<10) })

// A beginning keeps the beginning of what is written, which has the link of a late document.
type beginning struct{ b []byte }

func (w *beginning) Write(p []byte) (int, error) {
	w.b = append(w.b, p[:min(len(p), 64<<10-len(w.b))]...)
	return len(p), nil
}

func (c *checking) lateBase() {
	run := func(rw *rewriter.Rewriter, doc []byte) (out []byte, p *Pass) {
		dst := new(beginning)
		p = &Pass{HTML: rw, Dst: dst, Src: bytes.NewReader(c.Wrap(doc, true)), Outer: c.base(rw), Pieces: 32 << 10}
		if _, err := c.run(p); err != nil {
			c.fatalf("a BASE at %d: %v", len(doc), err)
		}
		return dst.b, p
	}
	if out, _ := run(new(rewriter.Rewriter), justHeld()); !c.Leads(out, "http://late/late") {
		c.errorf("the BASE just below Hold does not count: %.60q", out)
	}
	var heard telling
	hooks := heard.hooks(false)
	hooks.Visit = nil
	rw := rewriter.Must(rewriter.New(rewriter.Options{Hold: 4 << 10})).With(hooks)
	out, p := run(rw, late(8<<10))
	tells := strings.Contains(heard.warnings.String(), "than may be held")
	if c.Not[Told] != "" { // a door that calls no functions can only count
		tells = tells || p.Result != nil && p.Result.Warnings > 0
	}
	stays := bytes.Contains(c.Seen(out), []byte("href=late")) // which is told
	if !c.Leads(out, "http://h/d/late") && !stays || !tells {
		c.errorf("beyond Hold: %.60q; told: %.200s", out, &heard)
	}
}

// memory checks 8 MiB of document, or twice what the door may take; in long tests, 80 MiB
// too. What is measured includes what other goroutines have just let go, so that the least
// of up to ten measurements counts.
func (c *checking) memory() {
	sizes := []int{max(8<<20, 2*int(c.Most))}
	if soak.Enabled() {
		sizes = append(sizes, 80<<20)
	}
	const mark = "@@@@"
	part := "<p>text &amp; more</p>\n"
	if c.Most > 4<<20 && !soak.Enabled() { // the door holds bytes, and long text has enough of them
		part = "<p>text &amp; more" + strings.Repeat(" and more", 100) + "</p>\n"
	}
	head, tail, _ := bytes.Cut(c.Wrap([]byte(cmp.Or(c.Page, "<body>")+mark), true), []byte(mark))
	measure := func(n int) int64 {
		before := c.Used()
		text := testio.Repeat(part, n/len(part)*len(part))
		src := &testio.HeapReader{Every: 2 << 20, Used: c.Used, Reader: io.MultiReader(bytes.NewReader(head), text, bytes.NewReader(tail))}
		rw := new(rewriter.Rewriter)
		if _, err := c.run(&Pass{HTML: rw, Dst: io.Discard, Src: src, Outer: c.base(rw), Pieces: 32 << 10}); err != nil {
			c.fatalf("%d MiB: %v", n>>20, err)
		}
		return src.Most - before
	}
	most := cmp.Or(c.Most, 3<<20)
	for _, n := range sizes {
		least := measure(n)
		for i := 0; least > most && i < 9; i++ {
			least = min(least, measure(n))
		}
		if least > most {
			c.errorf("%d MiB of document: %d KiB in use, more than %d", n>>20, least>>10, most>>10)
		}
	}
}

func (c *checking) cancels() {
	c.documents(func(_, in []byte) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		rw := new(rewriter.Rewriter)
		if _, err := c.run(&Pass{Ctx: ctx, HTML: rw, Dst: io.Discard, Src: bytes.NewReader(in), Outer: c.base(rw)}); err == nil {
			c.errorf("%.100q: no error", in)
		}
	})
}
