package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/mark"
)

// ImportMap is the syntax of an import map, and Speculation the syntax of speculation
// rules: both are JSON, in the text of a script.
var (
	ImportMap   = Syntax{Name: "importmap", Find: withoutOptions(importMapReferences), TextOf: "script", Check: checkImportMap}
	Speculation = Syntax{Name: "speculation", Find: withoutOptions(speculationReferences), TextOf: "script", Check: checkJSON}
)

var (
	// ErrNotJSON says that no reference in a text can be replaced.
	ErrNotJSON = errors.New("the text is not JSON, or there is <!-- in it; it stays as it is")

	// ErrRepeated says that an import map has two members whose names are the same URL.
	// Of two members with the same name the last counts, in the place of the first.
	// If a third member becomes the same absolute URL, rewriting might change which of
	// them counts.
	ErrRepeated = errors.New("a URL is there twice in the import map, which stays as it is")
)

// checkJSON reports whether a text is JSON in which references can be replaced. They cannot
// be if there is a "<!--": then the text after it decides where the script ends.
func checkJSON(text []byte) error {
	if !json.Valid(text) || bytes.Contains(text, []byte("<!--")) {
		return ErrNotJSON
	}
	return nil
}

// checkImportMap is checkJSON for an import map. It also refuses an import map in which
// a URL is the name of two members of an object.
func checkImportMap(text []byte) error {
	if err := checkJSON(text); err != nil {
		return err
	}
	if readImportMap(nil, text).repeated {
		return ErrRepeated
	}
	return nil
}

// importMapReferences appends the references in an import map (HTML Standard §8.1.5.5),
// which is valid JSON. They are the prefixes of scopes, and the specifiers and addresses
// that are URLs. Other specifiers are names of modules.
func importMapReferences(dst []Reference, text []byte) []Reference {
	return readImportMap(dst, text).refs
}

// readImportMap is importMapReferences, and returns the reader.
func readImportMap(dst []Reference, text []byte) *jsonReader {
	r := newJSONReader(dst, text)
	r.members(func(name string) {
		switch name {
		case "imports":
			r.specifiers(r.address)
		case "scopes":
			scopes := make(map[string]bool)
			r.members(func(scope string) {
				r.key(scopes, scope, FormJSON)
				r.specifiers(r.address)
			})
		case "integrity":
			r.specifiers(r.skip)
		default:
			r.skip()
		}
	})
	return r
}

// specifiers reads an object whose names are module specifiers. It calls value to read
// each value.
func (r *jsonReader) specifiers(value func()) {
	seen := make(map[string]bool)
	r.members(func(specifier string) {
		if isModuleURL([]byte(specifier)) {
			r.key(seen, specifier, FormSpecifier)
		}
		value()
	})
}

// key appends the name that was read last, which is a URL. seen has the names so far in
// the same object.
func (r *jsonReader) key(seen map[string]bool, name string, f Form) {
	r.repeated = r.repeated || seen[name]
	seen[name] = true
	r.reference(f)
}

// EndsInSlash reports whether s ends in a slash.
func EndsInSlash(s []byte) bool { return bytes.HasSuffix(s, []byte("/")) }

// address reads the address that a module specifier stands for.
func (r *jsonReader) address() {
	if address, ok := r.next().(string); !ok {
		r.skipRest()
	} else if isModuleURL([]byte(address)) {
		r.reference(FormJSON)
	}
}

// isModuleURL reports whether a module specifier is a URL ("resolve a URL-like
// module specifier").
func isModuleURL(s []byte) bool {
	return IsAbsoluteURL(s) || bytes.HasPrefix(s, []byte("/")) || bytes.HasPrefix(s, []byte("./")) || bytes.HasPrefix(s, []byte("../"))
}

// IsAbsoluteURL reports whether a reference is an absolute URL in every profile.
func IsAbsoluteURL(s []byte) bool {
	scheme, rest, ok := bytes.Cut(s, []byte(":"))
	return ok && ascii.IsScheme(scheme) && (!ascii.IsSpecial(scheme) || bytes.HasPrefix(rest, []byte("//")))
}

// speculationReferences appends the references and the URL patterns in speculation rules
// (HTML Standard §7.6.1.2), which are valid JSON.
func speculationReferences(dst []Reference, text []byte) []Reference {
	r := newJSONReader(dst, text)
	r.members(func(action string) {
		switch action {
		case "prefetch", "prerender", "prerender_until_script":
			r.elements(r.rule)
		default:
			r.skip()
		}
	})
	return r.refs
}

// rule reads a speculation rule.
func (r *jsonReader) rule() {
	r.members(func(name string) {
		switch name {
		case "urls":
			r.elements(func() { r.string(FormJSON) })
		case "where":
			r.predicate()
		default:
			r.skip()
		}
	})
}

// predicate reads the condition that says to which links a rule applies.
func (r *jsonReader) predicate() {
	r.members(func(name string) {
		switch name {
		case "and", "or":
			r.elements(r.predicate)
		case "not":
			r.predicate()
		case "href_matches":
			if r.next(); r.token == json.Delim('[') {
				r.rest(func() { r.string(FormPattern) })
			} else {
				r.stringRest(FormPattern)
			}
		default:
			r.skip()
		}
	})
}

// A jsonReader finds references in valid JSON.
type jsonReader struct {
	text       []byte
	in         *json.Decoder
	token      json.Token // the token that was read last
	start, end int        // of the content of token in text, if token is a string
	refs       []Reference
	repeated   bool // a URL is the name of two members of an object
	err        error
}

func newJSONReader(dst []Reference, text []byte) *jsonReader {
	r := &jsonReader{text: text, in: json.NewDecoder(bytes.NewReader(text)), refs: dst}
	r.in.UseNumber() // a number may be too large for a float64
	return r
}

// next reads a token.
func (r *jsonReader) next() json.Token {
	before := int(r.in.InputOffset())
	r.token, r.err = r.in.Token()
	if _, ok := r.token.(string); ok {
		r.start = before + bytes.IndexByte(r.text[before:], '"') + 1
		r.end = int(r.in.InputOffset()) - 1
	}
	return r.token
}

// members reads an object. After each name it calls member, which reads the value. A
// value that is not an object is skipped.
func (r *jsonReader) members(member func(name string)) {
	if r.next() != json.Delim('{') {
		r.skipRest()
		return
	}
	r.rest(func() {
		name, _ := r.next().(string)
		member(name)
	})
}

// elements reads an array. It calls element to read each element. A value that is not an
// array is skipped.
func (r *jsonReader) elements(element func()) {
	if r.next() != json.Delim('[') {
		r.skipRest()
		return
	}
	r.rest(element)
}

// rest reads the rest of the object or array that the last token began. It calls read
// for each member or element.
func (r *jsonReader) rest(read func()) {
	for r.err == nil && r.in.More() {
		read()
	}
	r.next()
}

// skip skips a value.
func (r *jsonReader) skip() {
	r.next()
	r.skipRest()
}

// skipRest skips the rest of the value that the last token began.
func (r *jsonReader) skipRest() {
	for depth := 0; r.err == nil; r.next() {
		switch r.token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return
		}
	}
}

// string reads a value. If it is a string, it is a reference.
func (r *jsonReader) string(f Form) {
	r.next()
	r.stringRest(f)
}

// stringRest is string for a value whose first token has been read.
func (r *jsonReader) stringRest(f Form) {
	if _, ok := r.token.(string); ok {
		r.reference(f)
	} else {
		r.skipRest()
	}
}

// reference appends the string that was read last as a reference.
func (r *jsonReader) reference(f Form) {
	ref := newReference(r.start, r.end, f)
	ref.Escaped = bytes.IndexByte(ref.Of(r.text), '\\') >= 0
	r.refs = append(r.refs, ref)
}

// literalForm returns the form of a string in JSON, or of a literal of JavaScript in quotes
// of any kind. A backslash stands before the characters in special.
func literalForm(special string) formRow {
	return formRow{
		decode: appendJSDecoded,
		encode: func(dst, url []byte, spaces bool) []byte { return appendLiteral(dst, url, spaces, special) },
		escape: func(dst []byte, c byte) []byte { return appendJSONEscape(dst, rune(c)) },
	}
}

// appendLiteral appends a URL as the content of a string in JSON, or of a literal. It writes
// quotes, backquotes, "<" and ">" as escapes of digits, and so characters beyond ASCII.
// spaces says that white space stands for itself. Marks, and bytes that are not UTF-8, are
// written as they are.
func appendLiteral(dst, url []byte, spaces bool, special string) []byte {
	for i := 0; i < len(url); {
		c, n := rune(url[i]), 1
		if _, ok := mark.Of(url[i:]); ok {
			dst = append(dst, url[i:i+3]...)
			i += 3
			continue
		}
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRune(url[i:])
		}
		switch {
		case c == utf8.RuneError && n == 1:
			dst = append(dst, url[i])
		case c < utf8.RuneSelf && has(special, byte(c)):
			dst = append(dst, '\\', byte(c))
		case ' ' < c && c < utf8.RuneSelf && !ascii.IsStructure(byte(c)), c == ' ' && spaces:
			dst = append(dst, byte(c))
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			dst = appendJSONEscape(appendJSONEscape(dst, high), low)
		default:
			dst = appendJSONEscape(dst, c)
		}
		i += n
	}
	return dst
}

func appendJSONEscape(dst []byte, c rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15])
}
