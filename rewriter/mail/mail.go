// Package mail rewrites the HTML documents in messages: mail (RFC 5322 with
// MIME), MHTML as browsers save it (RFC 2557), and mbox files, which hold any
// number of messages.
//
// Only the references in HTML parts change. Everything else is copied byte for byte:
// other parts, headers, and the HTML around the references. To read an HTML part, its
// transfer encoding and charset are decoded; what is new is encoded in the same way.
//
// Messages within messages are message/rfc822, message/global, message/news and
// message/http. Other types of message/* hold no whole message, and stay.
//
// # Bases
//
// An entity is a message or a part of a message. Fields in its header give the base URL
// for everything in it, including the parts of a multipart (RFC 1808 §3.2, RFC 2557 §5;
// RFC 2110 §4.1 excluded them). The first of these fields that gives a base counts:
//
//	Base                       RFC 1808 §3.1
//	Content-Base               RFC 2110 §4.2: the same under a new name
//	Content-Location           RFC 2557 §5: where the entity itself is
//	Snapshot-Content-Location  where Chromium found the page that it saved
//
// If several fields have the same name, the first that gives a base counts too. That base
// is also the base of relative URLs in the other fields (RFC 1808 §3.1): a relative
// Content-Location beside a Base is resolved against the Base. A relative URL in the first
// field itself is resolved against the base of the enclosing entity; if that entity has no
// base, the field gives none. A Content-Location also serves as a name. It
// may therefore be a URL that is not a base, such as cid:x or about:blank, and Warn is
// not told of that. A BASE in the document goes before all fields. If no field gives a
// base, the base of the caller counts.
//
// # Parts that refer to each other
//
// A relative reference may lead to another part of the same message: its absolute form,
// without the fragment, is the Content-Location of that part. Such a reference stays as
// it is. With RemoveBase it becomes absolute, unless it is spelled like that
// Content-Location. A cid: URL is absolute, and stays. A message inside another message
// has names of its own.
//
// The names of all parts have to be known first. A src that is an [io.Seeker] is read
// twice. From any other src, up to Hold bytes are read ahead, if the message has parts.
// If reading fails, the output ends before the first reference that may lead to a part that
// was not read.
//
// # What does not change
//
// HTML in a signed or encrypted part stays as it is, and so does HTML in a transfer
// encoding that RFC 2045 does not define; Warn is told of both. How much of any other
// HTML part keeps its bytes depends on its transfer encoding:
//
//   - quoted-printable: Lines in which nothing changes. A changed line of more than 76
//     characters is broken.
//   - base64: Everything before the first change. The rest is encoded anew, in lines of
//     the same length.
//   - 7bit, 8bit: Everything except the references. Lines cannot be broken, so Warn is
//     told of a line that becomes longer than 998 characters.
//
// HTML in a part with the Content-Disposition "attachment" stays, unless Attachments is set:
// also in a message or a multipart that was attached.
//
// Header fields always stay. Some of them, such as DKIM-Signature, Content-MD5 and
// Content-Length, may be wrong after a change; Warn is told of each.
package mail

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"absolink/internal/passage"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A Rewriter rewrites the HTML documents in messages. The zero value is ready to use. Its
// fields must not change after the first use; its methods may be called from any number of
// goroutines.
type Rewriter struct {
	// HTML rewrites the documents; nil is new(rewriter.Rewriter). Its hooks see
	// the offsets of the encoded bytes in the message. In base64, a byte has the offset of
	// the character with its first bits. The Document of a place is the one that Begin and
	// End are told of. Its Name is the Content-Location of the part, in its absolute form
	// if there is a base, or "" if the part has none. Warn is also told which parts stay as
	// they are, such as signed ones. Visit sees a
	// reference to another part with an empty URL. Hold of HTML limits what is held of a
	// document as in any other; its encoded form, which is held too, may take 4 times
	// as much.
	HTML *rewriter.Rewriter

	// Attachments also rewrites HTML in parts with the Content-Disposition "attachment", which
	// are files or messages that somebody attached. By default they stay as they are.
	Attachments bool

	// Hold limits how many bytes are read ahead for the names of parts, if the input
	// cannot be read twice. It also limits how much memory those names take; 0 is 16
	// MiB. Warn is told of names that come after that.
	Hold int

	// MaxHeader is how many bytes the header of an entity may have; 0 is 1 MiB.
	// MaxDepth is how deep entities may be nested; 0 is 100. An entity beyond these
	// limits stays as it is, and Warn is told.
	MaxHeader, MaxDepth int

	trace func(encoding string, start, end int64) // shows the tests where the bodies of documents are
}

