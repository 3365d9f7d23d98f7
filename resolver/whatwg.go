package resolver

import (
	"fmt"
	"strings"
)

var (
	errNotUTF8    = &urlFailure{"4.4 basic URL parser", "not UTF-8"}
	errNoScheme   = fmt.Errorf("%w: it has no scheme", ErrNotAbsolute)
	errOpaquePath = fmt.Errorf("%w: its path is opaque", ErrOpaqueBase)
)

// parseWHATWG parses the base and puts its serialization in its place.
func (b *Base) parseWHATWG() error {
	var p urlParser
	if err := p.parse([]byte(b.url)); err != nil {
		return err
	}
	b.url, b.spans = string(p.dst), p.spans
	b.special, b.file, b.opaque, b.port = p.special, p.file, p.opaque, p.port
	if !b.opaque {
		b.setDirWHATWG()
	}
	return nil
}

// setDirWHATWG sets dir and floor. The shorten algorithm never removes the drive letter
// of a file URL, so floor is behind it.
func (b *Base) setDirWHATWG() {
	path := b.url[b.netLoc:b.path]
	if !b.hasNetLoc() && strings.HasPrefix(path, "/.//") {
		path = path[len("/."):] // step 3 of the URL serializer
	}
	drive := ""
	if b.file && startsWithDrive([]byte(path[1:min(len(path), len("/C:/"))])) {
		drive = path[:len("/C:")]
	}
	dir := path[:strings.LastIndexByte(path, '/')+1]
	if len(dir) <= len(drive) { // the drive letter is the whole path, or there is no path
		dir = drive + "/"
	}
	b.floor = b.netLoc + len(drive) + len("/")
	if end := b.netLoc + len(dir); strings.HasPrefix(b.url[b.netLoc:], dir) {
		b.dir = b.url[:end]
	} else {
		b.dir = b.url[:b.netLoc] + dir
	}
}

// appendWHATWG resolves by the URL Standard.
func (b *Base) appendWHATWG(dst, ref []byte) ([]byte, error) {
	url, ok := b.appendCanonical(dst, ref)
	if ok {
		return url, nil
	}
	return b.appendURL(url[:len(dst)], ref)
}

// appendURL appends the absolute form of ref by the general parser.
func (b *Base) appendURL(dst, ref []byte) ([]byte, error) {
	p := urlParser{base: b, dst: dst}
	err := p.parse(ref)
	return p.dst, err
}

// isAbsoluteWHATWG follows the scheme state of the URL parser. A reference with the
// base's own scheme, if that is a special one, is absolute only if two slashes follow.
func (b *Base) isAbsoluteWHATWG(ref []byte) bool {
	end, ok := schemeWHATWG(ref)
	if !ok {
		return false
	}
	if !b.special {
		return true
	}
	base, i := b.url[:b.scheme-1], 0
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
func ignoredWHATWG(c byte) bool { return urlClass[c]&isIgnored != 0 }
