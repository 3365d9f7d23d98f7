package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Client retrieves documents. The zero value is ready to use, by any number of
// goroutines.
type Client struct {
	Transport http.RoundTripper // nil is http.DefaultTransport
	UserAgent string            // "" is that of net/http

	// Timeout is how long one document may take, with redirects and all of its
	// body; 0 is one minute, negative is no limit.
	Timeout time.Duration

	// MaxBody is how many bytes a body may have without its content codings; 0 is
	// 256 MiB. One that is longer ends there with a [*TooLargeError].
	MaxBody int64

	// Warn is told of what is wrong with a content coding; it may be nil.
	Warn func(err error)
}

const (
	defaultTimeout = time.Minute
	defaultMaxBody = 256 << 20
	maxRedirects   = 10
)

// ErrScheme says that a URL, or one that it redirects to, is not of http or https.
var ErrScheme = errors.New("only http and https can be fetched")

// A StatusError says that the response is not the document.
type StatusError struct {
	Status string // such as "404 Not Found"
	URL    string // that it came from, without user and password
}

func (e *StatusError) Error() string { return "the server answers " + e.Status }

// Get retrieves the document at a URL, following up to 10 redirects. The URL of the
// response's Request is the last, and the base of the document: [BaseURL]. Its Body
// is without content codings, and has to be closed. Errors: ErrScheme, a
// [*StatusError] for a status other than 2xx, those of package http. What the body
// is the caller has to find out; [MediaType] has what the server says.
func (c *Client) Get(ctx context.Context, address string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if c.MaxBody < 0 {
		return nil, fmt.Errorf("web: Client.MaxBody is %d: it takes a number of bytes, or 0 for 256 MiB", c.MaxBody)
	}
	if err := checkURL(r.URL); err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html, application/xhtml+xml, */*;q=0.1")
	r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	if c.UserAgent != "" {
		r.Header.Set("User-Agent", c.UserAgent)
	}
	client := http.Client{Transport: c.Transport, Timeout: c.timeout(), CheckRedirect: checkRedirect}
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
	codings, known := codingsOf(resp.Header)
	if !known {
		resp.Body.Close()
		return nil, fmt.Errorf("content coding %q is not known", strings.Join(resp.Header.Values("Content-Encoding"), ", "))
	}
	if len(codings) > 0 {
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
	limit := c.maxBody()
	resp.Body = &decodedBody{dec: newDecoder(resp.Body, codings, limit, c.Warn), limit: limit, upstream: resp.Body}
	return resp, nil
}

func (c *Client) timeout() time.Duration {
	switch {
	case c.Timeout == 0:
		return defaultTimeout
	case c.Timeout < 0:
		return 0
	}
	return c.Timeout
}

func (c *Client) maxBody() int64 {
	if c.MaxBody == 0 {
		return defaultMaxBody
	}
	return c.MaxBody
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

// A decodedBody reads a body without its codings, or as it is where it is not in
// them.
type decodedBody struct {
	dec      *decoder
	raw      io.Reader
	limit    int64
	upstream io.ReadCloser
}

func (b *decodedBody) Read(p []byte) (int, error) {
	if b.raw == nil {
		n, err := b.dec.Read(p)
		if !errors.Is(err, ErrNotCoded) {
			return n, err
		}
		b.dec.warn(ErrNotCoded)
		b.raw = newDecoder(b.dec.raw(), nil, b.limit, nil)
	}
	return b.raw.Read(p)
}

// Close closes the connection, or frees it for other requests.
func (b *decodedBody) Close() error { return b.upstream.Close() }
