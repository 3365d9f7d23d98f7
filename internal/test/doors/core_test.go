package doors_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"absolink/internal/steady"
	"absolink/internal/test/doors"
	"absolink/rewriter"
	"absolink/rewriter/dom"
)

// counted keeps the result of a run in a Pass.
func counted(p *doors.Pass, result rewriter.Result, err error) error {
	p.Result = &result
	return err
}

var core = []doors.Door{
	{Name: "Rewrite", NoDst: true, Of: []string{"rewriter.Rewriter.Rewrite"}, Not: plain, Run: func(p *doors.Pass) error {
		result, err := p.HTML.Rewrite(p.Dst, p.Src, p.Outer)
		return counted(p, result, err)
	}},
	{Name: "Rewrite, style sheet", NoDst: true, Docs: doors.Sheets, Not: doors.With(plain, doors.Not(noSheets, "late base")), Page: "a{b:url(x)}", Run: func(p *doors.Pass) error {
		result, err := p.HTML.Rewrite(p.Dst, rewriter.Source{Reader: p.Src, Sheet: true}, p.Outer)
		return counted(p, result, err)
	}},
	{Name: "Rewrite, in memory", Row: doors.Reads, NoDst: true, Not: doors.With(plain, doors.Not(inMemory, "memory")), Run: func(p *doors.Pass) error {
		b, err := read(p.Src)
		if err != nil {
			return err
		}
		result, err := p.HTML.Rewrite(p.Dst, bytes.NewReader(b), p.Outer)
		return counted(p, result, err)
	}},
	{Name: "Splice", Of: []string{"rewriter.Rewriter.Splice"}, Not: doors.With(plain, doors.Not("an offset is one in the document, where the call ended", "where")), Run: func(p *doors.Pass) error {
		s := &splicer{dst: p.Dst}
		result, err := p.HTML.Splice(s, io.TeeReader(p.Src, &s.in), p.Outer)
		return counted(p, result, err)
	}},
	{Name: "Reader.Read", Of: []string{"rewriter.Rewriter.NewReader", "rewriter.Reader.Read"}, Not: plain, Pull: func(p *doors.Pass) io.Reader {
		return &counting{p, p.HTML.NewReader(p.Src, p.Outer)}
	}},
	{Name: "Reader.WriteTo", Of: []string{"rewriter.Reader.WriteTo"}, Not: plain, Run: func(p *doors.Pass) error {
		r := p.HTML.NewReader(p.Src, p.Outer)
		return rest(p, r)
	}},
	{Name: "Reader.Read, then WriteTo", Not: plain, Run: func(p *doors.Pass) error {
		r, b, n := p.HTML.NewReader(p.Src, p.Outer), make([]byte, 1), 0
		recovered(func() { n, _ = r.Read(b) })
		if err := doors.Put(p.Dst, b[:n]); err != nil {
			return err
		}
		return rest(p, r)
	}},
	{Name: "Reader.WriteTo, again", Row: doors.Reads, Not: doors.With(plain, doors.Not("the row gathers the input", "memory")), Push: func(p *doors.Pass, feed func(io.Writer) error) error {
		var in bytes.Buffer
		if err := feed(&in); err != nil {
			return err
		}
		r := p.HTML.NewReader(&in, p.Outer)
		recovered(func() { r.WriteTo(p.Dst) })
		return rest(p, r)
	}},
	{Name: "Writer", NoDst: true, Of: []string{"rewriter.Rewriter.NewWriter", "rewriter.Writer.Write"}, Not: given, Push: func(p *doors.Pass, feed func(io.Writer) error) error {
		w := p.HTML.NewWriter(p.Dst, rewriter.Source{}, p.Outer)
		if err := feed(w); err != nil {
			return err
		}
		err := w.Close()
		return counted(p, w.Result(), err)
	}},
	{Name: "Writer, closed again", Not: given, Push: func(p *doors.Pass, feed func(io.Writer) error) error {
		w := &failing{Writer: p.HTML.NewWriter(p.Dst, rewriter.Source{}, p.Outer)}
		err := feed(w)
		if err != nil && w.err == nil {
			return err // the document did not come
		}
		recovered(func() { w.err = cmp.Or(w.err, w.Close()) })
		if again := w.Close(); again != w.err && w.err != nil {
			return fmt.Errorf("after %v, Close returns %v", w.err, again)
		} else if err == nil {
			err = again
		}
		return counted(p, w.Result(), err)
	}},
	{Name: "Places", Of: []string{"rewriter.Rewriter.Places"}, Want: placesOf, Not: listNot, Run: func(p *doors.Pass) error {
		for place, err := range p.HTML.Places(p.Src, p.Outer) {
			if err != nil {
				return err
			}
			if err := doors.Put(p.Dst, line(place)); err != nil {
				return err
			}
		}
		return nil
	}},
	{Name: "RewriteNode", Charset: "utf-8", Of: []string{"rewriter.Rewriter.RewriteNode"}, Form: parsed, Row: doors.Whole, Not: treeNot, Takes: isTree, Run: func(p *doors.Pass) error {
		root, err := html.Parse(&steady.Reader{Src: p.Src})
		if err != nil {
			return doors.Error("read", err)
		}
		result, err := p.HTML.RewriteNode(root, p.Outer)
		if err != nil {
			return err
		}
		return counted(p, result, render(p.Dst, root))
	}},
	{Name: "dom.Rewrite", Charset: "utf-8", Of: []string{"dom.Rewrite"}, Form: parsed, Row: doors.Whole, Not: treeNot, Takes: isTree, Run: func(p *doors.Pass) error {
		root, err := html.Parse(&steady.Reader{Src: p.Src})
		if err != nil {
			return doors.Error("read", err)
		}
		doc := goquery.NewDocumentFromNode(root)
		if p.Outer != nil {
			if doc.Url, err = url.Parse(p.Outer.String()); err != nil {
				return err
			}
		}
		result, err := dom.Rewrite(doc, p.HTML)
		if err != nil {
			return err
		}
		return counted(p, result, render(p.Dst, root))
	}},
}

