package web

import (
	"net/http"

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
	rewriter *Rewriter // whose reporters it belongs to
	html     *rewriter.Rewriter
	request  *http.Request
	document *rewriter.Document // of the response
}

// reporter returns a reporter for the response to a request.
func (rw *Rewriter) reporter(r *http.Request, d *rewriter.Document) *reporter {
	p, ok := rw.reporters.Get().(*reporter)
	if !ok {
		p = &reporter{rewriter: rw, html: rw.html()}
		if warn := p.html.Warn; warn != nil {
			p.html = p.html.Clone()
			p.html.Warn = func(offset int64, err error) { warn(offset, &Error{p.request, err}) }
		}
	}
	p.request, p.document = r, d
	return p
}

// free gives the reporter back, when nothing more is read of the response.
func (p *reporter) free() {
	p.request, p.document = nil, nil
	p.rewriter.reporters.Put(p)
}

// end tells End what became of the document, and frees the reporter.
func (p *reporter) end(result rewriter.Result, err error) {
	rw, r, d := p.rewriter, p.request, p.document
	p.free()
	d.Done(result)
	if rw.End != nil {
		rw.End(r, d, err)
	}
}
