package web

import (
	"cmp"
	"net/http"
)

// A Transport is an [http.RoundTripper] that rewrites the HTML in the responses of
// another RoundTripper, as [Rewriter.Response] does. It is for [http.Client], and for
// crawlers and other programs that take a client or a RoundTripper. The zero value is
// ready to use, by any number of goroutines.
//
// The base URL of a document is the URL of its request. When a client follows redirects,
// each redirect is a request of its own, so the last URL is the base.
//
// If the request has no Accept-Encoding, [http.Transport] asks for gzip and decodes
// it, as usual. If the request has one, the rewritten body is in the coding that the
// server chose.
type Transport struct {
	Base     http.RoundTripper // sends the requests; nil is http.DefaultTransport
	Rewriter *Rewriter         // nil is new(Rewriter)
}

var defaultRewriter = new(Rewriter)

// RoundTrip implements [http.RoundTripper]. It returns the error of
// [Rewriter.Validate], if there is one, before anything is sent, and otherwise the
// errors of Base.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	rw := cmp.Or(t.Rewriter, defaultRewriter)
	if err := rw.Validate(); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp, err := cmp.Or(t.Base, http.DefaultTransport).RoundTrip(r)
	if err != nil || resp == nil {
		return resp, err
	}
	resp.Request = cmp.Or(resp.Request, r)
	return rw.Response(resp), nil
}

// CloseIdleConnections closes the idle connections of Base, if Base has such a method.
// [http.Client.CloseIdleConnections] calls it.
func (t *Transport) CloseIdleConnections() {
	if base, ok := cmp.Or(t.Base, http.DefaultTransport).(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}
