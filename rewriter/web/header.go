package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"absolink/internal/coding"
	"absolink/rewriter"
)

// A plan says what becomes of a response. By the zero value it passes untouched.
type plan struct {
	headers  bool // are changed
	body     bool // is rewritten
	charset  string
	codings  []coding.Coding
	document *rewriter.Document
}

// plan returns what becomes of a response with this status and these headers. u is
// the URL of the request.
func (rw *Rewriter) plan(r *http.Request, u *url.URL, status int, h http.Header, proxy bool) plan {
	mediaType, charset := MediaType(h)
	codings, known := codingsOf(h)
	switch {
	case status < 200, status == http.StatusNoContent, status == http.StatusResetContent, status == http.StatusPartialContent,
		r.Method == http.MethodConnect, h.Get("Content-Range") != "",
		proxy && hasToken(h.Values("Cache-Control"), "no-transform"):
		return plan{}
	case status == http.StatusNotModified:
		if mediaType != "" && !IsHTML(mediaType) || !known || matchedStrongly(r, h) {
			return plan{}
		}
	case !IsHTML(mediaType):
		return plan{}
	case !known:
		warner(rw.Warn, r)(ErrCoding)
		return plan{}
	}
	d, err := rw.document(r, u, h)
	if err != nil {
		warner(rw.Warn, r)(err)
		return plan{}
	}
	return plan{headers: true, body: status != http.StatusNotModified, charset: charset, codings: codings, document: d}
}

// codingsOf returns the codings that a Content-Encoding lists, in the order in
// which they were applied. ok is false if a coding is not known, or if there are too
// many.
func codingsOf(h http.Header) (codings []coding.Coding, ok bool) {
	for name := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		if name = strings.Trim(name, " \t"); name == "" || strings.EqualFold(name, "identity") {
			continue
		}
		c, known := coding.Named(name)
		if !known || len(codings) == coding.MaxNested {
			return nil, false
		}
		codings = append(codings, c)
	}
	return codings, true
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

// changeHeader turns the header of an original response into the one of the rewritten
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

// changeFields makes the fields of a header, or of trailers, true of a rewritten
// body, or removes them. The header of a handler has trailers too: under their own
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
func isUntrue(name string) bool {
	switch name {
	case "Content-Length", "Accept-Ranges", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest", "Unencoded-Digest", "Signature", "Signature-Input":
		return true
	}
	return false
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
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.Trim(name, " \t"); name != "" && !isUntrue(fieldName(name)) {
			left = append(left, name)
		}
	}
	return strings.Join(left, ", ")
}

// hasToken reports whether one of the comma-separated values is token, in any
// case.
func hasToken(values []string, token string) bool {
	for _, value := range values {
		for s := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.Trim(s, " \t"), token) {
				return true
			}
		}
	}
	return false
}

// IsHTML reports whether documents of a media type are rewritten: whether it is
// text/html or application/xhtml+xml.
func IsHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// MediaType returns the media type of the Content-Type, in lower case, and its
// charset parameter; "" is none. Like browsers, MediaType ignores a parameter in
// which something is wrong (MIME Sniffing Standard §4.4).
func MediaType(h http.Header) (mediaType, charset string) {
	mediaType, rest, _ := strings.Cut(h.Get("Content-Type"), ";")
	mediaType = strings.ToLower(strings.Trim(mediaType, " \t"))
	for rest != "" && charset == "" {
		var name, value string
		if name, value, rest = parameter(rest); strings.EqualFold(name, "charset") {
			charset = value
		}
	}
	return mediaType, charset
}

// parameter cuts the first parameter off a list of parameters.
func parameter(s string) (name, value, rest string) {
	s = strings.TrimLeft(s, " \t;")
	i := strings.IndexAny(s, "=;")
	switch {
	case i < 0:
		return "", "", ""
	case s[i] == ';':
		return "", "", s[i+1:]
	}
	name, s = s[:i], s[i+1:]
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ";")
		return name, strings.TrimRight(value, " \t"), rest
	}
	var quoted strings.Builder
	for i = 1; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		quoted.WriteByte(s[i])
	}
	_, rest, _ = strings.Cut(s[min(i, len(s)):], ";")
	return name, quoted.String(), rest
}
