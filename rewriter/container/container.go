// Package container is for adapters: packages that find the HTML documents in a container,
// such as a message or an archive, and hand them to a Rewriter.
//
// Such an adapter keeps this contract:
//
//   - It has a field HTML, which rewrites the documents, and returns the error of
//     [rewriter.Rewriter.CheckBase] before it reads. If it holds a document in an encoded form
//     as well, [HoldEncoded] divides Hold.
//   - It makes a [rewriter.Document] for each document, with its offset or name in the
//     container. Outer is the base URL that the container gives the document (RFC 1808 §3.2),
//     parsed with [rewriter.Rewriter.ParseBase]; Overridden is then the base URL that the
//     caller gave. Without a base of its own, Outer is the caller's, with the source OuterBase.
//     [Warn] is told of every error of ParseBase, which may return a base all the same, and of
//     everything that is wrong with the container.
//   - It reads the document through a [rewriter.Source]: Charset is what the container says of
//     the encoding, At turns an offset in the document into an offset in the container, and
//     Document is the one that Place.Document names.
//   - It calls Rewrite where the document stands as it is, and Splice where it stands in
//     another form, such as a transfer encoding, a JSON string or XML text: then what stays
//     keeps its bytes. A nil dst means that nothing is written.
//   - It calls [Begin] before that, and [Done] with the result. It adds the result to the sum
//     with [rewriter.Result.Add], also where reading or writing failed. Its own warnings count
//     in Result.Warnings.
//   - References in the container itself are for [rewriter.Rewriter.Reference]; [FieldPlaces]
//     and [RewriteField] find those in the header of a response.
//   - Everything else is copied byte for byte. Limits are reported as a
//     [*rewriter.LimitError], and what is beyond them stays as it is.
//
// The example is such an adapter. The packages mail, feed, web, tree and warc are others.
package container

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

// Begin tells Begin of the hooks of html that the document d is rewritten next.
func Begin(html *rewriter.Rewriter, d *rewriter.Document) {
	if begin := html.Hooks().Begin; begin != nil {
		begin(d)
	}
}

// Done sets d.Result to the result of rewriting the document d, and tells End of the hooks of
// html. If the result names the outer base, Done replaces it by what the container knows:
// Outer, and what Outer overrides.
func Done(html *rewriter.Rewriter, d *rewriter.Document, r rewriter.Result) {
	switch rewriter.OuterBase {
	case r.Base.Source:
		r.Base = d.Outer
		if d.Overridden.URL != nil {
			r.Overridden = d.Overridden
		}
	case r.Overridden.Source:
		r.Overridden = d.Outer
	}
	d.Result = r
	if end := html.Hooks().End; end != nil {
		end(d)
	}
}

// Warn tells Warn of the hooks of html what is wrong with the container. The caller counts it
// in Result.Warnings.
func Warn(html *rewriter.Rewriter, offset int64, err error) {
	if warn := html.Hooks().Warn; warn != nil {
		warn(offset, err)
	}
}

// HoldEncoded returns how many bytes of the encoded form of a document may be held, for an
// adapter that passes the encoded form on as it is where nothing changes. Each byte of the
// document takes up to perByte bytes there. The limit leaves room for all that may be held
// of the document, so it is reached only by a form that takes more. tooLong is the error to
// report then.
func HoldEncoded(html *rewriter.Rewriter, perByte int) (limit int, tooLong *rewriter.LimitError) {
	o := html.Options()
	tooLong = &rewriter.LimitError{Field: "Hold", Limit: int64(o.Hold), Text: "more of this document follows in its encoded form than may be held (Hold of the HTML); it stays as it is from here on"}
	most := math.MaxInt/perByte - heldAlways
	return perByte * (heldAlways + min(most, max(o.Hold, 2*min(o.MaxTag, most/2)))), tooLong
}

// heldAlways is more than may be held of a document whatever Hold and MaxTag are: the start
// that shows its encoding, and the 8 KiB in which the text of a link is looked for. The rest
// of a window, which is longer, is passed on after each read.
const heldAlways = 16 << 10

var errSpace = errors.New("white space inside the URL; write it as %20")

// ParseBaseField parses the base URL in a field of a header that gives one to an entity
// (RFC 1808 §3.1): Base, Content-Base, Content-Location or another Location. value is what
// [FieldURL] reads. outer, which may be nil, is what a relative URL is resolved against: the
// base URL that an earlier field of the header gives, otherwise the base URL of what the
// entity is in.
//
// It returns nil if the field gives no base. A Location also serves as a name: that a name
// cannot be a base, as cid:x cannot, is not an error. As in [rewriter.Rewriter.ParseBase],
// there may be both a base and an error. The error begins with the name of the field.
func ParseBaseField(html *rewriter.Rewriter, outer *resolver.Base, name, value string) (*resolver.Base, error) {
	b, err := baseInField(html, outer, value, strings.HasSuffix(name, "Location"))
	switch {
	case err == nil:
		return b, nil
	case b == nil:
		return nil, fmt.Errorf("%s gives no base: %w", name, err)
	}
	return b, fmt.Errorf("%s: %w", name, err)
}

func baseInField(html *rewriter.Rewriter, outer *resolver.Base, value string, isName bool) (*resolver.Base, error) {
	url, err := FieldURL(value)
	switch {
	case err != nil:
		return nil, err
	case url == "":
		return nil, nil
	case html.Profile() != resolver.WHATWG && strings.Contains(url, `\`):
		return nil, fmt.Errorf("%q has a backslash, which no URL has", resolver.Redact(url))
	}
	b, err := html.ParseBaseOn(outer, url)
	switch {
	case errors.Is(err, resolver.ErrOpaqueBase) && isName, errors.Is(err, resolver.ErrNotAbsolute) && isName && outer == nil:
		return nil, nil
	case b.IsOpaque() && isName:
		return nil, nil
	case b.IsOpaque():
		return nil, &resolver.Error{Profile: html.Profile(), Base: url, Err: resolver.ErrOpaqueBase}
	}
	return b, err
}

// FieldURL returns the URL in the value of a field, as a string that does not keep the
// value in memory. [resolver.Unwrap] takes the URL out of its brackets. White space and
// quotes around the URL are ignored. The error says that the URL is longer than [rewriter.MaxBase] or
// has white space in it.
func FieldURL(value string) (string, error) {
	url := strings.Trim(strings.TrimSpace(resolver.Unwrap(value)), `"`)
	switch {
	case len(url) > rewriter.MaxBase:
		return "", rewriter.ErrLongBase
	case strings.ContainsAny(url, " \t\n\v\f\r"):
		return "", errSpace
	}
	return strings.Clone(url), nil
}

// ResponseBase returns the base URL that a response of HTTP or a similar protocol gives the
// document in it: with the header Base, in the RFC profiles (RFC 1808 §3.1). fields are the
// values of all fields of that name, and the first that gives a base counts. outer, which
// may be nil, is the retrieval URL. References in the header are resolved against the
// result, too.
//
// The URL of the result is nil if there is no base. The error is the first of
// [ParseBaseField].
func ResponseBase(html *rewriter.Rewriter, outer *resolver.Base, fields []string) (base rewriter.Base, err error) {
	if html.Profile() == resolver.WHATWG {
		return rewriter.Base{}, nil
	}
	for _, field := range fields {
		b, fault := ParseBaseField(html, outer, "Base", field)
		err = cmp.Or(err, fault)
		if b != nil {
			return rewriter.Base{URL: b, Source: rewriter.EntityBase, Name: "Base", Offset: -1}, err
		}
	}
	return rewriter.Base{}, err
}
