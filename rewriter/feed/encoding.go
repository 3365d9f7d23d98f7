package feed

import (
	"bytes"
	"cmp"
	"io"
	"strings"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"absolink/rewriter"
)

// maxDeclaration is how long an XML declaration may be.
const maxDeclaration = 1 << 10

// readEncoding finds out the encoding from the byte order mark and the XML declaration
// (XML 1.0, Appendix F), or from the source where that says that the feed has been decoded.
// It reports whether every byte below 0x80 stands for the same character as in ASCII.
func (f *run) readEncoding() bool {
	if f.source.Decoded {
		f.charset = cmp.Or(f.source.Charset, "utf-8")
		return true
	}
	f.scan.has(4)
	start := f.scan.buf
	f.charset = "utf-8"
	switch {
	case len(start) == 0:
		return true
	case isWide(start):
		f.warnings.add(0, errWide)
		return false
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) || !f.scan.begins("<?xml"):
		return true
	}
	for n := len("<?xml"); n < maxDeclaration && f.scan.has(n+1); n++ {
		if f.scan.buf[n] != '>' {
			continue
		}
		attributes(f.scan.buf[:n+1], func(a attribute) {
			if string(a.name) != "encoding" {
				return
			}
			// UTF-16 cannot be true, since the declaration could be read as ASCII.
			if e, name := htmlcharset.Lookup(string(a.value)); name != "" && !strings.HasPrefix(name, "utf-") {
				f.charset, f.tracker.encoding = name, e
			}
		})
		break
	}
	if f.charset == "iso-2022-jp" || f.charset == "replacement" {
		f.warnings.add(0, errWide)
		return false
	}
	return true
}

// inUTF8 returns text of an encoding in UTF-8, where nil is UTF-8. Unless the text is whole,
// the rest is the start of its last character.
func inUTF8(e encoding.Encoding, text []byte, whole bool) (decoded, rest []byte) {
	if e == nil {
		return text, nil
	}
	decoded = make([]byte, utf8.UTFMax*(len(text)+1)) // one byte is at most one character; a missing end is one, too
	n, read, _ := e.NewDecoder().Transform(decoded, text, whole)
	return decoded[:n], text[read:]
}

// isUTF8 reports whether the feed comes in UTF-8.
func (t *tracker) isUTF8() bool { return t.encoding == nil }

// sourceOf returns what the caller says of a feed.
func sourceOf(src io.Reader) rewriter.Source {
	switch src := src.(type) {
	case rewriter.Source:
		return src
	case *rewriter.Source:
		return *src
	}
	return rewriter.Source{Reader: src}
}

// isWide reports whether a feed begins like one in UTF-16, UTF-32 or EBCDIC.
func isWide(start []byte) bool {
	start = start[:min(len(start), 4)]
	return bytes.HasPrefix(start, []byte("\xfe\xff")) || bytes.HasPrefix(start, []byte("\xff\xfe")) ||
		bytes.IndexByte(start, 0) >= 0 || string(start) == "\x4c\x6f\xa7\x94"
}
