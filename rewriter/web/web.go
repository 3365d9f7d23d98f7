package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"absolink/internal/steady"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A Rewriter rewrites the HTML in HTTP responses. The zero value is ready to use.
// Its fields must not change after the first use. Its methods may be called from any
// number of goroutines. Its functions, and the hooks of HTML, are then called from several
// goroutines at a time.
type Rewriter struct {
	// HTML rewrites the documents; nil is new(rewriter.Rewriter). Offsets are those
	// in a document without its content codings. The Document of a place has the
	// retrieval URL as Name. The err of Warn is an [*Error] with the request; its offset is
	// -1 for what is wrong apart from the document: with a content coding, or with a URL
	// that gives no base. Begin and End are told of the document of each response; the field
	// End is told the request and the error, too.
	HTML *rewriter.Rewriter

	// Public is where clients reach the server, such as https://www.example.org or
	// https://example.org/app. The base of a page has the scheme and host of Public,
	// and the path of Public followed by the path of the request. If Public is nil, the
	// base is the URL that the response was retrieved from. In Handler, it is then the
	// URL that the client asked for, as the Host header and the use of TLS show it.
	Public *url.URL

	// URL returns the retrieval URL of the response to a request, or nil for none. If URL
	// itself is nil, Public counts. In Response and ModifyResponse r is the request that
	// resp answers.
	URL func(r *http.Request) *url.URL

	// ContentLocation makes the header Content-Location a base URL (RFC 1808 §3.2),
	// as no browser does. The header Base goes before it.
	ContentLocation bool

	// MaxDecoded is how many bytes a document may have without its content codings.
	// 0 is no limit, because a longer document takes no more memory. A document that is
	// too long ends there with a [*rewriter.LimitError], as if reading had failed. So
	// does a document if far more bytes than that pass from one coding to the next.
	MaxDecoded int64

	// End is told of each document that was rewritten, and of the error that ended it;
	// nil for a whole document. Document.Outer says where the base came from. A Handler
	// tells End when the handler that it wraps has returned.
	End func(r *http.Request, d *rewriter.Document, err error)
}

// Response returns resp with its HTML rewritten, or resp itself if it stays as it is.
// The body of the result reads the body of resp; closing the result's body closes both.
// If [Rewriter.Validate] returns an error, reading the body does too.
func (rw *Rewriter) Response(resp *http.Response) *http.Response {
	rewritten := *resp
	rewritten.Header = resp.Header.Clone()
	rewritten.Trailer = resp.Trailer.Clone()
	changed, err := rw.rewrite(&rewritten, resp, false)
	switch {
	case err != nil:
		rewritten.Body = struct {
			io.Reader
			io.Closer
		}{&steady.Reader{Err: err}, cmp.Or[io.Closer](resp.Body, http.NoBody)}
	case !changed:
		return resp // to which trailers come, if there are any
	}
	return &rewritten
}

// ModifyResponse rewrites the HTML in a response, for
// [net/http/httputil.ReverseProxy]. The base is the URL that the proxy asked for,
// unless Public or URL give the one that clients know. ModifyResponse returns an error
// for a status that is not from 100 to 999: package http would panic where the proxy
// writes it. It returns the error of [Rewriter.Validate], if there is one.
func (rw *Rewriter) ModifyResponse(resp *http.Response) error {
	if resp.StatusCode < 100 || resp.StatusCode > 999 {
		return fmt.Errorf("web: the status of the response is %d: it has to be from 100 to 999", resp.StatusCode)
	}
	_, err := rw.rewrite(resp, resp, true)
	return err
}

// Validate returns an error if the fields cannot be used: a limit is negative, or Public
// is not an http or https URL with a host.
func (rw *Rewriter) Validate() error {
	if rw.MaxDecoded < 0 {
		return fmt.Errorf("web: Rewriter.MaxDecoded is %d: it takes a number of bytes, or 0 for no limit", rw.MaxDecoded)
	}
	return rw.checkPublic()
}

// checkPublic returns an error if Public gives no base for any page. Its fields may hold what no
// URL can, so its text is read again: as Go does, as HTML does, and as clients do.
func (rw *Rewriter) checkPublic() error {
	if rw.Public == nil {
		return nil
	}
	text := BaseURL(public(rw.Public, new(url.URL)))
	u, err := url.Parse(text)
	_, errHTML := rw.HTML.ParseBase(text)
	_, errClient := resolver.ParseBase(text, resolver.WHATWG)
	if errors.Join(err, errHTML, errClient) == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.Host == rw.Public.Host && rw.Public.Opaque == "" {
		return nil
	}
	return fmt.Errorf("web: Rewriter.Public is %.200q: it takes a URL with a scheme and a host, such as https://www.example.org", rw.Public.Redacted())
}

