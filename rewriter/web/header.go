package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"absolink/internal/coding"
	"absolink/rewriter"
)

// A plan says what becomes of a response. The zero value is nothing.
type plan struct {
	headers  bool // they change
	body     bool // it is rewritten
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
		rw.warner(r)(ErrCoding)
		return plan{}
	}
	d, err := rw.document(r, u, h)
	if err != nil {
		rw.warner(r)(err)
		return plan{}
	}
	return plan{headers: true, body: status != http.StatusNotModified, charset: charset, codings: codings, document: d}
}

// codingsOf returns the codings that a Content-Encoding lists, in the order in
// which they were applied. It is not ok where one is not known, or they are too many.
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

// matchedStrongly reports whether what the client has is not of ours: it came with
// a strong ETag.
func matchedStrongly(r *http.Request, h http.Header) bool {
	tag := h.Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		return false
	}
	for _, tags := range r.Header.Values("If-None-Match") {
		// No ETag has a quote in it, but it may have a comma (RFC 9110 §8.8.3).
		for before, rest, ok := strings.Cut(tags, tag); ok; before, rest, ok = strings.Cut(rest, tag) {
			if !strings.HasSuffix(before, "W/") {
				return true
			}
		}
	}
	return false
}

// changeHeader makes of a response's header that of the rewritten response.
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

// changeFields makes the fields of a header true of a rewritten body, or removes
// them. The same is done with trailers, which the header of a handler has under
// their own names or, behind [http.TrailerPrefix], in any case.
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

// isUntrue reports whether a field says what the bytes of a body are, or could not
// be true of one that is rewritten as it comes.
func isUntrue(name string) bool {
	switch name {
	case "Content-Length", "Accept-Ranges", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest", "Unencoded-Digest", "Signature", "Signature-Input":
		return true
	}
	return false
}

// weak returns ETags as weak ones.
func weak(tags []string) []string {
	tags = slices.Clone(tags)
	for i, tag := range tags {
		if strings.HasPrefix(tag, `"`) {
			tags[i] = "W/" + tag
		}
	}
	return tags
}

// withoutUntrue returns a list of names of fields without those that are removed.
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

// IsHTML reports whether a media type is one of those that are rewritten:
// text/html and application/xhtml+xml.
func IsHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// MediaType returns the media type of the Content-Type, in lower case, and its
// charset parameter; "" is none. It is read as browsers do, who take what is wrong
// in a parameter for no parameter (MIME Sniffing Standard §4.4).
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

// parameter cuts the first parameter off.
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
