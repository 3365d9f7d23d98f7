package resolver

import (
	"bytes"
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
	if _, ok := schemeWHATWG(ref); !ok || !b.special {
		return ok
	}
	var buffer [len("https://")]byte
	start := buffer[:0]
	for i := 0; i < len(ref) && len(start) < len(buffer); i++ {
		if c := ref[i]; !ignoredWHATWG(c) && (len(start) > 0 || c > ' ') {
			start = append(start, lower(c))
		}
	}
	rest, same := bytes.CutPrefix(start, []byte(b.url[:b.scheme]))
	return !same || len(rest) > 1 && isSlash(rest[0]) && isSlash(rest[1])
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
