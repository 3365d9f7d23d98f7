package resolver

import "bytes"

func (p *urlParser) pathStartState(in []byte) error {
	if p.startsWithSlash(in) {
		return p.pathState(in[1:])
	}
	if p.special {
		return p.pathState(in)
	}
	return p.queryState(in)
}

// pathState is the path state for a URL that has no segment yet.
func (p *urlParser) pathState(in []byte) error {
	p.dst = append(p.dst, '/')
	p.floor = len(p.dst)
	return p.segments(in)
}

// segments is the path state. The path so far is in dst, and ends in a slash, behind which
// the next segment goes. dst[floor:] is complete segments, each with its slash.
func (p *urlParser) segments(in []byte) error {
	const state = "4.4 path state"
	ends, text := p.segmentEnd(), "the path is the reference's"
	if len(in) == 0 || in[0] == '?' || in[0] == '#' {
		text = "the path is empty: it is a slash"
	}
	for {
		n := indexSet(in, 0, ends)
		segment := in[:n]
		in = in[n:]
		slash := p.startsWithSlash(in)
		n = dots(segment)
		if n > 0 {
			text = "segments are appended, and dot segments removed"
		}
		switch n {
		case 0:
			p.segment(segment)
			if slash {
				p.dst = append(p.dst, '/')
			}
		case 2: // shorten the path
			if len(p.dst) > p.floor {
				p.dst = p.dst[:p.floor+bytes.LastIndexByte(p.dst[p.floor:len(p.dst)-1], '/')+1]
			}
		}
		if !slash {
			break
		}
		in = in[1:]
		if p.file {
			p.keepDrive()
		}
	}
	p.step(state, text)
	p.endPath()
	return p.queryState(in)
}

// segment appends a segment. In a file URL, a drive letter that is the first segment
// gets a colon.
func (p *urlParser) segment(in []byte) {
	first := p.file && p.atRoot()
	p.dst = appendEncoded(p.dst, in, encodePath)
	if first && isDrive(in) {
		p.dst[len(p.dst)-1] = ':'
	}
}

// atRoot reports whether the path has no segment.
func (p *urlParser) atRoot() bool { return len(p.dst) == p.start+p.netLoc+1 }

// endPath puts "/." before a path that would otherwise be taken for an authority: step 3
// of the URL serializer.
func (p *urlParser) endPath() {
	path := p.start + p.netLoc
	if p.netLoc == p.scheme && bytes.HasPrefix(p.dst[path:], []byte("//")) {
		p.dst = append(p.dst, 0, 0)
		copy(p.dst[path+2:], p.dst[path:])
		copy(p.dst[path:], "/.")
		p.step("4.5 URL serializer", "the path begins with //: /. goes before it, so that it is not taken for an authority")
	}
}

// dots returns how many dots a segment is: 1 or 2 for a dot segment, where each may be
// %2e. For any other segment it returns 0.
func dots(segment []byte) int {
	n := 0
	for len(segment) > 0 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case isEncodedDot(segment):
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// isEncodedDot reports whether s begins with a percent-encoded dot.
func isEncodedDot(s []byte) bool {
	return len(s) >= 3 && s[0] == '%' && s[1] == '2' && s[2]|0x20 == 'e'
}

// opaquePathState is the opaque path state. Its last space is percent-encoded if a query
// or a fragment follows.
func (p *urlParser) opaquePathState(in []byte) error {
	p.opaque = true
	end := indexSet(in, 0, endsPath)
	path := in[:end]
	spaced := end > 0 && end < len(in) && path[end-1] == ' '
	if spaced {
		path = path[:end-1]
	}
	p.dst = appendEncoded(p.dst, path, encodeC0)
	if spaced {
		p.dst = append(p.dst, "%20"...)
	}
	p.step("4.4 opaque path state", "no slash follows: the path is opaque, not a hierarchy")
	return p.queryState(in[end:])
}

// queryState is the query state and the fragment state, for what follows the path.
func (p *urlParser) queryState(in []byte) error {
	p.path = len(p.dst) - p.start
	p.params = p.path
	if len(in) > 0 && in[0] == '?' {
		set := encodeQuery
		if p.special {
			set = encodeSpecialQuery
		}
		end := bytes.IndexByte(in, '#')
		if end < 0 {
			end = len(in)
		}
		p.dst = append(p.dst, '?')
		p.dst = appendEncoded(p.dst, in[1:end], set)
		in = in[end:]
		p.step("4.4 query state", "the query is the reference's")
	}
	p.query = len(p.dst) - p.start
	if len(in) > 0 {
		p.dst = append(p.dst, '#')
		p.dst = appendEncoded(p.dst, in[1:], encodeFragment)
		p.step("4.4 fragment state", "the fragment is the reference's")
	}
	return nil
}
