package syntax

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
)

// A Reference says where a reference stands in a value, and how it is written there. The
// struct is small because a value of a megabyte may have half a million references.
type Reference struct {
	Start, End int32
	Form       Form
	Escaped    bool // some byte of the text may not stand for itself, or may not be written as itself
}

func newReference(start, end int, f Form) Reference {
	return Reference{Start: int32(start), End: int32(end), Form: f}
}

// Of returns the bytes of the reference in the value.
func (r Reference) Of(value []byte) []byte { return value[r.Start:r.End] }

// A Form is how a reference is written in a value. The order of the forms has no
// meaning.
type Form uint8

const (
	FormPlain         Form = iota // as it is, from end to end of the value
	FormListed                    // between white space, in a list
	FormCandidate                 // in srcset
	FormComma                     // between commas
	FormSemicolon                 // between semicolons
	FormLazy                      // in an attribute that scripts read, which might be a list
	FormRefresh                   // in meta refresh, without quotes
	FormRefreshDouble             // in meta refresh, in double quotes
	FormRefreshSingle             // in meta refresh, in single quotes
	FormLink                      // in the header Link, between "<" and ">"
	FormJSON                      // in a JSON string
	FormSpecifier                 // in a JSON string that is a module specifier in an import map
	FormPattern                   // in a JSON string that is a URL pattern
	FormScript                    // in a literal of JavaScript, in quotes of any kind
	FormCSSURL                    // in url(), without quotes
	FormCSSDouble                 // a CSS string in double quotes
	FormCSSSingle                 // a CSS string in single quotes
)

// A formRow says how references are written in a form.
type formRow struct {
	// In a form without escapes: the bytes that a reference cannot hold anywhere, at
	// either of its ends, and as its first byte.
	never, atEnds, first string

	// In a form with escapes: how a reference is read and written. spaces is as in
	// Form.Append.
	decode func(dst, text []byte) []byte
	encode func(dst, url []byte, spaces bool) []byte

	// escape appends the escape of a character, in a form with escapes.
	escape func(dst []byte, c byte) []byte
}

const whiteSpace = " \t\n\f\r"

