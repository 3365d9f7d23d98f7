package warc

import "bytes"

const recordMagic = "WARC/"

// A format is the format of an archive. It looks at bytes, and has no state. An archive
// whose format is unknown is taken for WARC.
type format uint8

const (
	unknown format = iota // until a record of either kind begins
	inWARC
	inARC
)

// begins reports whether b begins with a record.
func (f format) begins(b []byte) bool {
	if f == inARC {
		return beginsARC(b)
	}
	return bytes.HasPrefix(b, []byte(recordMagic))
}

// needsMore reports whether b is too short to show if it begins with a record: for ARC, a
// whole line shows that.
func (f format) needsMore(b []byte) bool {
	if f == inARC {
		return len(b) < maxArcHead && bytes.IndexByte(b, '\n') < 0
	}
	return len(b) < len(recordMagic)
}

// mayBegin reports whether a record may begin with b. The end of b may be missing.
func (f format) mayBegin(b []byte) bool {
	if f == inARC {
		return f.needsMore(b) || beginsARC(b)
	}
	n := min(len(b), len(recordMagic))
	return string(b[:n]) == recordMagic[:n]
}

// mayFollow reports whether b may stand after a record. The end of b may be missing.
func (f format) mayFollow(b []byte) bool {
	rest := bytes.TrimLeft(b, "\r\n")
	return len(rest) == 0 || bytes.IndexByte(b[:len(b)-len(rest)], '\n') >= 0 || f.mayBegin(rest)
}
