package feed

import (
	"encoding/binary"
	"sort"

	"absolink/internal/passage"
)

// A piece says how a part of a document is written in the feed.
type piece struct {
	at, pos   int64 // where it begins in the document, and in the feed
	html, raw int64 // how long it is there
	nature
}

// A nature is how a piece is written in the feed.
type nature uint8

const (
	// The bytes of the piece are the feed's own bytes:
	asText   nature = iota // character data
	asCDATA                // in a CDATA section
	asMarkup               // markup that HTML and XML read alike
	asString               // in a string of JSON
	asSealed               // in a CDATA section, where no new text can be written

	// The piece is one thing in the feed, and other bytes in HTML:
	character // a reference in character data
	escape    // in a string of JSON
	other     // anything for which HTML has other bytes
	entity    // a reference to an unknown entity

	// The piece has no bytes in HTML:
	limits  // the beginning or end of a CDATA section, or a prefix
	nothing // markup that HTML does not have
)

// isExact reports whether the bytes of a piece are the feed's own bytes.
func (n nature) isExact() bool { return n <= asSealed }

// usual returns how many bytes of HTML a piece of so many bytes in the feed most often has.
func (n nature) usual(raw int64) int64 {
	switch {
	case n.isExact():
		return raw
	case n < limits:
		return 1
	}
	return 0
}

// Pieces are the pieces of a document, from the one that was spliced last to the one that
// was read last. There is always one.
//
// A document that is held may be written in pieces of one byte each. So most pieces are
// packed into one byte, and only some can be found without reading those before them. The
// upper half of the byte is the nature of the piece. The lower half is the length of the
// piece in the feed, if that is from 1 to 15 and the length in HTML is the usual one.
// Otherwise the lower half is 0, and both lengths follow as varints.
type pieces struct {
	packed passage.Trail // all pieces except the last
	spots  []spot        // of one in spotEvery packed pieces
	since  int           // how many pieces have been packed since the last spot
	last   piece         // without raw, which still grows
}

// A spot is where a piece begins: in the document, in the feed, and in packed.
type spot struct{ at, pos, packed int64 }

const (
	spotEvery = 64
	spotSize  = 24 // the memory that a spot takes
)

// size returns how much memory the pieces take.
func (ps *pieces) size() int {
	return int(ps.packed.End()-ps.packed.Start()) + len(ps.spots)*spotSize
}

// end returns the end of the document.
func (ps *pieces) end() int64 { return ps.last.at + ps.last.html }

// add adds so many bytes of HTML, which stand at pos in the feed.
func (ps *pieces) add(html, pos int64, n nature) {
	last := &ps.last
	if n.isExact() && html == 0 {
		return
	}
	if goesOn := last.nature == n && (n.isExact() || html == 0 && last.html == 0); !goesOn {
		ps.pack(pos)
		*last = piece{at: ps.end(), pos: pos, nature: n}
	}
	last.html += html
}

// pack packs the last piece, which ends at pos in the feed.
func (ps *pieces) pack(pos int64) {
	p := &ps.last
	if ps.since++; ps.since == spotEvery || len(ps.spots) == 0 {
		ps.spots = append(ps.spots, spot{p.at, p.pos, ps.packed.End()})
		ps.since = 0
	}
	var b [maxPacked]byte
	b[0] = byte(p.nature) << 4
	n, raw := 1, pos-p.pos
	if 0 < raw && raw < 16 && p.html == p.usual(raw) {
		b[0] |= byte(raw)
	} else {
		n += binary.PutUvarint(b[n:], uint64(raw))
		n += binary.PutUvarint(b[n:], uint64(p.html))
	}
	ps.packed.Append(b[:n])
}

// maxPacked is how many bytes a packed piece has at most.
const maxPacked = 1 + 2*binary.MaxVarintLen64

// unpack returns the piece that begins at a spot, and the spot of the next.
func (ps *pieces) unpack(s spot) (p piece, next spot) {
	b := ps.packed.View(s.packed, maxPacked)
	p = piece{at: s.at, pos: s.pos, nature: nature(b[0] >> 4), raw: int64(b[0] & 15)}
	n := 1
	if p.raw > 0 {
		p.html = p.usual(p.raw)
	} else {
		raw, k := binary.Uvarint(b[n:])
		html, l := binary.Uvarint(b[n+k:])
		p.raw, p.html, n = int64(raw), int64(html), n+k+l
	}
	return p, spot{p.at + p.html, p.pos + p.raw, s.packed + int64(n)}
}

// read returns the piece that begins at a spot, and the spot of the next. The last piece
// ends at end in the feed.
func (ps *pieces) read(s spot, end int64) (p piece, next spot) {
	if s.packed < ps.packed.End() {
		return ps.unpack(s)
	}
	p = ps.last
	p.raw = end - p.pos
	return p, spot{ps.end(), end, s.packed}
}

// find returns the piece that the byte at an offset in the document is in, and the spot of
// the next. The end of the document is in the last piece, which ends at end in the feed.
func (ps *pieces) find(offset, end int64) (p piece, next spot) {
	if offset >= ps.last.at {
		return ps.read(spot{packed: ps.packed.End()}, end)
	}
	next = ps.spots[ps.spotBefore(offset)]
	for {
		if p, next = ps.unpack(next); next.at > offset {
			return p, next
		}
	}
}

// spotBefore returns the index of the last spot that is not after an offset in the
// document, or 0 if all are.
func (ps *pieces) spotBefore(offset int64) int {
	return max(0, sort.Search(len(ps.spots), func(i int) bool { return ps.spots[i].at > offset })-1)
}

// forget forgets pieces that end before an offset in the document.
func (ps *pieces) forget(offset int64) {
	if len(ps.spots) > 0 {
		ps.spots = ps.spots[ps.spotBefore(offset):]
		ps.packed.Forget(ps.spots[0].packed)
	}
}
