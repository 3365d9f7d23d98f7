package rewriter

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"
)

// maxEntity is the length of the longest character reference by name,
// &CounterClockwiseContourIntegral;, and then some.
const maxEntity = 40

// appendDecoded appends the value that a browser reads from the raw bytes of
// an attribute value: newlines normalized, NUL replaced, and character
// references decoded by the rules for attributes (HTML Standard §13.2.5.72 to
// §13.2.5.80). The bytes from 0x80 on are read by cs.
func appendDecoded(dst, raw []byte, cs *charset) []byte {
	for i := 0; i < len(raw); {
		if n := plainLen(raw[i:]); n > 0 {
			dst = append(dst, raw[i:i+n]...)
			i += n
			continue
		}
		switch c := raw[i]; c {
		case '&':
			n := 0
			if dst, n = appendReference(dst, raw[i:]); n > 0 {
				i += n
				continue
			}
			dst = append(dst, '&')
		case 0:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case '\r':
			dst = append(dst, '\n')
			if i+1 < len(raw) && raw[i+1] == '\n' {
				i++
			}
		default:
			n := 1
			if c >= utf8.RuneSelf {
				dst, n = cs.next(dst, raw[i:])
			} else {
				dst = append(dst, c)
			}
			i += n
			continue
		}
		i++
	}
	return dst
}

// The bytes from 0x80 on in a document are in its own encoding; what character
// references and an outer base bring is UTF-8. So that the two are told apart
// when a URL is written, the bytes of the document, with all that belong to a
// character, are marked on their way through the resolver: byte b is the
// surrogate U+DC00+b, which no UTF-8 has.

// appendMark appends the mark of a byte.
func appendMark(dst []byte, b byte) []byte {
	return append(dst, 0xed, 0xb0|b>>6, 0x80|b&0x3f)
}

// marked returns the byte that a mark at the start of s stands for.
func marked[T string | []byte](s T) (c byte, ok bool) {
	if len(s) < 3 || s[0] != 0xed || s[1]&^3 != 0xb0 || s[2]&^0x3f != 0x80 {
		return 0, false
	}
	return s[1]<<6 | s[2]&0x3f, true
}

// appendUnmarked appends s with the bytes that marks stand for in their place.
func appendUnmarked[T string | []byte](dst []byte, s T) []byte {
	if classOf(s)&nonASCII == 0 {
		return append(dst, s...)
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if b, ok := marked(s[i:]); ok {
			c = b
			i += 2
		}
		dst = append(dst, c)
	}
	return dst
}

// appendOutside appends text that is not from the document, in which what is not
// UTF-8 is percent-encoded: no byte in it is part of a mark, or of a character of
// the document's encoding with the byte that follows.
func appendOutside(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, '%', hexDigits[s[i]>>4], hexDigits[s[i]&15])
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// appendReference appends what the character reference at the start of raw
// stands for and returns its length, 0 if it is none.
func appendReference(dst, raw []byte) ([]byte, int) {
	if len(raw) > 1 && raw[1] == '#' {
		return appendNumeric(dst, raw)
	}
	n := 1
	for n < len(raw) && n < maxEntity && isAlnum(raw[n]) {
		n++
	}
	// Where the longest name in the table that begins here is not all of the
	// letters and digits that follow, the next is one of them and the whole
	// stays literal. So there is one candidate, with or without semicolon.
	semicolon := n < len(raw) && raw[n] == ';'
	switch {
	case semicolon:
		n++
	case n < len(raw) && (raw[n] == '=' || isAlnum(raw[n])):
		return dst, 0
	}
	if string(raw[:n]) == "&amp;" || string(raw[:n]) == "&amp" {
		return append(dst, '&'), n
	}
	s := references.named(raw[:n])
	switch {
	case s == "":
		return dst, 0
	case semicolon && s[len(s)-1] == ';' && string(raw[:n]) != "&semi;":
		return dst, 0 // a shorter name was decoded
	case !semicolon && utf8.RuneCountInString(s) > 1:
		return dst, 0
	}
	return append(dst, s...), n
}

// references remembers what package html made of references by name, for it
// has no way to ask that does not allocate.
var references referenceCache

// maxReferences is about how many names there are. What follows a name without
// semicolon makes more of them, which need not be remembered.
const maxReferences = 4096

type referenceCache struct {
	sync.RWMutex
	decoded map[string]string
}

