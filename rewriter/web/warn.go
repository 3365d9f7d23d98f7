package web

import (
	"net/http"

	"absolink/rewriter"
	"absolink/rewriter/container"
)

// An Error is what the functions named Warn are told: in the hooks of the HTML of a
// [Rewriter], and in a [Client].
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

// A reporter tells the hooks and End of a Rewriter of one response.
type reporter struct {
	rewriter *Rewriter
	request  *http.Request
	document *rewriter.Document // of the response
}

// begin tells Begin of the document, and returns HTML, whose Warn is told the request, too.
func (p reporter) begin() *rewriter.Rewriter {
	html := p.rewriter.HTML
	container.Begin(html, p.document)
	hooks := html.Hooks()
	if warn := hooks.Warn; warn != nil {
		hooks.Warn = func(offset int64, err error) { warn(offset, &Error{p.request, err}) }
		return html.With(hooks)
	}
	return html
}

// end tells End what became of the document.
func (p reporter) end(result rewriter.Result, err error) {
	container.Done(p.rewriter.HTML, p.document, result)
	if p.rewriter.End != nil {
		p.rewriter.End(p.request, p.document, err)
	}
}
