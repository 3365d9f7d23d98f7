package web

import (
	"cmp"
	"net/http"
)

// A Transport is an [http.RoundTripper] that rewrites the HTML in the responses of
// another one, as [Rewriter.Response] does: for [http.Client], and for what takes
// either, such as a crawler. The zero value is ready to use, by any number of
// goroutines.
//
// The base is the URL of the request that Base answers. A client that follows
// redirects makes a request of each, so the base is then the last URL.
//
// [http.Transport] undoes gzip where it asked for gzip itself. If the caller sets
// Accept-Encoding, the rewritten body is in the coding that the server chose.
type Transport struct {
	Base     http.RoundTripper // that gets the responses; nil is http.DefaultTransport
	Rewriter *Rewriter         // nil is new(Rewriter)
}

var defaultRewriter = new(Rewriter)

// RoundTrip implements [http.RoundTripper]. The error is one of Base. If Rewriter is
// not valid, it is that of [Rewriter.Validate], and nothing is sent.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	rw := cmp.Or(t.Rewriter, defaultRewriter)
	if err := rw.Validate(); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp, err := t.base().RoundTrip(r)
	if err != nil || resp == nil {
		return resp, err
	}
	if resp.Request == nil {
		resp.Request = r
	}
	return rw.Response(resp), nil
}

// CloseIdleConnections closes those of Base, for [http.Client.CloseIdleConnections].
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}