// named returns what package html decodes a reference to, "" where it leaves it
// as it is.
func (c *referenceCache) named(reference []byte) string {
	c.RLock()
	s, ok := c.decoded[string(reference)]
	c.RUnlock()
	if ok {
		return s
	}
	name := string(reference)
	if s = html.UnescapeString(name); s == name {
		return ""
	}
	c.Lock()
	defer c.Unlock()
	if c.decoded == nil {
		c.decoded = make(map[string]string)
	}
	if len(c.decoded) < maxReferences {
		c.decoded[name] = s
	}
	return s
}

func appendNumeric(dst, raw []byte) ([]byte, int) {
	i, base := len("&#"), rune(10)
	if i < len(raw) && lower(raw[i]) == 'x' {
		i, base = i+1, 16
	}
	start, r := i, rune(0)
	for ; i < len(raw); i++ {
		d := digit(raw[i])
		if d >= base {
			break
		}
		if r <= utf8.MaxRune {
			r = r*base + d
		}
	}
	if i == start {
		return dst, 0
	}
	if i < len(raw) && raw[i] == ';' {
		i++
	}
	switch {
	case 0x80 <= r && r < 0xa0:
		if c := charmap.Windows1252.DecodeByte(byte(r)); c != utf8.RuneError {
			r = c
		}
		dst = utf8.AppendRune(dst, r)
	case r == 0:
		dst = utf8.AppendRune(dst, utf8.RuneError)
	default:
		dst = utf8.AppendRune(dst, r) // U+FFFD for what is no character
	}
	return dst, i
}

func digit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= lower(c) && lower(c) <= 'f':
		return rune(lower(c)-'a') + 10
	}
	return 16
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'z'
}

const hexDigits = "0123456789ABCDEF"

// appendHexReference appends &#x…; for a character.
func appendHexReference(dst []byte, r rune) []byte {
	dst = append(dst, "&#x"...)
	shift := 20
	for shift > 0 && r>>shift == 0 {
		shift -= 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&15])
	}
	return append(dst, ';')
}

// appendValue appends what a raw value stands for. It returns the extended dst
// and that value, which is raw itself where that needs no decoding and trimURL
// does not change it.
func appendValue(dst, raw []byte, cs *charset) (_, value []byte) {
	if classOf(raw)&(ampersand|control|space|nonASCII) == 0 {
		return dst, raw
	}
	start := len(dst)
	dst = appendDecoded(dst, raw, cs)
	return dst, dst[start:]
}

// isDangling reports whether a decoded value is one that browsers fetch no URL
// from: once HTML has its white space trimmed, the URL parser removes a tab or
// newline from it, and it holds "<". (Fetch Standard, "potentially dangling
// markup", as Chromium has it.)
func isDangling(value []byte) bool {
	return bytes.IndexByte(value, '<') >= 0 && bytes.ContainsAny(bytes.Trim(value, " \t\n\f\r"), "\t\n\r")
}

// trimURL returns the URL in a decoded value as the URL parser sees it: it removes
// C0 controls and spaces from the ends, and tabs and newlines from anywhere (URL
// Standard §4.4). It returns part of value's memory, which it changes only where
// there is something to remove.
func trimURL(value []byte) []byte {
	if classOf(value)&(control|space) == 0 {
		return value
	}
	value = bytes.TrimFunc(value, func(r rune) bool { return r <= ' ' })
	end := 0
	for _, c := range value {
		if c != '\t' && c != '\n' && c != '\r' {
			value[end] = c
			end++
		}
	}
	return value[:end]
}

// What a byte in a value may be, as bits.
const (
	ampersand   = 1 << iota // "&"
	control                 // C0
	space                   // " "
	nonASCII                // 0x80 and on
	doubleQuote             // '"'
	singleQuote             // "'"
	angle                   // "<", ">"
	equals                  // "=", "`"
)

// valueClass has those bits for every byte; most have none.
var valueClass = func() (class [256]uint8) {
	for i := range class {
		switch c := byte(i); {
		case c == '&':
			class[i] = ampersand
		case c < ' ':
			class[i] = control
		case c == ' ':
			class[i] = space
		case c >= utf8.RuneSelf:
			class[i] = nonASCII
		case c == '"':
			class[i] = doubleQuote
		case c == '\'':
			class[i] = singleQuote
		case c == '<' || c == '>':
			class[i] = angle
		case c == '=' || c == '`':
			class[i] = equals
		}
	}
	return class
}()

// classOf returns the bits of all bytes together.
func classOf[T string | []byte](s T) (bits uint8) {
	for i := range len(s) {
		bits |= valueClass[s[i]]
	}
	return bits
}

// isASCII reports whether all bytes are below 0x80.
func isASCII(s []byte) bool {
	for len(s) >= 8 {
		if binary.NativeEndian.Uint64(s)&0x8080808080808080 != 0 {
			return false
		}
		s = s[8:]
	}
	return classOf(s)&nonASCII == 0
}

