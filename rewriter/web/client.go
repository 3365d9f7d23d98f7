package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"absolink/internal/coding"
)

// A Client retrieves documents. The zero value is ready to use. Its fields must not
// change after the first use, and Get may be called from any number of goroutines.
type Client struct {
	Transport http.RoundTripper // nil is http.DefaultTransport
	UserAgent string            // "" is the User-Agent of net/http

	// Timeout is how long one document may take, with redirects and its whole body.
	// 0 is one minute; a negative Timeout is no limit.
	Timeout time.Duration

	// MaxDecoded is how many bytes a body may have without its content codings; 0 is
	// 256 MiB. A longer body ends there with a [*rewriter.LimitError].
	MaxDecoded int64

	// Warn, if not nil, is told of what is wrong with a content coding. err is an
	// [*Error] with the request, and offset is -1.
	Warn func(offset int64, err error)
}

const (
	defaultTimeout    = time.Minute
	defaultMaxDecoded = 256 << 20
	maxRedirects      = 10
)

// ErrScheme says that the scheme of a URL, or of one that it redirects to, is neither
// http nor https.
var ErrScheme = errors.New("only http and https can be fetched")

// A StatusError says that the server answered with something other than the document.
type StatusError struct {
	Status string // such as "404 Not Found"
	URL    string // from which the response came, without user and password
}

// Error returns one line with the status.
func (e *StatusError) Error() string { return "the server answers " + e.Status }

// Get retrieves the document at a URL, following up to 10 redirects. The document was
// found at the URL of resp.Request, from which [BaseURL] makes its base. The body is
// without content codings, and has to be closed. Any host is connected to, on private
// networks too; to restrict hosts, give the Client a Transport that refuses them.
//
// The error is ErrScheme, a [*StatusError] for a status other than 2xx, or an error of
// package http. The body may be anything; [MediaType] returns what the server says about
// it.
func (c *Client) Get(ctx context.Context, address string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if c.MaxDecoded < 0 {
		return nil, fmt.Errorf("web: Client.MaxDecoded is %d: it takes a number of bytes, or 0 for 256 MiB", c.MaxDecoded)
	}
	if err := checkURL(r.URL); err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html, application/xhtml+xml, */*;q=0.1")
	r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	if c.UserAgent != "" {
		r.Header.Set("User-Agent", c.UserAgent)
	}
	timeout := max(cmp.Or(c.Timeout, defaultTimeout), 0) // in package http, 0 is no limit
	client := http.Client{Transport: c.Transport, Timeout: timeout, CheckRedirect: checkRedirect}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		resp.Body.Close()
		last := *resp.Request.URL
		last.User = nil
		return nil, &StatusError{resp.Status, last.String()}
	}
	codings, known := coding.Parse(resp.Header.Values("Content-Encoding")...)
	if !known {
		resp.Body.Close()
		return nil, fmt.Errorf("content coding %q is not known", strings.Join(resp.Header.Values("Content-Encoding"), ", "))
	}
	if len(codings) > 0 {
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	limit := cmp.Or(c.MaxDecoded, defaultMaxDecoded)
	dec := newDecoder(resp.Body, codings, limit, warner(c.Warn, resp.Request))
	resp.Body = &decodedBody{Closer: resp.Body, dec: dec, limit: limit}
	return resp, nil
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return checkURL(r.URL)
}

func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w, not %q", ErrScheme, u.Scheme)
	case u.Host == "":
		return errors.New("the URL has no host")
	}
	return nil
}

// A decodedBody reads a body without its codings, or as it came if it is not in the
// codings of its header.
type decodedBody struct {
	io.Closer // closes the body that this body reads
	dec       *decoder
	raw       io.Reader // if not nil, is read instead of dec
	limit     int64
}

func (b *decodedBody) Read(p []byte) (int, error) {
	if b.raw == nil {
		n, err := b.dec.Read(p)
		if !errors.Is(err, ErrNotCoded) {
			return n, err
		}
		b.dec.warn(ErrNotCoded)
		b.raw = newDecoder(b.dec.raw(), nil, b.limit, b.dec.warn)
	}
	return b.raw.Read(p)
}
