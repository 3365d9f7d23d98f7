package resolver

import (
	"fmt"
	"strings"
	"unicode/utf8"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// maxWHATWG is the length, in bytes, of the longest URL that the WHATWG profile
// parses. The library takes quadratic time for credentials, hosts and paths: 0.1 to
// 0.3 seconds at this length.
const maxWHATWG = 8 << 10

func (b *Base) parseWHATWG() error {
	if err := checkWHATWG(b.url); err != nil {
		return err
	}
	u, err := whatwg.Parse(b.url)
	if err != nil {
		if _, ok := schemeWHATWG(b.url); !ok {
			return fmt.Errorf("%w: it has no scheme", ErrNotAbsolute)
		}
		return invalidWHATWG(err)
	}
	u.SearchParams() // otherwise made by the first Parse on u, which would be a data race
	b.parsed, b.url = u, u.Href(false)
	return nil
}

func (b *Base) appendWHATWG(dst, ref []byte) ([]byte, error) {
	s := string(ref)
	if err := checkWHATWG(s); err != nil {
		return dst, err
	}
	u, err := b.parsed.Parse(s)
	if err != nil {
		if _, ok := schemeWHATWG(ref); !ok && b.parsed.OpaquePath() {
			return dst, fmt.Errorf("%w: its path is opaque", ErrOpaqueBase)
		}
		return dst, invalidWHATWG(err)
	}
	return append(dst, u.Href(false)...), nil
}

// checkWHATWG refuses a URL that is too long, or not UTF-8: the library would read
// U+FFFD in place of its other bytes.
func checkWHATWG(s string) error {
	if len(s) > maxWHATWG {
		return fmt.Errorf("%w: %d bytes long, more than the %d that the whatwg profile takes", ErrInvalid, len(s), maxWHATWG)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("%w: not UTF-8", ErrInvalid)
	}
	return nil
}

// invalidWHATWG keeps only the kind of the library's error. The library's text
// repeats the whole URL, with any bytes that are in it.
func invalidWHATWG(err error) error {
	kind := string(whatwgerrors.Type(err))
	if kind == "" {
		return ErrInvalid
	}
	return fmt.Errorf("%w: %s", ErrInvalid, strings.ToLower(kind[:1])+kind[1:])
}

// isAbsoluteWHATWG follows the scheme state of the URL parser. A reference with the
// base's own scheme, if that is a special one, is absolute only if two slashes follow.
func (b *Base) isAbsoluteWHATWG(ref []byte) bool {
	end, ok := schemeWHATWG(ref)
	if !ok {
		return false
	}
	if !b.parsed.IsSpecialScheme() {
		return true
	}
	base, i := b.parsed.Scheme(), 0
	for _, c := range ref[:end] {
		if ignoredWHATWG(c) || i == 0 && c <= ' ' {
			continue
		}
		if i == len(base) || c|0x20 != base[i] {
			return true
		}
		i++
	}
	if i < len(base) {
		return true
	}
	slashes := 0
	for _, c := range ref[end+1:] {
		switch {
		case ignoredWHATWG(c):
		case c != '/' && c != '\\':
			return false
		default:
			if slashes++; slashes == 2 {
				return true
			}
		}
	}
	return false
}

// schemeWHATWG returns the index of the colon after the scheme of s. As in the URL
// parser, C0 controls and spaces may stand before the scheme, and tabs and newlines
// anywhere.
func schemeWHATWG[T string | []byte](s T) (colon int, ok bool) {
	begun := false
	for i := range len(s) {
		switch c := s[i]; {
		case ignoredWHATWG(c), !begun && c <= ' ':
		case !begun && !isAlpha(c):
			return 0, false
		case c == ':':
			return i, true
		case class[c]&inScheme == 0:
			return 0, false
		default:
			begun = true
		}
	}
	return 0, false
}

// ignoredWHATWG reports whether the URL parser drops a byte wherever it stands.
func ignoredWHATWG(c byte) bool { return strings.IndexByte("\t\n\r", c) >= 0 }
