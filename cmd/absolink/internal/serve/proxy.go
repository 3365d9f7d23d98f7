package serve

import (
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"

	"absolink/internal/local"
	"absolink/rewriter"
	"absolink/rewriter/container"
	"absolink/rewriter/web"
)

// A Proxy passes requests to a server, and makes the links in its pages absolute.
type Proxy struct {
	Target *url.URL
	// Public is where clients reach the proxy: URLs below Target become URLs below Public.
	// If Public is nil, links lead to the target.
	Public  *url.URL
	Headers bool // make URLs in headers absolute too
	HTML    *rewriter.Rewriter
	Log     *slog.Logger

	from *url.URL           // Target as bases have it: with WHATWG, without the port that its scheme has anyway
	html *rewriter.Rewriter // HTML, which moves URLs below Target to Public
}

// Handler returns the handler of all requests. Fields must not change any more.
func (p *Proxy) Handler() http.Handler {
	p.from = p.Target
	if base, err := p.HTML.ParseBase(web.BaseURL(p.Target)); err == nil {
		p.from, _ = url.Parse(base.String())
	}
	p.html = p.HTML
	if p.Public != nil {
		p.html = p.HTML.With(rewriter.Hooks{Visit: func(place *rewriter.Place) error {
			place.URL = p.moved(place.URL)
			return nil
		}})
	}
	pages := newProxyPages(p.html, p.Log)
	proxy := &httputil.ReverseProxy{
		Transport:      p.transport(),
		Rewrite:        p.request,
		ModifyResponse: pages.modify,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			note(r, err)
			Problemf(http.StatusBadGateway, "%s does not answer, or not in a way that can be passed on", p.Target.Host).write(w)
		},
		ErrorLog:   slog.NewLogLogger(p.Log.Handler(), slog.LevelWarn),
		BufferPool: new(copyBuffers),
	}
	return Logged(p.Log, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer limitDrain(w)
		switch {
		case !isPath(r):
			Problemf(http.StatusBadRequest, "the target of a request is a path here, such as /docs/?page=1").write(w)
		case p.hasPath() && leavesPath(r.URL.Path):
			Problemf(http.StatusBadRequest, "the path has a segment . or ..").write(w)
		default:
			bothWays(w, r, proxy.ServeHTTP)
		}
	}), nil)
}

// isPath reports whether the target of a request is a path, perhaps with a query: the
// origin-form of RFC 9112 §3.2.1. Any other form can name another server, and CONNECT asks
// for a tunnel. Two slashes begin a path as one does.
func isPath(r *http.Request) bool {
	return strings.HasPrefix(r.RequestURI, "/") && !strings.Contains(r.RequestURI, "#") && r.Method != http.MethodConnect
}

// maxHeader is how many bytes a header may have: of a request to a proxy, and of a response
// to the server.
const maxHeader = 64 << 10

// Limits returns what reaches the proxy at most.
func (p *Proxy) Limits() Limits { return Limits{Header: maxHeader} }

// transport returns what asks the target.
func (p *Proxy) transport() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = transport.MaxIdleConns
	transport.DisableCompression = true // a client that asks for no coding gets none
	transport.MaxResponseHeaderBytes = maxHeader
	if p.Headers {
		return &headerTransport{p, transport}
	}
	return transport
}

// A headerTransport makes the URLs in the headers of responses absolute, also of those
// before the final one, such as 103 (Early Hints).
type headerTransport struct {
	proxy *Proxy
	base  http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	// The ReverseProxy passes an interim response on in a trace of its own. This trace comes
	// before it, and has the same header.
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(_ int, h textproto.MIMEHeader) error {
			t.proxy.header(r.URL, http.Header(h))
			return nil
		},
	})
	resp, err := t.base.RoundTrip(r.WithContext(ctx))
	if err == nil {
		t.proxy.header(r.URL, resp.Header)
	}
	return resp, err
}

// request makes the request to the target.
func (p *Proxy) request(r *httputil.ProxyRequest) {
	r.SetURL(p.Target)
	r.Out.URL.RawQuery = r.In.URL.RawQuery // also where it is not a list of parameters
	r.SetXForwarded()
	if !strings.EqualFold(r.In.Header.Get("Upgrade"), "websocket") {
		// Any other protocol, such as h2c, would carry pages past the rewriter.
		r.Out.Header.Del("Connection")
		r.Out.Header.Del("Upgrade")
	}
}

// hasPath reports whether only what is below a path of the target is served.
func (p *Proxy) hasPath() bool { return strings.Trim(p.Target.Path, "/") != "" }

// leavesPath reports whether a path, without percent-escapes, may lead out of the path that
// it is put after. Some servers take parameters, as in "..;v=1", off before they resolve "..".
func leavesPath(path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' }), func(segment string) bool {
		segment, _, _ = strings.Cut(segment, ";")
		return segment == "." || segment == ".."
	})
}

// moved returns a URL on the public side, if it is below the target.
func (p *Proxy) moved(u string) string {
	origin := p.from.Scheme + "://" + p.from.Host
	if len(u) < len(origin) || !strings.EqualFold(u[:len(origin)], origin) {
		return u
	}
	rest, below := strings.CutPrefix(u[len(origin):], strings.TrimRight(p.from.EscapedPath(), "/"))
	if !below || rest != "" && !strings.Contains("/?#", rest[:1]) {
		return u
	}
	if decoded, err := url.PathUnescape(local.WithoutQuery(rest)); err != nil || p.hasPath() && leavesPath(decoded) {
		return u // such requests are answered 400
	}
	public := p.Public.Scheme + "://" + p.Public.Host + strings.TrimRight(p.Public.EscapedPath(), "/")
	if rest == "" || rest[0] != '/' {
		rest = "/" + rest
	}
	return public + rest
}

// header makes the URLs in the header of a response absolute. u is what was asked for.
func (p *Proxy) header(u *url.URL, h http.Header) {
	base, err := p.HTML.ParseBase(web.BaseURL(u))
	if base == nil {
		p.Log.Warn("headers stay as they are", "error", err)
		return
	}
	if entity, _ := container.ResponseBase(p.HTML, base, h.Values("Base")); entity.URL != nil { // of an error, the page warns
		base = entity.URL
	}
	for name, values := range h {
		for i, value := range values {
			values[i], _, _ = container.RewriteField(p.html, name, value, base) // whose Visit returns no error
		}
	}
}

// copyBuffers are what a ReverseProxy copies with.
type copyBuffers struct{ pool sync.Pool }

// copyBuffer takes in most cases all that one read of a page becomes. In smaller pieces,
// which are flushed one by one, writing would cost more than rewriting.
const copyBuffer = 128 << 10

// Get implements [httputil.BufferPool].
func (b *copyBuffers) Get() []byte {
	if used, ok := b.pool.Get().(*[copyBuffer]byte); ok {
		return used[:]
	}
	return make([]byte, copyBuffer)
}

// Put implements [httputil.BufferPool].
func (b *copyBuffers) Put(p []byte) { b.pool.Put((*[copyBuffer]byte)(p)) }
