package web

import (
	"net/http"
	"sync"

	"absolink/rewriter"
)

// An Error is what the functions named Warn are told: in a [Rewriter], in its HTML and
// in a [Client].
type Error struct {
	Request *http.Request // to which the response answers
	Err     error         // what is wrong with the response, or in its document
}

// Error returns one line without the request.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// warner returns a function that tells warn, which may be nil, what is wrong with the
// response to a request.
func warner(warn func(int64, error), r *http.Request) func(error) {
	return func(err error) {
		if warn != nil {
			warn(-1, &Error{r, err})
		}
	}
}

// A reporter has the HTML of a Rewriter for one response at a time, so that what Warn is
// told names the request. Reporters are used again, because making a reporter costs more
// than rewriting most documents.
type reporter struct {
	html    *rewriter.Rewriter
	request *http.Request
	pool    *sync.Pool // where it comes from
}

// free gives the reporter back, when nothing more is read of the response.
func (p *reporter) free() {
	p.request = nil
	p.pool.Put(p)
}

// reporter returns a reporter for the response to a request.
func (rw *Rewriter) reporter(r *http.Request) *reporter {
	p, ok := rw.reporters.Get().(*reporter)
	if !ok {
		p = &reporter{html: rw.html(), pool: &rw.reporters}
		if warn := p.html.Warn; warn != nil {
			p.html = p.html.Clone()
			p.html.Warn = func(offset int64, err error) { warn(offset, &Error{p.request, err}) }
		}
	}
	p.request = r
	return p
}