// plainLen returns how many of the bytes that a raw value begins with stand for
// themselves alone.
func plainLen(raw []byte) int {
	for i, c := range raw {
		if valueClass[c]&(ampersand|control|nonASCII) != 0 {
			return i
		}
	}
	return len(raw)
}

// appendEscaped appends a value so that it reads back as it is in a place
// quoted as q, with quotes of its own where there were none and it needs
// them, and with the "=" that a name without a value lacks. Marks are written
// as the bytes that they stand for, and other characters that are no ASCII as
// references, so that they read the same in any encoding.
func appendEscaped(dst, value []byte, q quoting) []byte {
	switch {
	case q == valueless:
		dst = append(dst, '=', '"')
		return append(appendQuoted(dst, value, '"'), '"')
	case q == unquoted && needsQuotes(value):
		dst = append(dst, '"')
		return append(appendQuoted(dst, value, '"'), '"')
	case q == decoded:
		return appendCharacters(dst, value)
	case q == singleQuoted:
		return appendQuoted(dst, value, '\'')
	}
	return appendQuoted(dst, value, '"')
}

// needsQuotes reports whether a value cannot stand, or had better not stand,
// without quotes.
func needsQuotes(value []byte) bool {
	return len(value) == 0 || classOf(value)&(control|space|doubleQuote|singleQuote|angle|equals) != 0 || endsInDashes(value)
}

// endsInDashes reports whether a ">" after a value would end a comment.
func endsInDashes(value []byte) bool {
	return bytes.HasSuffix(value, []byte("--")) || bytes.HasSuffix(value, []byte("--!"))
}

func appendQuoted(dst, value []byte, quote byte) []byte {
	for i := 0; i < len(value); {
		start := i
		for i < len(value) && valueClass[value[i]]&^(space|equals) == 0 {
			i++
		}
		dst = append(dst, value[start:i]...)
		if i == len(value) {
			break
		}
		c := value[i]
		if c >= utf8.RuneSelf {
			n := 0
			dst, n = appendNonASCII(dst, value[i:])
			i += n
			continue
		}
		switch {
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '<':
			dst = append(dst, "&lt;"...)
		case c == '>':
			dst = append(dst, "&gt;"...)
		case c == quote && c == '"':
			dst = append(dst, "&quot;"...)
		case c == quote:
			dst = append(dst, "&#39;"...)
		case c == 0:
			dst = append(dst, "&#xFFFD;"...)
		case c < ' ' && c != '\t' && c != '\n' && c != '\f': // with ESC begins an escape sequence of ISO-2022-JP
			dst = append(strconv.AppendUint(append(dst, "&#"...), uint64(c), 10), ';')
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// appendUnquoted appends text so that it reads back as it is in a value that has
// no quotes and gets none: what ends such a value, or a comment with the ">" after
// it, or is a quote to some browser, is a character reference.
func appendUnquoted(dst, text []byte) []byte {
	for len(text) > 0 {
		n := bytes.IndexAny(text, "\t\n\f \"'`")
		switch {
		case n < 0 && endsInDashes(text):
			n = len(text) - 1
		case n < 0:
			n = len(text)
		}
		dst = appendQuoted(dst, text[:n], '"')
		if text = text[n:]; len(text) > 0 {
			dst = append(strconv.AppendInt(append(dst, "&#"...), int64(text[0]), 10), ';')
			text = text[1:]
		}
	}
	return dst
}

// appendNonASCII appends what value begins with, a mark or a character, and
// returns its length. A C1 control, which no reference gives, is
// percent-encoded as the URL parser does it; what is no UTF-8 stays.
func appendNonASCII(dst, value []byte) ([]byte, int) {
	if b, ok := marked(value); ok {
		return append(dst, b), 3
	}
	r, n := utf8.DecodeRune(value)
	switch {
	case r == utf8.RuneError && n == 1:
		return append(dst, value[0]), 1
	case r < 0xa0:
		return append(dst, '%', 'C', '2', '%', "89"[r>>4&1], hexDigits[r&15]), n
	}
	return appendHexReference(dst, r), n
}

// appendText appends text so that it reads back as it is in raw text: marks as
// the bytes that they stand for, other characters that are no ASCII
// percent-encoded.
func appendText(dst, text []byte) []byte {
	if classOf(text)&nonASCII == 0 {
		return append(dst, text...)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if b, ok := marked(text[i:]); ok {
			c = b
			i += 2
		} else if c >= utf8.RuneSelf {
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}
