package resolver

import "bytes"

// append3986 resolves by RFC 3986 §5.2.2 to §5.3, strictly. A component is absent if
// its delimiter is. Dot segments are removed from the path of a reference, unless the
// reference has a scheme: it comes back as it is.
func (b *Base) append3986(dst, ref []byte) ([]byte, error) {
	r := split3986(ref)
	if r.scheme > 0 {
		return append(dst, ref...), nil
	}
	start := len(dst)
	dst = append(dst, b.url[:b.scheme]...)
	path := ref[r.netLoc:r.path]
	switch {
	case r.netLoc > 0:
		dst = append(dst, ref[:r.netLoc]...)
		if len(path) > 0 {
			dst = append(dst, '/')
			dst = appendPath(dst, path[1:], len(dst), false)
		}
		return append(dst, ref[r.path:]...), nil
	case len(path) == 0:
		dst = append(dst, b.url[b.scheme:b.path]...)
		if r.query == r.path {
			dst = append(dst, b.url[b.path:b.query]...)
		}
	case path[0] == '/':
		dst = append(dst, b.url[b.scheme:b.netLoc]...)
		dst = append(dst, '/')
		dst = appendPath(dst, path[1:], len(dst), false)
	case b.floor > 0:
		dst = append(dst, b.dir[b.scheme:]...)
		dst = appendPath(dst, path, start+b.floor, false)
	default:
		dst = append(dst, b.dir[b.scheme:]...)
		dst = removeDotSegments(append(dst, path...), start+b.scheme)
	}
	dst = append(dst, ref[r.path:]...)
	return dst, b.checkPath(dst[start+b.scheme:])
}

// removeDotSegments removes the dot segments of dst[start:], a path that does not
// begin with a slash, in place (RFC 3986 §5.2.4). Paths that begin with a slash are
// for appendPath.
func removeDotSegments(dst []byte, start int) []byte {
	in := dst[start:]
	out := dst[:start] // ends where in begins, or before
	for len(in) > 0 {
		switch {
		case bytes.HasPrefix(in, []byte("../")): // A
			in = in[3:]
		case bytes.HasPrefix(in, []byte("./")):
			in = in[2:]
		case bytes.HasPrefix(in, []byte("/./")): // B
			in = in[2:]
		case equal(in, "/."):
			in = in[:1]
		case bytes.HasPrefix(in, []byte("/../")): // C
			in = in[3:]
			out = out[:start+max(0, bytes.LastIndexByte(out[start:], '/'))]
		case equal(in, "/.."):
			in = in[:1]
			out = out[:start+max(0, bytes.LastIndexByte(out[start:], '/'))]
		case equal(in, "."), equal(in, ".."): // D
			in = nil
		default: // E
			n := bytes.IndexByte(in[1:], '/') + 1
			if n == 0 {
				n = len(in)
			}
			out = append(out, in[:n]...)
			in = in[n:]
		}
	}
	return out
}

// equal compares the lengths first. Under the race detector, string(b) reads all of
// b, and removeDotSegments would take quadratic time.
func equal(b []byte, s string) bool {
	return len(b) == len(s) && string(b) == s
}
