package serve

import (
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"

	"absolink/cmd/absolink/internal/console"
	"absolink/rewriter"
	"absolink/rewriter/web"
)

// HeldMemory returns how many bytes of memory a document may take for what is held for a
// late BASE. The document has length bytes, and up to hold of them are held. What is held of
// a place counts for more than its tag. The buffer grows by copying, and the garbage
// collector lags.
func HeldMemory(hold, length int64) int64 {
	const (
		perHeld = 3 // bytes of memory, for each that is held
		perByte = 4 // bytes that are held, for each of the document
	)
	if length < hold/perByte {
		hold = perByte * length
	}
	return perHeld * hold
}

// How many bytes a proxy holds. The memory is for what is held of all pages together.
const (
	fullMemory = 768 << 20 // for pages of which that much may be held
	lowHold    = 1 << 20   // of a page for which there is no memory left there
	lowMemory  = 256 << 20 // for such pages
)

// proxyPages rewrite the pages that a proxy passes. What is held of all of them together has
// a bound. A page never waits for others, whose clients may be slow: it is rewritten at once,
// at the first level that has memory for it.
type proxyPages struct{ levels []proxyLevel }

// A proxyLevel holds up to a number of bytes of each page. The last level holds nothing, and
// has memory for any number of pages.
type proxyLevel struct {
	*web.Rewriter
	hold   int64
	memory *memorySemaphore
}

func newProxyPages(html *rewriter.Rewriter, log *slog.Logger) *proxyPages {
	const reason = "other pages hold all that may be held"
	hold := min(int64(html.Options().Hold), fullMemory/HeldMemory(1, math.MaxInt64))
	return &proxyPages{[]proxyLevel{
		newProxyLevel(html, log, hold, fullMemory),
		newProxyLevel(html, log, min(hold, lowHold), lowMemory, "reason", reason),
		newProxyLevel(html, log, 0, 0, "reason", reason),
	}}
}

// newProxyLevel returns a level with so many bytes of memory for what it holds of all pages.
// The log has note with each limit that a page meets there.
func newProxyLevel(html *rewriter.Rewriter, log *slog.Logger, hold, memory int64, note ...any) proxyLevel {
	options, hooks := html.Options(), html.Hooks()
	options.Hold = int(max(hold, 1)) // 0 stands for the default
	hooks.Warn = func(offset int64, err error) {
		if offset < 0 { // of the response
			logWarning(log, err)
		} else if name := console.LimitName(err); name != "" { // a page may cause any number of other warnings
			logWarning(log, err, append([]any{"byte", offset, "limit", name}, note...)...)
		}
	}
	rw := &web.Rewriter{HTML: rewriter.Must(rewriter.New(options)).With(hooks)}
	return proxyLevel{rw, hold, newMemorySemaphore(memory, 0)}
}

// logWarning logs what is wrong with the response to a request.
func logWarning(log *slog.Logger, err error, attrs ...any) {
	e, _ := errors.AsType[*web.Error](err)
	log.Warn(err.Error(), append([]any{"path", e.Request.URL.Path}, attrs...)...)
}

// modify rewrites the page in a response, for a ReverseProxy.
func (p *proxyPages) modify(resp *http.Response) error {
	original := resp.Body
	arriving := &arrivingPage{ReadCloser: original}
	length := resp.ContentLength
	switch mediaType, _ := web.MediaType(resp.Header); {
	case original == nil || original == http.NoBody || !web.IsHTML(nil, mediaType):
		length = 0
	case len(resp.Header.Values("Content-Encoding")) > 0:
		length = math.MaxInt64
	case length < 0:
		length = math.MaxInt64
		resp.Body = arriving
	}
	level, lease := p.acquire(length)
	arriving.whole = func(n int64) { lease.reduce(HeldMemory(level.hold, n)) }
	before := resp.Body
	err := level.ModifyResponse(resp)
	if resp.Body == before {
		resp.Body = original // which may be more than a ReadCloser
		lease.release()
	} else {
		resp.Body = &leasedPage{resp.Body, lease}
	}
	return err
}

// acquire acquires memory for a page of so many bytes, at the first level that has it.
func (p *proxyPages) acquire(length int64) (level proxyLevel, l *lease) {
	for _, level = range p.levels {
		var ok bool
		if l, ok = level.memory.tryAcquire(HeldMemory(level.hold, length)); ok {
			break
		}
	}
	return level, l
}

// An arrivingPage is the body of a page of unknown length, uncoded, as the target sends it.
type arrivingPage struct {
	io.ReadCloser
	n     int64              // how many bytes have arrived
	whole func(length int64) // is told when all of it has
}

func (b *arrivingPage) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.n += int64(n); err == io.EOF {
		b.whole(b.n)
	}
	return n, err
}

// A leasedPage is the body of a page, whose lease ends when it is closed.
type leasedPage struct {
	io.ReadCloser
	lease *lease
}

func (b *leasedPage) Close() error {
	defer b.lease.release()
	return b.ReadCloser.Close()
}
