package rewriter

import (
	"errors"
	"io"
	"iter"
	"strings"

	"absolink/resolver"
)

// Rewrite copies the document src to dst with its references made absolute and nothing
// else changed. src may be a Source. If dst is nil, nothing is written. A document in a
// *bytes.Reader is not copied: parts of it go to dst as they are.
//
// outer is the base URL for a document that embeds none: the base of what encloses the
// document (RFC 1808: the encapsulating entity), or the retrieval URL. It may be nil. The
// rules of ParseBase apply: a URL that is too long, a script or data is not a base, and a
// user or password is left out. Warn is told of that, at offset 0. White space in outer is
// percent-encoded, and so are bytes that are not UTF-8.
//
// If reading, writing or Visit fails, the error is an [*Error], and the output is a prefix
// of the whole output. Any other error is the one of CheckBase; nothing has been
// read then. A reference that cannot be resolved is not
// an error: its bytes stay, and Visit sees it.
func (rw *Rewriter) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (Result, error) {
	return rw.rewrite(dst, nil, src, outer)
}

// Splice is Rewrite, with a Splicer in the place of a writer.
func (rw *Rewriter) Splice(dst Splicer, src io.Reader, outer *resolver.Base) (Result, error) {
	return rw.rewrite(nil, dst, src, outer)
}

func (rw *Rewriter) rewrite(dst io.Writer, splicer Splicer, src io.Reader, outer *resolver.Base) (Result, error) {
	if err := rw.CheckBase(outer); err != nil {
		return Result{}, err
	}
	e := rw.newRun(dst, outer)
	e.splicer = splicer
	err := e.run(src)
	result := e.results()
	e.free()
	return result, err
}

// Places returns the places in the document src, in document order, as Visit would see
// them. It does not call Visit, and writes nothing. A place is valid until the next
// iteration. The errors are the same as Rewrite's, and end the iteration.
func (rw *Rewriter) Places(src io.Reader, outer *resolver.Base) iter.Seq2[*Place, error] {
	return func(yield func(*Place, error) bool) {
		if err := rw.CheckBase(outer); err != nil {
			yield(nil, err)
			return
		}
		e := rw.newRun(nil, outer)
		e.hooks.Visit = func(p *Place) error {
			if !yield(p, nil) {
				return errStop
			}
			return nil
		}
		err := e.run(src)
		e.free()
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("no more places are wanted")

// newRun returns an engine for a document that goes to dst. outer is the outer base that
// the caller gives.
func (rw *Rewriter) newRun(dst io.Writer, outer *resolver.Base) *engine {
	e := rw.settings().engine()
	e.hooks = rw.Hooks()
	outer, e.refused = usableBase(outer)
	e.startDocument(dst, outer, e.options())
	return e
}

// String returns an HTML document with its references made absolute by RFC 1808 and the
// default rules. pageURL is the URL from which the document was retrieved, or "" for a
// document that names its own base. For other rules and options, and for documents that
// are not in memory, use a [Rewriter].
//
// An error says that pageURL cannot be a base URL. The result is then html as it is.
func String(html, pageURL string) (string, error) {
	var rw *Rewriter // with the defaults
	var outer *resolver.Base
	if pageURL != "" {
		var err error
		if outer, err = rw.ParseBase(pageURL); outer == nil {
			return html, err
		}
	}
	var b strings.Builder
	b.Grow(len(html) + len(html)/8)
	if _, err := rw.Rewrite(&b, strings.NewReader(html), outer); err != nil {
		return html, err
	}
	return b.String(), nil
}