var (
	listNot = doors.With(plain, doors.Not("a list has no Result", "counts"), doors.Not("the list is what is told", "told"), doors.Not(noDocument, "location", "stays", "kept", "twice", "structure", "hostile"), doors.Not("Places calls no Visit", "visit", "panic"))
	treeNot = doors.With(plain, doors.Not("scripting is on in the tree, so noscript is text there", "told"), doors.Not("scripting is on in the tree", "counts"), doors.Not("a tree lacks tags that the parser drops, and may have attributes in another order", "location"), doors.Not("a tree is written in another form", "stays", "kept", "structure", "hostile"), doors.Not(inMemory, "memory"), doors.Not("Hold does not limit what is in the tree already", "late base"))
)

// A failing keeps the error of a Writer.
type failing struct {
	*rewriter.Writer
	err error
}

func (w *failing) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
}

// recovered calls f, and recovers from a panic.
func recovered(f func()) {
	defer func() { recover() }()
	f()
}

// rest writes what a Reader has left.
func rest(p *doors.Pass, r *rewriter.Reader) error {
	dst := &count{Writer: p.Dst}
	n, err := r.WriteTo(dst)
	if n != dst.n {
		return fmt.Errorf("WriteTo says %d bytes, and writes %d: %v", n, dst.n, err)
	}
	return counted(p, r.Result(), err)
}

// A count counts what is written.
type count struct {
	io.Writer
	n int64
}

func (w *count) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n += int64(n)
	return n, err
}

// A counting keeps the Result of a Reader in a Pass.
type counting struct {
	pass *doors.Pass
	*rewriter.Reader
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	counted(c.pass, c.Result(), nil)
	return n, err
}

// A splicer writes the document that a Rewriter splices.
type splicer struct {
	dst io.Writer
	in  bytes.Buffer
	end int64
}

func (s *splicer) Keep(end int64) error {
	b := s.in.Next(int(end - s.end))
	s.end = end
	return doors.Put(s.dst, b)
}

func (s *splicer) Replace(end int64, b []byte) error {
	s.in.Next(int(end - s.end))
	s.end = end
	return doors.Put(s.dst, b)
}

// read reads a document, as careful callers do.
func read(src io.Reader) ([]byte, error) {
	b, err := io.ReadAll(&steady.Reader{Src: src})
	return b, doors.Error("read", err)
}

// line is what a list has of a place.
func line(p *rewriter.Place) []byte {
	return fmt.Appendf(nil, "%s %s %q %q %v\n", p.Element, p.Attr, p.Ref, p.URL, p.Err)
}

// placesOf returns the list of the places that Rewrite visits.
func placesOf(p *doors.Pass) (list []byte) {
	visit := func(place *rewriter.Place) error {
		list = append(list, line(place)...)
		return nil
	}
	if _, err := p.HTML.With(rewriter.Hooks{Visit: visit}).Rewrite(nil, p.Src, p.Outer); err != nil {
		panic(err)
	}
	return list
}

// isTree reports whether a document can be parsed, written as a tree, and parsed again. A
// tree is UTF-8, whatever encoding the document names, and has U+FFFD in the place of NUL. It
// does not say what else than text a style element in SVG held.
func isTree(doc []byte) bool {
	stays := false
	rw := new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { stays = stays || strings.Contains(err.Error(), "style element in SVG") }})
	if _, err := rw.Rewrite(nil, bytes.NewReader(doc), nil); err != nil || stays {
		return false
	}
	root, err := html.Parse(bytes.NewReader(doc))
	if !utf8.Valid(doc) || bytes.IndexByte(doc, 0) >= 0 || bytes.Contains(doc, []byte("charset=")) || err != nil || html.Render(io.Discard, root) != nil {
		return false
	}
	once := parsed(doc)
	return bytes.Equal(parsed(once), once)
}

// parsed returns a document in the form in which a tree is written.
func parsed(doc []byte) []byte {
	root, err := html.Parse(bytes.NewReader(doc))
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	html.Render(&out, root)
	return out.Bytes()
}

// render writes a tree, in one piece.
func render(dst io.Writer, root *html.Node) error {
	var out bytes.Buffer
	if err := html.Render(&out, root); err != nil {
		return err
	}
	return doors.Put(dst, out.Bytes())
}
