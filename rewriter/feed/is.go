package feed

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"absolink/rewriter"
)

// Is reports whether a file that begins with these bytes, of which 4 KiB are
// enough, and has this name is a feed: by its first element, and where that is
// not among the bytes by its name, *.rss or *.atom.
func Is(start []byte, name string) bool {
	start = narrow(start)
	s := scanner{src: bytes.NewReader(start)}
	t := &tracker{bases: new(rewriter.Rewriter), warn: func(int64, error) {}}
	s.has(3)
	if bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) {
		s.pos = 3
	}
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
			return hasFeedName(name) && tok.end < s.limit() && isNameStart(start[tok.end]) // a tag that goes on
		default:
			return false
		}
	}
}

// isFeed reports whether the first element is that of a feed. RDF is one where it
// has the names of RSS; what Atom calls feed and entry, in no namespace, where
// the file's name says so.
func isFeed(el element, bindings []binding, name string) bool {
	isRSS := func(b binding) bool { return b.voc == rss }
	isAtom := func(b binding) bool { return b.voc == atom || b.voc == oldAtom }
	switch el.voc {
	case rss:
		return el.local == "rss"
	case atom, oldAtom:
		return (el.local == "feed" || el.local == "entry") && (hasFeedName(name) || slices.ContainsFunc(bindings, isAtom))
	case rdf:
		return el.local == "RDF" && slices.ContainsFunc(bindings, isRSS)
	}
	return false
}

// narrow returns UTF-16 without its zeros: enough to see what it holds.
func narrow(start []byte) []byte {
	if !isWide(start) {
		return start
	}
	start = bytes.TrimPrefix(bytes.TrimPrefix(start, []byte("\xfe\xff")), []byte("\xff\xfe"))
	return bytes.ReplaceAll(start, []byte{0}, nil)
}

func hasFeedName(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".rss" || ext == ".atom"
}
