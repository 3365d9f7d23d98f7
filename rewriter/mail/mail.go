// Package mail rewrites the HTML documents in messages: mail (RFC 5322 with
// MIME), MHTML as browsers save it (RFC 2557), and mbox files, which hold any
// number of messages.
//
// What is no HTML passes byte for byte, and so does all of an HTML part but the
// references that change: its transfer encoding and charset are undone to read
// it, and done again for what is new.
//
// # Bases
//
// A header of an entity gives the base URL of all that is in it, also of the parts
// of a multipart (RFC 1808 §3.2, RFC 2557 §5; RFC 2110 §4.1 had it otherwise).
// Where one has several of these, the first in the list that gives a base counts,
// and of the same one the first:
//
//	Base                       RFC 1808 §3.1
//	Content-Base               RFC 2110 §4.2: the same under a new name
//	Content-Location           RFC 2557 §5: where the entity itself is
//	Snapshot-Content-Location  where Chromium found the page that it saved
//
// A relative one is resolved against the base of the enclosing entity, and is none
// where there is none. Content-Location is a name as well, so one that no
// reference can be relative to, cid:x or about:blank, is none, without a warning.
// A BASE in the document goes before all of them. The base of what no header
// speaks of is the caller's.
//
// # Parts that refer to each other
//
// A relative reference whose absolute form is the Content-Location of another part
// of the same message stays as it is, whatever its fragment, as does cid:, which is
// absolute; with RemoveBase it becomes absolute, since it may be relative to a BASE.
// For that the headers are read first: of a src that is an [io.Seeker] in a first
// pass; else of as much as may be held, if the message has parts at all. A message
// in a message is one of its own.
//
// # What does not change
//
// Parts that are signed or encrypted pass as they are, and Warn is told; so does
// HTML in a transfer encoding other than those of RFC 2045. In quoted-printable the
// lines in which nothing changes keep their bytes, and others are broken where they
// become longer than 76 characters. In base64 all that is before the first change
// keeps its bytes; what follows is encoded anew, in lines as they were. In 7bit and
// 8bit no line can be broken: Warn is told of one that becomes longer than 998
// characters. Headers stay, also those that no longer fit what has changed, such as
// DKIM-Signature, Content-MD5 and Content-Length: Warn is told of each.
package mail

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"

	"absolink/resolver"
	"absolink/rewriter"
)

// A Rewriter rewrites the HTML documents in messages. The zero value is ready to
// use. Its fields must not change after the first use; its methods may be called
// from any number of goroutines.
type Rewriter struct {
	// HTML rewrites the documents. Its Visit, Unresolvable and Warn see offsets in
	// the message: those of the encoded bytes, of base64 the characters in which
	// they begin. Visit sees a reference to another part with an empty URL. Of its
	// Hold a document has half as it is encoded, and an eighth decoded. nil is
	// new(rewriter.Rewriter).
	HTML *rewriter.Rewriter

	// Begin and End are told of each document before and after it is rewritten, End
	// also of one in which reading or writing failed.
	Begin, End func(*rewriter.Document)

	// Warn is told of what is wrong with a message, at its byte offset, and of
	// parts that stay as they are, such as signed ones.
	Warn func(offset int64, err error)

	// Hold is how many bytes may be held of an input that cannot be read twice, to
	// find the names of parts, and of these names; 0 is 16 MiB. Names that come later
	// are told to Warn.
	Hold int

	// MaxHeader is how many bytes the header of an entity may have; 0 is 1 MiB.
	// MaxDepth is how deep entities may be nested; 0 is 100. What is beyond passes
	// as it is, and Warn is told.
	MaxHeader, MaxDepth int

	trace func(encoding string, start, end int64) // shows the tests where the bodies of documents are
}

const (
	defaultHold      = 16 << 20 // of rewriter.Rewriter too
	defaultMaxTag    = 1 << 20  // of that
	defaultMaxHeader = 1 << 20
	defaultMaxDepth  = 100
)

// rawPerByte is more than the bytes that a byte of a document takes in a transfer
// encoding. What a document holds is held encoded as well, and has to find room there;
// maxRawMore is for what is read at once.
const (
	rawPerByte = 4
	maxRawMore = 1 << 20
)

// Rewrite copies the message, or the mbox file, src to dst with the references in
// its HTML documents made absolute and nothing else changed. Where dst is nil
// nothing is written. outer is the base URL where no header and no document gives
// one; it may be nil. The result has the sums of those of all documents, and no
// base.
//
// An error that is a [*rewriter.Error] says that reading or writing failed, or
// Visit; what was written is then a prefix of the whole output. With any other error,
// of a negative limit or of an outer base of another profile, nothing was read.
func (r *Rewriter) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error) {
	if err := r.Validate(); err != nil {
		return rewriter.Result{}, err
	}
	html := r.html()
	if outer != nil && outer.Profile() != html.Profile {
		return rewriter.Result{}, fmt.Errorf("mail: outer base of profile %v in a Rewriter of profile %v", outer.Profile(), html.Profile)
	}
	names, src := r.lookAhead(html, src, outer)
	w := r.walk(html, dst, src, names)
	w.html = html.Clone()
	w.htmlHold = cmp.Or(html.Hold, defaultHold)
	held := w.htmlHold / 2 // as encoded
	w.html.Hold = max(1, held/rawPerByte)
	w.maxRaw = held + rawPerByte*cmp.Or(html.MaxTag, defaultMaxTag) + maxRawMore
	if len(names.parts) > 0 || names.horizon < math.MaxInt64 {
		w.hook()
	}
	err := w.messages(outer)
	return w.result, err
}

// html returns what rewrites the documents.
func (r *Rewriter) html() *rewriter.Rewriter {
	if r.HTML == nil {
		return new(rewriter.Rewriter)
	}
	return r.HTML
}

// Validate reports what is wrong with the fields: a negative limit, or what
// [rewriter.Rewriter.Validate] reports of HTML. Rewrite returns the same error.
func (r *Rewriter) Validate() error {
	switch {
	case r.Hold < 0:
		return fieldError("Hold", r.Hold, "16 MiB")
	case r.MaxHeader < 0:
		return fieldError("MaxHeader", r.MaxHeader, "1 MiB")
	case r.MaxDepth < 0:
		return fieldError("MaxDepth", r.MaxDepth, "100")
	}
	if err := r.html().Validate(); err != nil {
		return fmt.Errorf("mail: HTML: %w", err)
	}
	return nil
}

func fieldError(name string, value int, zero string) error {
	return fmt.Errorf("mail: Rewriter.%s is %d; it takes 0, which is %s, or more", name, value, zero)
}

// walk returns a walk over src.
func (r *Rewriter) walk(bases *rewriter.Rewriter, dst io.Writer, src io.Reader, names *names) *walk {
	w := &walk{
		hooks: r, bases: bases, names: names,
		maxHeader: cmp.Or(r.MaxHeader, defaultMaxHeader),
		maxDepth:  cmp.Or(r.MaxDepth, defaultMaxDepth),
	}
	if dst != nil {
		w.out.dst = bufio.NewWriterSize(dst, windowSize)
	}
	w.in = input{src: src, out: &w.out}
	return w
}

// hook has Visit leave references to other parts alone.
func (w *walk) hook() {
	visit := w.html.Visit
	w.html.Visit = func(p *rewriter.Place) error {
		if p.Element != "base" && w.names.isPart(w.message, w.part, p, w.html.RemoveBase) {
			p.URL = ""
		}
		if visit != nil {
			return visit(p)
		}
		return nil
	}
}
