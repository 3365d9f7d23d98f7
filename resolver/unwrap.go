package resolver

import "strings"

// Unwrap returns the URL in a text that has it in the form <URL:http://h/>, which is the
// base-header of RFC 1808 §3.1 and the Appendix of RFC 1738. Any other text comes back as
// it is.
//
// URL: may be in any case, or missing, as in RFC 3986 (Appendix C). White space in the
// brackets is ignored, and what stands around them: white space and comments of RFC 822
// before them, anything behind them. A missing > is taken for granted at the end.
func Unwrap(text string) string {
	rest, ok := strings.CutPrefix(skipComments(text), "<")
	if !ok {
		return text
	}
	url, _, _ := strings.Cut(rest, ">")
	if strings.ContainsAny(url, whiteSpace) {
		url = strings.Join(strings.FieldsFunc(url, func(c rune) bool { return strings.ContainsRune(whiteSpace, c) }), "")
	}
	if len(url) >= len("URL:") && strings.EqualFold(url[:len("URL:")], "URL:") {
		url = url[len("URL:"):]
	}
	return url
}

const whiteSpace = " \t\n\v\f\r"

// skipComments returns text without the white space and the comments (RFC 822 §3.4.3) that
// it begins with. Comments may be nested, and a backslash quotes what follows it.
func skipComments(text string) string {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(':
			depth++
		case depth == 0 && strings.IndexByte(whiteSpace, c) < 0:
			return text[i:]
		case depth == 0:
		case c == ')':
			depth--
		case c == '\\':
			i++
		}
	}
	return ""
}
