package resolver

import "bytes"

// append1808 resolves by RFC 1808 §4. An empty component counts as absent. Its
// delimiter stays, unless the base's component is inherited in its place.
func (b *Base) append1808(dst, ref []byte) ([]byte, error) {
	if len(ref) == 0 {
		return append(dst, b.url...), nil // 2a
	}
	if ref[0] == '/' && b.hasNetLoc() && !hasNetLoc(ref, 0) { // 2c, 4: whatever follows the slash
		return append(append(dst, b.url[:b.netLoc]...), ref...), nil
	}
	word := skipTo(ref, 0, inScheme)
	scheme, netLoc, end := splitPath1808(ref, word)
	if scheme > 0 {
		return append(dst, ref...), nil // 2b
	}
	path := ref[netLoc:end]
	if len(path) > 0 && path[0] != '/' { // 2c, 6: no net_loc comes before such a path
		start := len(dst)
		dst = append(dst, b.dir...)
		if word == end && path[0] != '.' { // without a slash, there is no dot segment
			dst = append(dst, ref...)
		} else {
			dst = appendPath(dst, path, start+b.floor, true)
			dst = append(dst, ref[end:]...)
		}
		return dst, b.checkPath(dst[start+b.scheme:])
	}
	dst = append(dst, b.url[:b.scheme]...) // 2c
	if netLoc > len("//") {
		return append(dst, ref...), nil // 3, 7
	}
	if b.hasNetLoc() {
		dst = append(dst, b.url[b.scheme:b.netLoc]...)
	} else if netLoc > 0 {
		dst = append(dst, "//"...)
	} else if err := b.checkPath(path); err != nil {
		return dst, err
	}
	if len(path) == 0 { // 5
		return b.inherit1808(dst, ref), nil
	}
	return append(dst, ref[netLoc:]...), nil // 4
}

// checkPath refuses a path that begins with two slashes if no net_loc stands before
// it.
func (b *Base) checkPath(path []byte) error {
	if !b.hasNetLoc() && bytes.HasPrefix(path, []byte("//")) {
		return b.errPath()
	}
	return nil
}

// inherit1808 takes step 5: the path comes from the base. So do params and query, up
// to the first component that the reference has itself.
func (b *Base) inherit1808(dst, ref []byte) []byte {
	path := b.url[b.netLoc:b.path]
	r := split1808(ref)
	params, query := ref[r.path:r.params], ref[r.params:r.query]
	dst = append(dst, path...)
	rest := len(dst)
	if len(params) > len(";") { // 5a
		dst = append(dst, ref[r.path:r.query]...)
	} else {
		dst = appendInherited(dst, b.url[b.path:b.params], params)
		if len(query) > len("?") { // 5b
			dst = append(dst, query...)
		} else {
			dst = appendInherited(dst, b.url[b.params:b.query], query)
		}
	}
	if len(path) == 0 && len(dst) > rest && b.hasNetLoc() {
		// Without a slash, params and query would become part of the net_loc.
		dst = append(dst, 0)
		copy(dst[rest+1:], dst[rest:])
		dst[rest] = '/'
	}
	return append(dst, ref[r.query:]...)
}

// appendInherited appends the base's component, or the reference's own if the base
// has none.
func appendInherited(dst []byte, inherited string, own []byte) []byte {
	if inherited != "" {
		return append(dst, inherited...)
	}
	return append(dst, own...)
}