var forms = [...]formRow{
	FormPlain:         {},
	FormListed:        {never: whiteSpace},
	FormCandidate:     {never: whiteSpace, atEnds: ","},
	FormComma:         {never: ",", atEnds: whiteSpace},
	FormSemicolon:     {never: ";", atEnds: whiteSpace},
	FormLazy:          {never: whiteSpace + "|", atEnds: ","},
	FormRefresh:       {atEnds: whiteSpace, first: `"'`},
	FormRefreshDouble: {never: `"`},
	FormRefreshSingle: {never: "'"},
	FormLink:          {never: ">"},
	FormJSON:          literalForm(`\`),
	FormSpecifier:     literalForm(`\`),
	FormPattern:       literalForm(`\`),
	FormScript:        literalForm(`$\`), // so that no URL begins a substitution
	FormCSSURL:        cssForm(FormCSSURL),
	FormCSSDouble:     cssForm(FormCSSDouble),
	FormCSSSingle:     cssForm(FormCSSSingle),
}

// AppendDecoded appends the reference that a text in the form stands for.
func (f Form) AppendDecoded(dst, text []byte) []byte {
	if decode := forms[f].decode; decode != nil {
		return decode(dst, text)
	}
	return append(dst, text...)
}

// Append appends an absolute URL in the form, so that it reads back as the same URL. In a
// form without escapes, bytes that cannot stand in it are percent-encoded. In a form with
// escapes, what is appended has no quote, no backquote, no "<" and no ">"; spaces says that
// it may have white space.
func (f Form) Append(dst, url []byte, spaces bool) []byte {
	row := &forms[f]
	switch {
	case f.isHeld(url):
		return append(dst, url...)
	case row.encode != nil:
		return row.encode(dst, url, spaces)
	}
	for i, c := range url {
		if row.holds(c, i == 0, i == len(url)-1) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', ascii.HexDigits[c>>4], ascii.HexDigits[c&15])
		}
	}
	return dst
}

// AppendFront is Append for the front of a URL: what follows is not its end.
func (f Form) AppendFront(dst, front []byte, spaces bool) []byte {
	const rest = "x"
	dst = f.Append(dst, append(slices.Clip(front), rest...), spaces)
	return dst[:len(dst)-len(rest)]
}

// IsCSS reports whether the form is one of CSS.
func (f Form) IsCSS() bool { return f == FormCSSURL || f == FormCSSDouble || f == FormCSSSingle }

// HasUTF8Query reports whether the query of a reference in the form is UTF-8 whatever the
// encoding of the document: in CSS (CSS Values 4 §4.5), import maps, speculation rules and
// modules, which the HTML Standard resolves without an encoding (§8.1.6.2, §7.6.1).
func (f Form) HasUTF8Query() bool {
	return f.IsCSS() || f == FormJSON || f == FormSpecifier || f == FormScript
}

// HidesNewline reports whether a text in the form has a newline that stands for nothing:
// one that is escaped, in a string of CSS.
func (f Form) HidesNewline(text []byte) bool {
	if !f.IsCSS() {
		return false
	}
	for i := bytes.IndexByte(text, '\\'); i >= 0 && i+1 < len(text); i = ascii.NextByte(text, i+1, '\\') {
		if ascii.IsNewline(text[i+1]) {
			return true
		}
	}
	return false
}

// Front returns the length of the front of a reference, given its text in the form: of what
// comes before the first quote, backquote, "<" or ">", and before the backslash that escapes
// it, if any. Where there is none, the front is the whole text.
func (f Form) Front(text []byte) int {
	n := 0
	for n < len(text) && !ascii.IsStructure(text[n]) {
		n++
	}
	return f.Before(text, n)
}

// Before returns n, or the index of the backslash that escapes the byte at n of a text in the
// form.
func (f Form) Before(text []byte, n int) int {
	if n == len(text) || forms[f].decode == nil {
		return n
	}
	before := bytes.TrimRight(text[:n], `\`)
	return n - (n-len(before))%2
}

// EscapeLast replaces the last byte of dst, which stands for itself, by its escape. It
// changes nothing in a form without escapes.
func (f Form) EscapeLast(dst []byte) []byte {
	escape := forms[f].escape
	if escape == nil {
		return dst
	}
	last := len(dst) - 1
	return escape(dst[:last], dst[last])
}

// holds reports whether the byte c of a URL can stand in a form without escapes. first
// and last say whether c is the first or the last byte of the URL.
func (r *formRow) holds(c byte, first, last bool) bool {
	return !has(r.never, c) && !((first || last) && has(r.atEnds, c)) && !(first && has(r.first, c))
}

// has is strings.IndexByte, faster for the few bytes that s has.
func has(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}

// For each byte, unheld has the forms in which the byte is not always written as it is,
// as bits. unheldAtEnds has the forms in which this is so at an end of the URL.
var unheld, unheldAtEnds = func() (always, atEnds [256]uint32) {
	var written []byte
	b := []byte{0}
	for c := range 256 {
		b[0] = byte(c)
		for f, row := range forms {
			atEnd := !row.holds(byte(c), true, true)
			anywhere := has(row.never, byte(c))
			if row.encode != nil {
				written = row.encode(written[:0], b, false)
				anywhere = c >= utf8.RuneSelf || !bytes.Equal(written, b)
			}
			if anywhere {
				always[c] |= 1 << f
			}
			if atEnd {
				atEnds[c] |= 1 << f
			}
		}
	}
	return always, atEnds
}()

// isHeld reports whether a URL is surely written as it is in the form.
func (f Form) isHeld(url []byte) bool {
	if len(url) == 0 {
		return true
	}
	bits := unheldAtEnds[url[0]] | unheldAtEnds[url[len(url)-1]]
	for _, c := range url {
		bits |= unheld[c]
	}
	return bits>>f&1 == 0
}

// IsHeldByAll reports whether every part of a URL is written as it is in every form.
func IsHeldByAll(url string) bool {
	bits := uint32(0)
	for i := range len(url) {
		bits |= unheld[url[i]] | unheldAtEnds[url[i]]
	}
	return bits == 0
}

func cssForm(f Form) formRow {
	return formRow{
		decode: appendCSSDecoded,
		encode: func(dst, url []byte, spaces bool) []byte { return appendCSS(dst, url, f, spaces) },
		escape: ascii.AppendCSSEscape,
	}
}
