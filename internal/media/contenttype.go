package media

import (
	"mime"
	"strings"
)

// The media types of documents, which are rewritten.
const (
	HTML  = "text/html"
	XHTML = "application/xhtml+xml"
)

// IsHTMLType reports whether a media type, in lower case, is HTML or XHTML.
func IsHTMLType(mediaType string) bool { return mediaType == HTML || mediaType == XHTML }

// ContentType returns the media type that the Content-Type fields of an HTTP header
// name, in lower case, and its charset parameter; "" is none. The fields are read as
// browsers read them. They are one list, of which the last valid media type counts (Fetch
// Standard, "extract a MIME type"), and a malformed parameter is ignored (MIME Sniffing
// Standard §4.4).
func ContentType(fields ...string) (mediaType, charset string) {
	for rest := strings.Join(fields, ", "); rest != ""; {
		var element string
		element, rest = cutElement(rest)
		kind := essence(element)
		if !isMediaType(kind) || kind == "*/*" {
			continue
		}
		label := parameter(element, "charset")
		if kind != mediaType || label != "" {
			charset = label
		}
		mediaType = kind
	}
	return mediaType, charset
}

// cutElement cuts a list after its first element. A comma between quotes separates
// nothing.
func cutElement(list string) (element, rest string) {
	quoted := false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			return list[:i], list[i+1:]
		}
	}
	return list, ""
}

// essence returns a media type in lower case, without its parameters, even where
// white space stands before them instead of a semicolon.
func essence(contentType string) string {
	kind := strings.TrimLeft(contentType, " \t")
	if end := strings.IndexAny(kind, "; \t,"); end >= 0 {
		kind = kind[:end]
	}
	return strings.ToLower(kind)
}

// isMediaType reports whether a media type has a type and a subtype, which are tokens
// (RFC 9110 §5.6.2).
func isMediaType(kind string) bool {
	name, subtype, _ := strings.Cut(kind, "/")
	return isToken(name) && isToken(subtype)
}

func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}

// parameter returns the first value, other than "", of the parameter with this name.
func parameter(contentType, wanted string) string {
	for _, rest, _ := strings.Cut(contentType, ";"); rest != ""; {
		var name, value string
		if name, value, rest = cutParameter(rest); value != "" && strings.EqualFold(name, wanted) {
			return value
		}
	}
	return ""
}

// cutParameter cuts a list of parameters after the first.
func cutParameter(s string) (name, value, rest string) {
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

// MaxGrammar is the length, in bytes, up to which package mime parses a field of a
// message: it takes time that grows with the square of the length.
const MaxGrammar = 16 << 10

// MailContentType returns the media type that a Content-Type field of a message
// names, in lower case, and its parameters (RFC 2045 §5.1, RFC 2231). If the field
// is malformed, or longer than MaxGrammar, params holds only the boundary and the
// charset, as far as they can be made out.
func MailContentType(value string) (mediaType string, params map[string]string) {
	if len(value) <= MaxGrammar {
		if mediaType, params, err := mime.ParseMediaType(value); err == nil {
			for name := range params {
				params[name] = DecodeWords(params[name])
			}
			return mediaType, params
		}
	}
	mediaType, _, _ = strings.Cut(value, ";")
	params = map[string]string{}
	for _, name := range []string{"boundary", "charset"} {
		if v := looseParameter(value, name); v != "" {
			params[name] = v
		}
	}
	return strings.ToLower(strings.TrimSpace(mediaType)), params
}

// FirstWord returns the word that the value of a field of a message begins with, in lower case
// and without the quotes and the comments around it (RFC 2045 §5.1).
func FirstWord(value string) string {
	value = afterComments(value)
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		value, _, _ = strings.Cut(quoted, `"`)
	} else if end := strings.IndexAny(value, " \t;("); end >= 0 {
		value = value[:end]
	}
	return strings.ToLower(strings.Trim(value, " \t\""))
}

// afterComments returns text without the white space and the comments that it begins with, as
// package resolver skips them.
func afterComments(text string) string {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(':
			depth++
		case depth == 0 && c != ' ' && c != '\t':
			return text[i:]
		case c == ')' && depth > 0:
			depth--
		case c == '\\':
			i++
		}
	}
	return ""
}

// DecodeWords returns a value of a field with its encoded words decoded (RFC 2047), or
// value itself if it cannot be decoded.
func DecodeWords(value string) string {
	if decoded, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		return decoded
	}
	return value
}

// looseParameter returns a parameter of a malformed field: what stands between
// quotes, otherwise all before the next semicolon or white space.
func looseParameter(value, name string) string {
	for i := 1; i+len(name) < len(value); i++ {
		if strings.IndexByte("; \t", value[i-1]) < 0 || !strings.EqualFold(value[i:i+len(name)], name) {
			continue
		}
		rest, ok := strings.CutPrefix(strings.TrimLeft(value[i+len(name):], " \t"), "=")
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " \t")
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			v, _, _ := strings.Cut(quoted, `"`)
			return v
		}
		if end := strings.IndexAny(rest, "; \t"); end >= 0 {
			rest = rest[:end]
		}
		return rest
	}
	return ""
}
