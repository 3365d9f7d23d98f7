package syntax

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// A Reference is where a reference stands in a value, and how it is written there. It
// is small: a value of a megabyte may have half a million of them.
type Reference struct {
	Start, End int32
	Form       Form
}

func newReference(start, end int, f Form) Reference {
	return Reference{int32(start), int32(end), f}
}

// Span returns where what is replaced stands in the value.
func (r Reference) Span() (start, end int) { return int(r.Start), int(r.End) }

// In returns the reference itself: part of the value, or decoded where the form has
// escapes.
func (r Reference) In(value []byte) []byte {
	text := value[r.Start:r.End]
	switch {
	case r.Form.IsCSS() && (bytes.IndexByte(text, '\\') >= 0 || bytes.IndexByte(text, 0) >= 0):
		return AppendCSSDecoded(nil, text)
	case r.Form.isJSON() && bytes.IndexByte(text, '\\') >= 0:
		return AppendJSONDecoded(nil, text, false)
	}
	return text
}

// A Form is how a reference is written in a value.
type Form uint8

const (
	FormPlain         Form = iota // as it is, to the ends of the value
	FormListed                    // between white space, in a list: holds none
	FormCandidate                 // in srcset: holds no white space, and no comma at its ends
	FormComma                     // between commas: holds none, and no white space at its ends
	FormSemicolon                 // between semicolons, likewise
	FormRefresh                   // in meta refresh, not in quotes
	FormRefreshDouble             // there in double quotes: holds none
	FormRefreshSingle             // there in single quotes: holds none
	FormJSON                      // in a JSON string
	FormSpecifier                 // there, and what an import map has for a module
	FormPattern                   // there, and a URL pattern
	FormCSSURL                    // in url(), not in quotes
	FormCSSDouble                 // a CSS string in double quotes
	FormCSSSingle                 // a CSS string in single quotes
)

// isJSON reports whether a form is a string of JSON.
func (f Form) isJSON() bool { return f >= FormJSON && !f.IsCSS() }

// IsCSS reports whether a form is one of CSS.
func (f Form) IsCSS() bool { return f >= FormCSSURL }

// AppendForm appends an absolute URL so that it reads back as it is in the
// form. Where a form has no escapes, what cannot stand in it is
// percent-encoded.
func AppendForm(dst, url []byte, f Form) []byte {
	switch {
	case f.IsCSS():
		return appendCSS(dst, url, f)
	case f >= FormJSON:
		return appendJSON(dst, url)
	}
	if ascii.ClassOf(url)&(ascii.Control|ascii.Space|ascii.DoubleQuote|ascii.SingleQuote) == 0 && !bytes.ContainsAny(url, ",;") {
		return append(dst, url...) // all forms hold it
	}
	for i, c := range url {
		if f.holds(c, i == 0, i == len(url)-1) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', ascii.HexDigits[c>>4], ascii.HexDigits[c&15])
		}
	}
	return dst
}

// holds reports whether a byte that may be the first or the last of a URL can
// stand in a form without escapes.
func (f Form) holds(c byte, first, last bool) bool {
	switch f {
	case FormListed:
		return !ascii.IsSpace(c)
	case FormCandidate:
		return !ascii.IsSpace(c) && (c != ',' || !first && !last)
	case FormComma:
		return c != ',' && (!ascii.IsSpace(c) || !first && !last)
	case FormSemicolon:
		return c != ';' && (!ascii.IsSpace(c) || !first && !last)
	case FormRefresh:
		return (!ascii.IsSpace(c) || !first && !last) && (!ascii.IsQuote(c) || !first)
	case FormRefreshDouble:
		return c != '"'
	case FormRefreshSingle:
		return c != '\''
	}
	return true
}
