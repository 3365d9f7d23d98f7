package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Page is the HTML in a record. What lists name for each place in it is at most 8
// KiB long, and "" where a record says more.
type Page struct {
	URL    string // that it was retrieved from
	Date   string // as the record has it
	ID     string // of the record, in its angle brackets
	Offset int64  // of the record in the archive

	record *Record
	http   head   // of the response; zero where the block is the page itself
	media  string // the type, without parameters
	label  string // the charset of the Content-Type
}

// maxName is how long the URL, date and ID of a page may be.
const maxName = rewriter.MaxBase

func atMost(name string) string {
	if len(name) > maxName {
		return ""
	}
	return name
}

var (
	errLongHTTP = fmt.Errorf("the HTTP header is longer than %d KiB; the record stays as it is", maxStart>>10)
	errLongURL  = fmt.Errorf("the WARC-Target-URI is longer than %d KiB: relative links stay", maxName>>10)
	errNoURL    = errors.New("a page without a WARC-Target-URI: relative links stay")
)

// mayHavePage reports whether a record is of a kind that has pages.
func mayHavePage(rec *Record) bool {
	switch rec.Type() {
	case "response", "resource":
		return rec.get("WARC-Segment-Number") == ""
	}
	return false
}

// pageIn returns the page that a record, which may have one, has by its header and
// what its block begins with; nil where it has none.
func pageIn(rec *Record, start []byte) (*Page, error) {
	p := &Page{URL: atMost(rec.URL()), Date: atMost(rec.get("WARC-Date")), ID: atMost(rec.ID()), Offset: rec.Offset, record: rec}
	contentType := rec.get("Content-Type")
	if bytes.HasPrefix(start, []byte(httpMagic)) {
		n, _ := headEnd(start, 0, "")
		switch {
		case n < 0 && len(start) == maxStart:
			return nil, errLongHTTP
		case n < 0:
			return nil, nil // no body
		}
		p.http = newHead(bytes.Clone(start[:n]))
		contentType = p.http.get("Content-Type")
		start = start[n:]
	}
	if len(start) == 0 {
		return nil, nil
	}
	p.media, p.label = mediaType(contentType)
	if !strings.Contains(p.media, "/") || p.media == "*/*" || p.media == "unknown/unknown" || p.media == "application/unknown" {
		p.media, _ = mediaType(rec.get("WARC-Identified-Payload-Type"))
	}
	switch p.media {
	case "text/html", "application/xhtml+xml":
		return p, nil
	case "":
		if p.media = "text/html"; looksLikeHTML(&p.http, start) {
			return p, nil
		}
	}
	return nil, nil
}

// mediaType returns the type of a Content-Type in lower case, and its charset.
func mediaType(contentType string) (media, charset string) {
	media = contentType
	if i := strings.IndexAny(media, "; \t,"); i >= 0 { // as browsers cut it
		media = media[:i]
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil || errors.Is(err, mime.ErrInvalidMediaParameter) {
		charset = params["charset"]
	}
	if charset == "" {
		if _, after, ok := strings.Cut(strings.ToLower(contentType), "charset="); ok {
			charset, _, _ = strings.Cut(after, ";")
			charset = strings.Trim(charset, " \t\"'")
		}
	}
	return strings.ToLower(media), charset
}

// looksLikeHTML reports whether a body that has no type begins as HTML does (MIME
// Sniffing Standard §7.1).
func looksLikeHTML(http *head, start []byte) bool {
	body, err := decodeBody(http, bytes.NewReader(start), 0)
	if err != nil {
		return false
	}
	b := make([]byte, 512)
	n, _ := io.ReadFull(body, b)
	b = bytes.TrimPrefix(b[:n], []byte("\xef\xbb\xbf"))
	b = bytes.TrimLeft(b, " \t\r\n\f")
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style", "<title", "<b", "<body", "<br", "<p", "<!--"} {
		if len(b) > len(tag) && strings.EqualFold(string(b[:len(tag)]), tag) && (tag == "<!--" || b[len(tag)] == ' ' || b[len(tag)] == '>') {
			return true
		}
	}
	return false
}

// open returns the document of a page in its block, up to limit bytes if it is
// encoded there.
func (p *Page) open(block *spool, limit int64) (io.Reader, error) {
	skip := int64(len(p.http.raw))
	var body io.Reader
	if block.file == nil {
		body = bytes.NewReader(block.mem[skip:])
	} else {
		body = io.NewSectionReader(block.file, skip, block.size-skip)
	}
	if len(p.http.raw) == 0 {
		return body, nil
	}
	return decodeBody(&p.http, body, limit)
}

// source returns the document with its charset.
func (p *Page) source(document io.Reader) io.Reader {
	if p.label == "" {
		return document
	}
	return rewriter.Source{Reader: document, Charset: p.label}
}

// base returns the base URL that the retrieval URL is; nil is none.
func (p *Page) base(html *rewriter.Rewriter) (*resolver.Base, error) {
	switch {
	case p.URL != "":
		return html.ParseBase(p.URL)
	case p.record.URL() != "":
		return nil, errLongURL
	}
	return nil, errNoURL
}

// charset returns the charset of a document that begins with start: that of the
// HTTP header, unless the document has a byte order mark, else its own, else ""
// where nothing says one.
func (p *Page) charset(start []byte) string {
	if _, name := htmlcharset.Lookup(p.label); name != "" && !hasMark(start) {
		return p.label
	}
	_, name, certain := htmlcharset.DetermineEncoding(start, "")
	if !certain && name == "windows-1252" { // a guess
		return ""
	}
	return name
}

func hasMark(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(b, []byte("\xfe\xff")) || bytes.HasPrefix(b, []byte("\xff\xfe"))
}
