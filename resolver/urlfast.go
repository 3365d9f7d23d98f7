package resolver

// appendCanonical appends the absolute form of a reference that is written as the URL
// serializer would write it, and is one of the common kinds: a path, relative or with a
// slash, "?query", "#fragment", "//host" or an http or https URL. Its bytes go to dst as
// they are, except for dot segments. For any other reference ok is false, and the general
// parser, which has the same result for those, takes it.
func (b *Base) appendCanonical(dst, ref []byte) (_ []byte, ok bool) {
	host := absoluteHost(ref)
	switch {
	case host > 0:
		return appendFromHost(dst, ref, host)
	case !b.special || b.file:
		return dst, false
	case len(ref) == 0 || ref[0] == '#':
		return appendRest(append(dst, b.url[:b.query]...), ref, 0)
	case ref[0] == '?':
		return appendRest(append(dst, b.url[:b.path]...), ref, 0)
	case ref[0] != '/':
		i := indexSet(ref, 0, stopsSegment)
		if i < len(ref) && ref[i] == ':' { // it may end a scheme
			return dst, false
		}
		floor := len(dst) + b.floor
		return appendFromPath(append(dst, b.dir...), ref, 0, i, floor)
	case len(ref) > 1 && ref[1] == '/':
		return appendFromHost(append(dst, b.url[:b.scheme]...), ref, 2)
	}
	dst = append(dst, b.url[:b.netLoc+1]...)
	return appendFromPath(dst, ref, 1, 1, len(dst))
}

// absoluteHost returns where the host begins in an http or https URL, or 0.
func absoluteHost(ref []byte) int {
	const http, https = "http://", "https://"
	switch {
	case len(ref) >= len(https) && string(ref[:len(https)]) == https:
		return len(https)
	case len(ref) >= len(http) && string(ref[:len(http)]) == http:
		return len(http)
	}
	return 0
}

// appendFromHost appends a reference whose host begins at i.
func appendFromHost(dst, ref []byte, i int) ([]byte, bool) {
	end := indexSet(ref, i, stopsHost)
	if end == i || endsInNumber(ref[i:end]) {
		return dst, false
	}
	dst = append(dst, ref[:end]...)
	dst = append(dst, '/')
	if end == len(ref) || ref[end] == '?' || ref[end] == '#' {
		return appendRest(dst, ref, end)
	}
	if ref[end] != '/' {
		return dst, false
	}
	return appendFromPath(dst, ref, end+1, end+1, len(dst))
}

// appendFromPath appends ref[i:], which begins with a path, to a URL that ends in a slash.
// ref[i:next] is canonical, and has no slash.
func appendFromPath(dst, ref []byte, i, next, floor int) ([]byte, bool) {
	dots := i < len(ref) && ref[i] == '.'
	end := indexSet(ref, next, stopsPath)
	for ; end < len(ref); end = indexSet(ref, end+1, stopsPath) {
		if ref[end] == '.' {
			dots = dots || ref[end-1] == '/'
		} else if ref[end] != '%' || isEncodedDot(ref[end:]) {
			break
		}
	}
	rest := restEnd(ref, end)
	if dots {
		dst = appendPath(dst, ref[i:end], floor, false)
		i = end
	}
	return append(dst, ref[i:rest]...), rest == len(ref)
}

// appendRest appends ref[i:] if it is a query, a fragment, both or neither.
func appendRest(dst, ref []byte, i int) ([]byte, bool) {
	end := restEnd(ref, i)
	return append(dst, ref[i:end]...), end == len(ref)
}

// restEnd returns where the canonical query and fragment end that ref[i:] begins with.
func restEnd(ref []byte, i int) (end int) {
	end = i
	if end < len(ref) && ref[end] == '?' {
		end = indexSet(ref, end+1, encodeSpecialQuery)
	}
	if end < len(ref) && ref[end] == '#' {
		end = indexSet(ref, end+1, encodeFragment)
	}
	return end
}
