package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"absolink/internal/coding"
	"absolink/internal/media"
	"absolink/rewriter"
)

// A plan says what becomes of a response. With the zero value, it passes untouched.
type plan struct {
	headers bool // the headers are changed
	body    bool // the body is rewritten
	codings []coding.Coding
	source  rewriter.Source // the document, without a Reader
}

// plan returns what becomes of a response with this status and these headers. u is
// the URL of the request.
func (rw *Rewriter) plan(r *http.Request, u *url.URL, status int, h http.Header, proxy bool) plan {
	mediaType, charset := MediaType(h)
	codings, known := coding.Parse(h.Values("Content-Encoding")...)
	switch {
	case status < 200, status == http.StatusNoContent, status == http.StatusResetContent, status == http.StatusPartialContent,
		r.Method == http.MethodConnect, h.Get("Content-Range") != "",
		proxy && coding.HasToken("no-transform", h.Values("Cache-Control")...):
		return plan{}
	case status == http.StatusNotModified:
		if mediaType != "" && !media.IsHTMLType(mediaType) || !known || matchedStrongly(r, h) {
			return plan{}
		}
	case !media.IsHTMLType(mediaType):
		return plan{}
	case !known:
		warner(rw.HTML.Hooks().Warn, r)(ErrCoding)
		return plan{}
	}
	d, err := rw.document(r, u, h)
	if err != nil {
		warner(rw.HTML.Hooks().Warn, r)(err)
		return plan{}
	}
	return plan{headers: true, body: status != http.StatusNotModified, codings: codings, source: rewriter.Source{Charset: charset, Document: d}}
}

// matchedStrongly reports whether the client has the body with a strong ETag. That
// body was not rewritten: what is rewritten has a weak ETag.
func matchedStrongly(r *http.Request, h http.Header) bool {
	tag := h.Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		return false
	}
	for _, tags := range r.Header.Values("If-None-Match") {
		// There is no quote inside an ETag, but there may be a comma (RFC 9110 §8.8.3).
		for before, rest, ok := strings.Cut(tags, tag); ok; before, rest, ok = strings.Cut(rest, tag) {
			if !strings.HasSuffix(before, "W/") {
				return true
			}
		}
	}
	return false
}

// changeHeader turns the header of an original response into the header of the rewritten
// response.
func changeHeader(h http.Header) {
	changeFields(h)
	announced := h["Trailer"]
	h.Del("Trailer")
	for _, names := range announced {
		if names = withoutUntrue(names); names != "" {
			h.Add("Trailer", names)
		}
	}
}

// changeFields makes the fields of a header, or of trailers, true for a rewritten body,
// or removes them. The header of a handler has trailers too: under their own
// names, or after [http.TrailerPrefix] with names in any case.
func changeFields(h http.Header) {
	for key, values := range h {
		switch name := fieldName(key); {
		case isUntrue(name):
			delete(h, key)
		case name == "Etag":
			h[key] = weak(values)
		}
	}
}

func fieldName(key string) string {
	return http.CanonicalHeaderKey(strings.TrimPrefix(key, http.TrailerPrefix))
}

// isUntrue reports whether a field is not true of a rewritten body: it describes the
// original bytes, or what is not known before the body ends.
func isUntrue(name string) bool { return slices.Contains(untrueFields, name) }

var untrueFields = []string{
	"Content-Length", "Accept-Ranges", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest", "Unencoded-Digest", "Signature", "Signature-Input",
}

// weak returns the weak forms of ETags.
func weak(tags []string) []string {
	tags = slices.Clone(tags)
	for i, tag := range tags {
		if strings.HasPrefix(tag, `"`) {
			tags[i] = "W/" + tag
		}
	}
	return tags
}

// withoutUntrue returns a comma-separated list of field names without those that
// isUntrue reports.
func withoutUntrue(names string) string {
	var left []string
	for name := range coding.Elements(names) {
		if !isUntrue(fieldName(name)) {
			left = append(left, name)
		}
	}
	return strings.Join(left, ", ")
}

// IsHTML reports whether a body with this Content-Type is a page: text/html or
// application/xhtml+xml, with any parameters. start is what the body begins with, and
// counts only if contentType is "". Then it decides as in net/http, which gives the body
// of a handler a Content-Type; 512 bytes are enough. A response that arrives without a
// Content-Type is not rewritten, whatever it holds.
func IsHTML(start []byte, contentType string) bool {
	if contentType == "" {
		contentType = http.DetectContentType(start)
	}
	mediaType, _ := media.ContentType(contentType)
	return media.IsHTMLType(mediaType)
}

// MediaType returns the media type that a Content-Type names, in lower case, and its
// charset parameter; "" is none. It is read as browsers read it: the last valid media type
// counts of all that the fields name (Fetch Standard, "extract a MIME type"), and a
// malformed parameter is ignored (MIME Sniffing Standard §4.4).
func MediaType(h http.Header) (mediaType, charset string) {
	return media.ContentType(h.Values("Content-Type")...)
}