const (
	defaultHold      = 16 << 20
	defaultMaxHeader = 1 << 20
	defaultMaxDepth  = 100
)

// While a document is held, its encoded bytes are held as well. rawPerByte is above the
// number of encoded bytes for each of its bytes: quoted-printable takes three, and a line
// end for each 76 bytes.
const rawPerByte = 4

// Rewrite copies src, a message or an mbox file, to dst. The references in its HTML
// documents become absolute, and nothing else changes. If dst is nil, nothing is
// written. outer, which may be nil, is the base URL if neither a header nor a document
// gives one. The counts in the result are sums over all documents; the result has no
// base.
//
// An error that is a [*rewriter.Error] says that reading, writing or Visit failed; what
// was written is then a prefix of the whole output. Any other error is one of Validate,
// or says that outer is of another profile; nothing was read then.
func (r *Rewriter) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error) {
	if err := r.Validate(); err != nil {
		return rewriter.Result{}, err
	}
	if err := r.HTML.CheckBase(outer); err != nil {
		return rewriter.Result{}, fmt.Errorf("mail: HTML: %w", err)
	}
	html := cmp.Or(r.HTML, new(rewriter.Rewriter))
	names, src := r.lookAhead(html, src, outer)
	w := r.walk(html, dst, src, names)
	w.html = html
	w.maxRaw, w.errHeld = container.HoldEncoded(html, rawPerByte)
	if len(names.parts) > 0 || names.horizon < math.MaxInt64 || names.err != nil {
		w.hook()
	}
	w.hookTemplate()
	err := w.messages(outer)
	return w.result, err
}

// Validate returns an error if a limit is negative. Rewrite returns the same error.
func (r *Rewriter) Validate() error {
	switch {
	case r.Hold < 0:
		return fieldError("Hold", r.Hold, "16 MiB")
	case r.MaxHeader < 0:
		return fieldError("MaxHeader", r.MaxHeader, "1 MiB")
	case r.MaxDepth < 0:
		return fieldError("MaxDepth", r.MaxDepth, "100")
	}
	return nil
}

func fieldError(name string, value int, zero string) error {
	return fmt.Errorf("mail: Rewriter.%s is %d; it takes 0, which is %s, or more", name, value, zero)
}

// walk returns a walk over src that parses base URLs as bases does.
func (r *Rewriter) walk(bases *rewriter.Rewriter, dst io.Writer, src io.Reader, names *names) *walk {
	w := &walk{
		options: r, bases: bases, names: names,
		maxHeader: cmp.Or(r.MaxHeader, defaultMaxHeader),
		maxDepth:  cmp.Or(r.MaxDepth, defaultMaxDepth),
		out:       passage.NewOutput(dst),
	}
	w.in = input{Input: passage.Input{Src: src}, out: &w.out}
	return w
}

// hook makes Visit leave references to other parts as they are.
func (w *walk) hook() {
	hooks, removes := w.html.Hooks(), w.html.Options().RemoveBase
	visit := hooks.Visit
	hooks.Visit = func(p *rewriter.Place) error {
		if p.Element != "base" {
			is, err := w.names.isPart(w.message, w.part, p, removes)
			if err != nil {
				return err
			}
			if is {
				p.URL = ""
			}
		}
		if visit != nil {
			return visit(p)
		}
		return nil
	}
	w.html = w.html.With(hooks)
}
