package warc

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Page is the HTML in a record.
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

// pageIn returns the page that a record has, by its header and what its block
// begins with, nil where it has none. http is how much of the block is before the
// page.
func pageIn(rec *Record, start []byte) *Page {
	switch rec.Type() {
	case "response", "resource":
	default:
		return nil
	}
	if rec.get("WARC-Segment-Number") != "" {
		return nil
	}
	p := &Page{URL: rec.URL(), Date: rec.get("WARC-Date"), ID: rec.ID(), Offset: rec.Offset, record: rec}
	contentType := rec.get("Content-Type")
	if bytes.HasPrefix(start, []byte("HTTP/")) {
		n := headEnd(start, 0)
		if n < 0 {
			n = len(start)
		}
		p.http = parseHead(bytes.Clone(start[:n]))
		contentType = p.http.get("Content-Type")
		start = start[n:]
	}
	if len(start) == 0 {
		return nil
	}
	p.media, p.label = mediaType(contentType)
	if !strings.Contains(p.media, "/") || p.media == "*/*" || p.media == "unknown/unknown" || p.media == "application/unknown" {
		p.media, _ = mediaType(rec.get("WARC-Identified-Payload-Type"))
	}
	switch p.media {
	case "text/html", "application/xhtml+xml":
		return p
	case "":
		if p.media = "text/html"; looksLikeHTML(&p.http, start) {
			return p
		}
	}
	return nil
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
func (p *Page) base(profile resolver.Profile) (*resolver.Base, error) {
	if p.URL == "" {
		return nil, errors.New("a page without a WARC-Target-URI: relative links stay")
	}
	return resolver.ParseBase(p.URL, profile)
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
