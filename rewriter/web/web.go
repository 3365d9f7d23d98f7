package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"absolink/internal/coding"
	"absolink/rewriter"
)

// A Rewriter rewrites the HTML in HTTP responses. The zero value is ready to use.
// Its fields must not change after the first use; its methods may be called from
// any number of goroutines, and its functions are.
type Rewriter struct {
	// HTML rewrites the documents; nil is new(rewriter.Rewriter). Offsets are those
	// in a document without its content codings.
	HTML *rewriter.Rewriter

	// Public is where clients reach the server, such as https://www.example.org or
	// https://example.org/app: its scheme and host take the place of those of the
	// request, and its path goes before that of the request. nil is nothing of that:
	// in Handler the request's host and, by TLS, https or http; else the URL that
	// the response was retrieved from.
	Public *url.URL

	// URL returns the retrieval URL of the response to a request, nil where none is
	// to be known. If it is nil, Public counts. In Response and ModifyResponse the
	// request is that to the server that the response is from.
	URL func(r *http.Request) *url.URL

	// ContentLocation has the header Content-Location give the base (RFC 1808
	// §3.2), which no browser does.
	ContentLocation bool

	// MaxDecoded is how many bytes a document may have without its content codings;
	// 0 is no limit, since no more is held for a longer one. A longer document ends
	// there with a [*TooLargeError], as if reading had failed. So does one of which
	// much more than that passes from one of its codings to the next.
	MaxDecoded int64

	// Warn is told of what is wrong with a response but for its document: a content
	// coding, a URL that gives no base. HTML.Warn is told of what is in that.
	Warn func(r *http.Request, err error)

	// End is told of each document that was rewritten, and of the error that ended
	// it, nil at its end. Document.Outer says where the base came from.
	End func(r *http.Request, d *rewriter.Document, err error)

	encoders coding.Encoders
}

var defaultHTML = new(rewriter.Rewriter)

func (rw *Rewriter) html() *rewriter.Rewriter { return cmp.Or(rw.HTML, defaultHTML) }

func (rw *Rewriter) warner(r *http.Request) func(error) {
	return func(err error) {
		if rw.Warn != nil {
			rw.Warn(r, err)
		}
	}
}

// Response returns resp with its HTML rewritten, or resp itself. Its body takes the
// place of resp's: who reads it to the end or closes it is done with both. If a
// limit in rw or rw.HTML is negative, reading the body is an error.
func (rw *Rewriter) Response(resp *http.Response) *http.Response {
	rewritten := *resp
	rewritten.Header = resp.Header.Clone()
	rewritten.Trailer = resp.Trailer.Clone()
	changed, err := rw.rewrite(&rewritten, resp, false)
	switch {
	case err != nil:
		rewritten.Body = &failedBody{err, cmp.Or[io.Closer](resp.Body, http.NoBody)}
	case !changed:
		return resp // to which trailers come, if there are any
	}
	return &rewritten
}

// ModifyResponse has the HTML in a response rewritten, for
// [net/http/httputil.ReverseProxy]. The base is then the URL that the proxy asked
// for; Public or URL say by which the client knows it. It is an error if a limit in
// rw or rw.HTML is negative.
func (rw *Rewriter) ModifyResponse(resp *http.Response) error {
	_, err := rw.rewrite(resp, resp, true)
	return err
}

// check returns an error if the fields cannot be used.
func (rw *Rewriter) check() error {
	if rw.MaxDecoded < 0 {
		return fmt.Errorf("web: Rewriter.MaxDecoded is %d: it takes a number of bytes, or 0 for no limit", rw.MaxDecoded)
	}
	if err := rw.html().Validate(); err != nil {
		return fmt.Errorf("web: Rewriter.HTML: %w", err)
	}
	return nil
}

// A failedBody cannot be read.
type failedBody struct {
	err error
	io.Closer
}

func (b *failedBody) Read([]byte) (int, error) { return 0, b.err }

