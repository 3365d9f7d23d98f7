package feed

import (
	"bytes"
	"slices"
	"strings"

	mediatype "absolink/internal/media"
	"absolink/internal/passage"
	"absolink/rewriter"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
)

// Is reports whether a file is a feed. start is what the file begins with; 4 KiB are
// enough. The first element decides; if start ends within its tag, a name that ends in
// .rss or .atom makes the file a feed. JSON is a feed by its version, or, if start ends
// before that, by a name that ends in .json and the members of a feed.
func Is(start []byte, name string) bool {
	if isWide(start) { // without its zeros, UTF-16 has enough to recognize tags
		start = bytes.ReplaceAll(start[len(charset.ByteOrderMark(start)):], []byte{0}, nil)
	}
	if name == "" && (isPage(start) || !slices.ContainsFunc(signs[:], func(sign []byte) bool { return bytes.Contains(start, sign) })) {
		return false
	}
	s := scanner{input: passage.Input{Src: bytes.NewReader(start)}, buf: make([]byte, 0, len(start)+1)}
	t := &tracker{bases: new(rewriter.Rewriter), warn: func(int64, error) {}}
	if s.beginsJSON() {
		return isJSONFeed(&s, name)
	}
	s.has(3)
	s.pos = int64(len(charset.ByteOrderMark(start)))
	for {
		s.skipSpace()
		switch tok := s.peek(); tok.kind {
		case markup:
			s.take()
		case startTag:
			el := t.read(s.bytes(tok.start, tok.end), tok.start)
			return isFeed(el, t.bindings, name)
		case ending:
			return s.pos > 0 && hasFeedName(name)
		case stray:
			return hasFeedName(name) && tok.end < s.limit() && isNameStart(start[tok.end]) // a tag that start cuts off
		default:
			return false
		}
	}
}

// isPage reports whether a file begins as most pages do: with an element that no feed begins
// with, perhaps after a DOCTYPE. Is says the same of them, and takes longer.
func isPage(start []byte) bool {
	const space, doctype = " \t\r\n", "<!doctype html"
	start = bytes.TrimLeft(start, space)
	if len(start) > len(doctype) && bytes.EqualFold(start[:len(doctype)], []byte(doctype)) {
		end := bytes.IndexByte(start, '>') + 1
		if bytes.ContainsAny(start[:end], "['") || bytes.Count(start[:end], []byte{'"'})%2 != 0 {
			return false
		}
		start = bytes.TrimLeft(start[end:], space)
	}
	if len(start) == 0 || start[0] != '<' {
		return false
	}
	n := 1
	for n < len(start) && ascii.IsAlnum(start[n]) {
		n++
	}
	return n > 1 && n < len(start) && strings.IndexByte(space+">", start[n]) >= 0 &&
		!slices.ContainsFunc(signs[:], func(sign []byte) bool { return bytes.EqualFold(start[1:n], sign) })
}

// signs are the names of the first elements of feeds, and the beginning of JSON. What has none of
// them, as short pages do, is not a feed.
var signs = [...][]byte{[]byte("rss"), []byte("urlset"), []byte("sitemapindex"), []byte("feed"), []byte("entry"), []byte("RDF"), []byte("{")}

// isFeed reports whether a file with this first element is a feed. An element rss always
// makes it a feed, and so does the first element of a sitemap. RDF does if it declares a
// namespace of RSS; feed and entry do if they have a prefix or a declaration of Atom, or if the
// file has the name of a feed.
func isFeed(el element, bindings []binding, name string) bool {
	hasPrefix := strings.Contains(el.name, ":") // which means Atom, declared or not
	isRSS := func(b binding) bool { return b.voc == rss }
	isAtom := func(b binding) bool { return b.voc == atom || b.voc == oldAtom }
	switch el.voc {
	case rss:
		return el.local == "rss"
	case sitemap:
		return el.local == "urlset" || el.local == "sitemapindex"
	case atom, oldAtom:
		return (el.local == "feed" || el.local == "entry") && (hasFeedName(name) || hasPrefix || slices.ContainsFunc(bindings, isAtom))
	case rdf:
		return el.local == "RDF" && slices.ContainsFunc(bindings, isRSS)
	}
	return false
}

func hasFeedName(name string) bool { return mediatype.HasExt(name, ".rss", ".atom") }
