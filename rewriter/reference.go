package rewriter

import "bytes"

// A reference is where a reference stands in a value, and how it is written there. It
// is small: a value of a megabyte may have half a million of them.
type reference struct {
	start, end int32
	form       form
}

func newReference(start, end int, f form) reference {
	return reference{int32(start), int32(end), f}
}

// span returns where what is replaced stands in the value.
func (r reference) span() (start, end int) { return int(r.start), int(r.end) }

// in returns the reference itself: part of the value, or decoded where the form has
// escapes.
func (r reference) in(value []byte) []byte {
	text := value[r.start:r.end]
	switch {
	case r.form.isCSS() && (bytes.IndexByte(text, '\\') >= 0 || bytes.IndexByte(text, 0) >= 0):
		return appendCSSDecoded(nil, text)
	case r.form.isJSON() && bytes.IndexByte(text, '\\') >= 0:
		return appendJSONDecoded(nil, text, false)
	}
	return text
}

// A form is how a reference is written in a value.
type form uint8

const (
	formPlain         form = iota // as it is, to the ends of the value
	formListed                    // between white space, in a list: holds none
	formCandidate                 // in srcset: holds no white space, and no comma at its ends
	formComma                     // between commas: holds none, and no white space at its ends
	formSemicolon                 // between semicolons, likewise
	formRefresh                   // in meta refresh, not in quotes
	formRefreshDouble             // there in double quotes: holds none
	formRefreshSingle             // there in single quotes: holds none
	formJSON                      // in a JSON string
	formSpecifier                 // there, and what an import map has for a module
	formPattern                   // there, and a URL pattern
	formCSSURL                    // in url(), not in quotes
	formCSSDouble                 // a CSS string in double quotes
	formCSSSingle                 // a CSS string in single quotes
)

// isJSON reports whether a form is a string of JSON.
func (f form) isJSON() bool { return f >= formJSON && !f.isCSS() }

// isCSS reports whether a form is one of CSS.
func (f form) isCSS() bool { return f >= formCSSURL }

// appendForm appends an absolute URL so that it reads back as it is in the
// form. Where a form has no escapes, what cannot stand in it is
// percent-encoded.
func appendForm(dst, url []byte, f form) []byte {
	switch {
	case f.isCSS():
		return appendCSS(dst, url, f)
	case f >= formJSON:
		return appendJSON(dst, url)
	}
	if classOf(url)&(control|space|doubleQuote|singleQuote) == 0 && !bytes.ContainsAny(url, ",;") {
		return append(dst, url...) // all forms hold it
	}
	for i, c := range url {
		if f.holds(c, i == 0, i == len(url)-1) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return dst
}

// holds reports whether a byte that may be the first or the last of a URL can
// stand in a form without escapes.
func (f form) holds(c byte, first, last bool) bool {
	switch f {
	case formListed:
		return !isSpace(c)
	case formCandidate:
		return !isSpace(c) && (c != ',' || !first && !last)
	case formComma:
		return c != ',' && (!isSpace(c) || !first && !last)
	case formSemicolon:
		return c != ';' && (!isSpace(c) || !first && !last)
	case formRefresh:
		return (!isSpace(c) || !first && !last) && (!isQuote(c) || !first)
	case formRefreshDouble:
		return c != '"'
	case formRefreshSingle:
		return c != '\''
	}
	return true
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }
