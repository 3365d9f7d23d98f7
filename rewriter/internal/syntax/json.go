package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
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

	// ErrRepeated is of an import map. In JSON the last of two members counts, in the place of the first: which of two
	// that become the same absolute URL would count might change.
	ErrRepeated = errors.New("a URL is there twice in the import map, which stays as it is")
)

func checkJSON(text []byte) error {
	if !holdsJSON(text) {
		return ErrNotJSON
	}
	return nil
}

// checkImportMap refuses an import map with a URL that stands for a module more than
// once, too.
func checkImportMap(text []byte) error {
	if err := checkJSON(text); err != nil {
		return err
	}
	if readImportMap(nil, text).repeated {
		return ErrRepeated
	}
	return nil
}

// holdsJSON reports whether a text is JSON in which references can be replaced.
// Where there is "<!--" in it, what ends the script depends on all that follows.
func holdsJSON(text []byte) bool {
	return json.Valid(text) && !bytes.Contains(text, []byte("<!--"))
}

// importMapReferences appends the references in an import map, which is valid
// JSON (HTML Standard §8.1.5.5): the prefixes of scopes, and among specifiers
// and addresses those that are URLs. Others name modules.
func importMapReferences(dst []Reference, text []byte) []Reference {
	return readImportMap(dst, text).refs
}

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

// specifiers reads an object whose names are module specifiers.
func (r *jsonReader) specifiers(value func()) {
	seen := make(map[string]bool)
	r.members(func(specifier string) {
		if isModuleURL([]byte(specifier)) {
			r.key(seen, specifier, FormSpecifier)
		}
		value()
	})
}

// key appends the name that was read last, a URL.
func (r *jsonReader) key(seen map[string]bool, name string, f Form) {
	r.repeated = r.repeated || seen[name]
	seen[name] = true
	r.reference(f)
}

func EndsInSlash(s []byte) bool { return bytes.HasSuffix(s, []byte("/")) }

// address reads what a module specifier stands for.
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

// IsAbsoluteURL reports whether a reference is absolute to any standard.
func IsAbsoluteURL(s []byte) bool {
	scheme, rest, ok := bytes.Cut(s, []byte(":"))
	if !ok || len(scheme) == 0 || !ascii.IsLetter(scheme[0]) {
		return false
	}
	for _, c := range scheme {
		if !ascii.IsAlnum(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return !ascii.IsSpecial(scheme) || bytes.HasPrefix(rest, []byte("//"))
}

// speculationReferences appends the references in speculation rules, which are
// valid JSON, and the URL patterns (HTML Standard §7.6.1.2).
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

// predicate reads which links of the document a rule is for.
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
	token      json.Token // that was read last
	start, end int        // of what is in it, if it is a string
	refs       []Reference
	repeated   bool // a URL is the name of two members of an object
	err        error
}

func newJSONReader(dst []Reference, text []byte) *jsonReader {
	r := &jsonReader{text: text, in: json.NewDecoder(bytes.NewReader(text)), refs: dst}
	r.in.UseNumber() // of any size
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

// members calls member after each name in the object that follows, to read the
// value. What is no object is skipped.
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

// elements calls element to read each in the array that follows. What is no
// array is skipped.
func (r *jsonReader) elements(element func()) {
	if r.next() != json.Delim('[') {
		r.skipRest()
		return
	}
	r.rest(element)
}

// rest calls read for each in the object or array that the last token began.
func (r *jsonReader) rest(read func()) {
	for r.err == nil && r.in.More() {
		read()
	}
	r.next()
}

// skip goes past a value.
func (r *jsonReader) skip() {
	r.next()
	r.skipRest()
}

// skipRest goes past the rest of the value that the last token began.
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

// string reads a value, which is a reference if it is a string.
func (r *jsonReader) string(f Form) {
	r.next()
	r.stringRest(f)
}

// stringRest does so where the first token has been read.
func (r *jsonReader) stringRest(f Form) {
	if _, ok := r.token.(string); ok {
		r.reference(f)
	} else {
		r.skipRest()
	}
}

// reference appends the string that was read last.
func (r *jsonReader) reference(f Form) {
	r.refs = append(r.refs, newReference(r.start, r.end, f))
}

// appendJSONDecoded appends what the content of a string stands for (RFC 8259 §7).
func appendJSONDecoded(dst, raw []byte) []byte {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] == 'u':
			c, n := jsonEscape(raw[i:])
			dst = utf8.AppendRune(dst, c)
			i += n - 1
		case c == '\\':
			i++
			if n := strings.IndexByte("bfnrt", raw[i]); n >= 0 {
				dst = append(dst, "\b\f\n\r\t"[n])
			} else {
				dst = append(dst, raw[i])
			}
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// jsonEscape returns what the \u at the start of raw, or two of them, stand for,
// and their length. Half of a pair is U+FFFD.
func jsonEscape(raw []byte) (c rune, n int) {
	c, n = jsonHex(raw), len(`\u0000`)
	if !utf16.IsSurrogate(c) {
		return c, n
	}
	if rest := raw[n:]; len(rest) >= n && rest[0] == '\\' && rest[1] == 'u' {
		if pair := utf16.DecodeRune(c, jsonHex(rest)); pair != utf8.RuneError {
			return pair, 2 * n
		}
	}
	return utf8.RuneError, n
}

func jsonHex(raw []byte) (c rune) {
	for _, d := range raw[len(`\u`):len(`\u0000`)] {
		c = c<<4 | ascii.Digit(d)
	}
	return c
}

// appendJSON appends a URL as it stands in a string, where "<" and ">" are escapes
// too: what is written ends no script or comment. So are characters beyond ASCII,
// except marks and what is not UTF-8.
func appendJSON(dst, url []byte) []byte {
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
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case ' ' <= c && c < utf8.RuneSelf && c != '<' && c != '>':
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
