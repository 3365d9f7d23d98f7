package serve

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"absolink/rewriter"
	"absolink/rewriter/web"
)

const (
	// PerHeld is how many bytes of memory are taken for each byte that is held of a document
	// for a late BASE: the buffer grows by copying, and the garbage collector lags.
	PerHeld = 3

	proxyMemory = 1 << 30  // that a proxy takes for what it holds of all pages together
	defaultHold = 16 << 20 // of a rewriter.Rewriter
	lowHold     = 1 << 20  // of a page for which there is no room
)

// proxyPages rewrite the pages that a proxy passes. What is held of all of them together has
// a bound. A page never waits for others, whose clients may be slow: a page that finds no
// room is rewritten at once, and lowHold is all that may be held of it.
type proxyPages struct {
	full, low *web.Rewriter
	hold      int64 // how many bytes full holds of a page
	room      *room
}

func newProxyPages(html *rewriter.Rewriter, log *slog.Logger) *proxyPages {
	p := &proxyPages{hold: min(int64(cmp.Or(html.Hold, defaultHold)), proxyMemory), room: newRoom(proxyMemory, 0)}
	with := func(hold int64, note ...any) *web.Rewriter {
		html := html.Clone()
		html.Hold = int(hold)
		html.Warn = func(offset int64, err error) {
			if name := LimitName(err); name != "" { // a page may cause any number of other warnings
				logWarning(log, err, append([]any{"byte", offset, "limit", name}, note...)...)
			}
		}
		return &web.Rewriter{HTML: html, Warn: func(_ int64, err error) { logWarning(log, err) }}
	}
	p.full = with(p.hold)
	p.low = with(min(p.hold, lowHold), "reason", "other pages hold all that may be held")
	return p
}

// logWarning logs what is wrong with the response to a request.
func logWarning(log *slog.Logger, err error, attrs ...any) {
	var e *web.Error
	errors.As(err, &e)
	log.Warn(err.Error(), append([]any{"path", e.Request.URL.Path}, attrs...)...)
}

// modify rewrites the page in a response, for a ReverseProxy.
func (p *proxyPages) modify(resp *http.Response) error {
	rw := p.full
	leave, ok := p.room.tryEnter(p.weight(resp))
	if !ok {
		rw, leave = p.low, func() {}
	}
	before := resp.Body
	err := rw.ModifyResponse(resp)
	if resp.Body == before {
		leave()
	} else {
		resp.Body = &heldPage{resp.Body, sync.OnceFunc(leave)}
	}
	return err
}

// weight returns how much memory may be taken for what is held of a response.
func (p *proxyPages) weight(resp *http.Response) int64 {
	mediaType, _ := web.MediaType(resp.Header)
	switch {
	case !web.IsHTML(nil, mediaType):
		return 0
	case resp.ContentLength >= 0 && resp.Header.Get("Content-Encoding") == "":
		return PerHeld * min(p.hold, resp.ContentLength)
	}
	return PerHeld * p.hold
}

// A heldPage is the body of a page, for which there is room until it is closed.
type heldPage struct {
	io.ReadCloser
	leave func()
}

func (b *heldPage) Close() error {
	defer b.leave()
	return b.ReadCloser.Close()
}