// rewrite changes resp, if that is to be rewritten. The trailers of original come to
// be when its body has been read.
func (rw *Rewriter) rewrite(resp, original *http.Response, proxy bool) (changed bool, err error) {
	if err := rw.check(); err != nil {
		return false, err
	}
	r := resp.Request
	if r == nil {
		r = new(http.Request)
	}
	empty := resp.Body == nil || resp.Body == http.NoBody
	if empty && resp.ContentLength == 0 && resp.StatusCode != http.StatusNotModified {
		return false, nil
	}
	plan := rw.plan(r, r.URL, resp.StatusCode, resp.Header, proxy)
	if !plan.headers {
		return false, nil
	}
	changeHeader(resp.Header)
	changeFields(resp.Trailer)
	resp.ContentLength = -1
	if !plan.body || r.Method == http.MethodHead || empty {
		return true, nil
	}
	upstream := resp.Body
	s := rw.stream(r, upstream, plan)
	resp.Body = &body{stream: s, upstream: upstream, end: func(err error) {
		for name, values := range original.Trailer {
			if resp.Trailer == nil {
				resp.Trailer = http.Header{}
			}
			resp.Trailer[name] = values
		}
		changeFields(resp.Trailer)
		rw.ended(r, plan.document, s, err)
	}}
	return true, nil
}

// stream returns the document that src reads, as it becomes.
func (rw *Rewriter) stream(r *http.Request, src io.Reader, plan plan) *stream {
	dec := newDecoder(src, plan.codings, rw.MaxDecoded, rw.warner(r))
	doc := rw.html().NewReader(rewriter.Source{Reader: dec, Charset: plan.charset}, plan.document.Outer.URL)
	return &stream{dec: dec, doc: doc, encoders: &rw.encoders}
}

// ended tells End.
func (rw *Rewriter) ended(r *http.Request, d *rewriter.Document, s *stream, err error) {
	s.end()
	if err == io.EOF {
		err = nil
	}
	d.Done(s.doc.Result())
	if rw.End != nil && s.raw == nil {
		rw.End(r, d, err)
	}
}

// received is the URL that a server was asked for, as the client has it, whatever
// handlers made of it on the way.
func received(r *http.Request) *url.URL {
	u, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		u = r.URL
	}
	asked := *u
	asked.Scheme, asked.Host = "http", r.Host
	if r.TLS != nil {
		asked.Scheme = "https"
	}
	return &asked
}

// ErrLongURL is what Warn is told of a response whose URL is longer than 8 KiB, as
// no base URL may be. It passes untouched.
var ErrLongURL = errors.New("the URL is longer than 8 KiB, too long for a base URL; the response passes as it is")

// document returns the document of a response, with its base. u is the URL of the
// request. The error is ErrLongURL; Warn is told of others.
func (rw *Rewriter) document(r *http.Request, u *url.URL, h http.Header) (*rewriter.Document, error) {
	d := new(rewriter.Document)
	switch {
	case rw.URL != nil:
		u = rw.URL(r)
	case rw.Public != nil && u != nil:
		u = public(rw.Public, u)
	}
	if u != nil {
		base, err := rw.html().ParseBase(BaseURL(u))
		switch {
		case err == nil:
			d.Outer = rewriter.Base{URL: base, Source: rewriter.OuterBase, Name: "retrieval URL"}
		case errors.Is(err, rewriter.ErrLongBase):
			return nil, ErrLongURL
		default:
			rw.warner(r)(err)
		}
	}
	if ref := h.Get("Content-Location"); rw.ContentLocation && ref != "" {
		base, err := rw.html().ParseBaseOn(d.Outer.URL, ref)
		if err != nil {
			rw.warner(r)(fmt.Errorf("Content-Location: %w", err))
		}
		if base == nil {
			return d, nil
		}
		d.Overridden, d.Outer = d.Outer, rewriter.Base{URL: base, Source: rewriter.EntityBase, Name: "Content-Location"}
	}
	return d, nil
}

// public returns the URL u at its public place.
func public(place, u *url.URL) *url.URL {
	p := *u
	if p.Path == "" {
		p.Path = "/"
	}
	p.Scheme, p.Host, p.Opaque = place.Scheme, place.Host, ""
	if prefix := place.JoinPath(); prefix.Path != "" && prefix.Path != "/" {
		p.RawPath = trimSlash(prefix.EscapedPath()) + p.EscapedPath()
		p.Path = trimSlash(prefix.Path) + p.Path
	}
	return &p
}

func trimSlash(path string) string { return strings.TrimRight(path, "/") }

// BaseURL returns a URL as the base of what is retrieved from it: without user and
// password, which a page is not to spread, and without fragment; and with the path
// that is asked for where it has none (RFC 9110 §4.2.3).
func BaseURL(u *url.URL) string {
	base := *u
	base.User, base.Fragment, base.RawFragment = nil, "", ""
	if base.Path == "" && base.Opaque == "" && base.Host != "" {
		base.Path = "/"
	}
	return base.String()
}
