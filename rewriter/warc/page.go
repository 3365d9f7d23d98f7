package warc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	htmlcharset "golang.org/x/net/html/charset"

	"absolink/internal/media"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
	"absolink/rewriter/internal/charset"
)

// A Page is the HTML in a record. In a list it may also be an HTTP response without HTML
// whose header has places. URL, Date and ID are at most 8 KiB long, and "" where the
// record has a longer value: a list may repeat them for each place.
type Page struct {
	URL    string // WARC-Target-URI: the URL that the page was retrieved from
	Date   string // WARC-Date, as the record has it
	ID     string // WARC-Record-ID, in its angle brackets
	Status int    // of the HTTP response; 0 where the record has none
	Offset int64  // of the record in the archive

	// Length is how many bytes the record takes in the archive, from Offset on. It is 0
	// where the record shares a compressed part with others, and when Rewriter.Pages is
	// called, which is before it is known.
	Length int64

	html    bool // there is HTML
	record  *Record
	http    head   // of the response; zero where the block is the page itself
	media   string // the media type
	charset string // of the Content-Type
	of      rewriter.Document
}

// A PageError is what Warn of HTML is told, or an error of Visit, with the page
// that it is about.
type PageError struct {
	URL    string // of the page; "" where the record has none
	Record int64  // where the record begins in the archive: Page.Offset
	Offset int64  // in the decoded page, in bytes
	Err    error
}

// Error returns one line with the URL, or the beginning of a long one, and the
// offset in the page.
func (e *PageError) Error() string {
	return fmt.Sprintf("%sat %d of the page: %v", named(e.URL), e.Offset, e.Err)
}

// Unwrap returns e.Err.
func (e *PageError) Unwrap() error { return e.Err }

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
	errNoSlash  = errors.New("the WARC-Target-URI has no slash after its host; it is read as if it had one")
	errReturns  = errors.New("the header has CR CR LF for an empty line; it is read as if it had CR LF")
	errNoURL    = errors.New("a page without a WARC-Target-URI: relative links stay")
)

// mayHavePage reports whether a record is of a kind that holds pages. In a list, records
// that a program made from pages count, such as those of Convert.
func mayHavePage(rec *Record, listing bool) bool {
	kind := rec.Type()
	holds := kind == "response" || kind == "resource" || listing && kind == "conversion"
	return holds && rec.get("WARC-Segment-Number") == ""
}

// pageIn returns the page, or the HTTP response without one, in a record that
// mayHavePage, by its header and by what its block begins with; nil where there is
// neither.
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
		p.Status = p.http.status()
		contentType = p.http.all("Content-Type")
		start = start[n:]
	}
	p.media, p.charset = media.ContentType(contentType)
	if p.media == "" || p.media == "unknown/unknown" || p.media == "application/unknown" {
		p.media, _ = media.ContentType(rec.get("WARC-Identified-Payload-Type"))
	}
	if p.media == "" && len(start) > 0 && looksLikeHTML(&p.http, start) {
		p.media = media.HTML
	}
	p.html = len(start) > 0 && media.IsHTMLType(p.media)
	if !p.html && len(p.http.raw) == 0 {
		return nil, nil
	}
	return p, nil
}

// looksLikeHTML reports whether a body without a type is HTML by its first bytes.
func looksLikeHTML(http *head, start []byte) bool {
	body, err := decodeBody(http, bytes.NewReader(start), 0)
	if err != nil {
		return false
	}
	b := make([]byte, media.Sniffed)
	n, _ := io.ReadFull(body, b)
	return media.IsHTML(b[:n], "")
}

// open returns the decoded page in a block. If it is encoded there, it may have up
// to limit bytes.
func (p *Page) open(block *spool, limit int64) (io.Reader, error) {
	body := block.from(int64(len(p.http.raw)))
	if len(p.http.raw) == 0 {
		return body, nil
	}
	return decodeBody(&p.http, body, limit)
}

// document returns what the places in the page say of it, with its base. The error says
// what is wrong with the URL of the page or with a field of its header.
func (p *Page) document(html *rewriter.Rewriter) (*rewriter.Document, error) {
	p.of = rewriter.Document{Name: cmp.Or(p.URL, p.ID), Offset: p.Offset}
	base, err := p.base(html)
	if base != nil {
		p.of.Outer = rewriter.Base{URL: base, Source: rewriter.OuterBase, Name: "WARC-Target-URI", Offset: p.Offset}
	}
	entity, fault := container.ResponseBase(html, base, p.http.values("Base"))
	if entity.URL != nil {
		entity.Offset = p.Offset
		p.of.Outer, p.of.Overridden = entity, p.of.Outer
		if base == nil { // err says that links stay
			err = nil
		}
	}
	return &p.of, cmp.Or(err, fault)
}

// base returns the retrieval URL as a base URL. With an error, that may be nil.
func (p *Page) base(html *rewriter.Rewriter) (*resolver.Base, error) {
	switch {
	case p.URL != "":
		base, err := html.ParseBase(p.URL)
		if slashed := withSlash(p.URL); err != nil && slashed != "" {
			if base, _ := html.ParseBase(slashed); base != nil {
				return base, errNoSlash
			}
		}
		return base, err
	case p.record.URL() != "":
		return nil, errLongURL
	}
	return nil, errNoURL
}

// withSlash returns a URL such as http://h?x with the slash that some crawlers leave out
// after the host; "" where none is missing.
func withSlash(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?;#"); found && i > 0 && rest[i] != '/' {
		return scheme + "://" + rest[:i] + "/" + rest[i:]
	}
	return ""
}

// charsetOf returns the charset of the page, which begins with start. The charset comes
// from a byte order mark, otherwise from the Content-Type, otherwise from the page itself.
// It is "" where nothing declares any.
func (p *Page) charsetOf(start []byte) string {
	if _, name := htmlcharset.Lookup(p.charset); name != "" && charset.ByteOrderMark(start) == nil {
		return p.charset
	}
	_, name, certain := htmlcharset.DetermineEncoding(start, "")
	if !certain && name == "windows-1252" { // a guess
		return ""
	}
	return name
}