// rewrite changes resp, which may be a copy of original, if it is to be rewritten. The
// trailers arrive in original, when the body has been read.
func (rw *Rewriter) rewrite(resp, original *http.Response, proxy bool) (changed bool, err error) {
	if err := rw.Validate(); err != nil {
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
		if err == io.EOF {
			err = nil
		}
		for name, values := range original.Trailer {
			if resp.Trailer == nil {
				resp.Trailer = http.Header{}
			}
			resp.Trailer[name] = values
		}
		changeFields(resp.Trailer)
		s.end(err)
	}}
	return true, nil
}

// stream returns a stream that reads what the document in src becomes.
func (rw *Rewriter) stream(r *http.Request, src io.Reader, plan plan) *stream {
	dec := newDecoder(src, plan.codings, rw.MaxDecoded, warner(rw.HTML.Hooks().Warn, r))
	reporter := reporter{rw, r, plan.source.Document}
	plan.source.Reader = dec
	return &stream{dec: dec, reporter: reporter, doc: reporter.begin().NewReader(plan.source, plan.source.Document.Outer.URL)}
}

// received returns the URL that the client of a server asked for, which handlers on
// the way may have changed in r.URL. It returns nil for a request such as GET x:y, which
// names nothing on a server.
func received(r *http.Request) *url.URL {
	u, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		u = r.URL
	}
	if u.Opaque != "" {
		return nil
	}
	asked := *u
	asked.Scheme, asked.Host = "http", r.Host
	if r.TLS != nil {
		asked.Scheme = "https"
	}
	return &asked
}

// ErrLongURL is what Warn is told of a response whose URL is longer than 8 KiB, too
// long for a base URL. The response passes untouched.
var ErrLongURL = errors.New("the URL is longer than 8 KiB, too long for a base URL; the response passes as it is")

// document returns the document of a response, with its base. u is the URL of the
// request. The error is ErrLongURL; Warn is told of everything else.
func (rw *Rewriter) document(r *http.Request, u *url.URL, h http.Header) (*rewriter.Document, error) {
	d := new(rewriter.Document)
	switch {
	case rw.URL != nil:
		u = rw.URL(r)
	case rw.Public != nil && u != nil:
		u = public(rw.Public, u)
	}
	if u != nil {
		d.Name = BaseURL(u)
		base, err := rw.HTML.ParseBase(d.Name)
		switch {
		case err == nil:
			d.Outer = rewriter.Base{URL: base, Source: rewriter.OuterBase, Name: "retrieval URL"}
		case errors.Is(err, rewriter.ErrLongBase):
			return nil, ErrLongURL
		default:
			warner(rw.HTML.Hooks().Warn, r)(err)
		}
	}
	entity, err := container.ResponseBase(rw.HTML, d.Outer.URL, h.Values("Base"))
	if err != nil {
		warner(rw.HTML.Hooks().Warn, r)(err)
	}
	given := []rewriter.Base{entity, d.Outer}
	if rw.ContentLocation {
		base, err := container.ParseBaseField(rw.HTML, cmp.Or(entity.URL, d.Outer.URL), "Content-Location", h.Get("Content-Location"))
		if err != nil {
			warner(rw.HTML.Hooks().Warn, r)(err)
		}
		given = slices.Insert(given, 1, rewriter.Base{URL: base, Source: rewriter.EntityBase, Name: "Content-Location", Offset: -1})
	}
	given = slices.DeleteFunc(given, func(b rewriter.Base) bool { return b.URL == nil })
	given = append(given, rewriter.Base{}, rewriter.Base{})
	d.Outer, d.Overridden = given[0], given[1]
	return d, nil
}

// public returns the URL by which clients of a public place know u.
func public(place, u *url.URL) *url.URL {
	p := *u
	p.Path = cmp.Or(p.Path, "/")
	p.Scheme, p.Host, p.Opaque = place.Scheme, place.Host, ""
	if prefix := place.JoinPath(); prefix.Path != "" && prefix.Path != "/" {
		p.RawPath = strings.TrimRight(prefix.EscapedPath(), "/") + p.EscapedPath()
		p.Path = strings.TrimRight(prefix.Path, "/") + p.Path
	}
	return &p
}

// BaseURL returns the base URL of what is retrieved from u: u without its fragment,
// and without user and password, which no page may spread. If u has no path, the
// base has the path that is asked for then, "/" (RFC 9110 §4.2.3).
func BaseURL(u *url.URL) string {
	base := *u
	base.User, base.Fragment, base.RawFragment = nil, "", ""
	if base.Path == "" && base.Opaque == "" && base.Host != "" {
		base.Path = "/"
	}
	return base.String()
}
