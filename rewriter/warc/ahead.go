package warc

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/gzip"
)

const (
	aheadParts  = 64        // how many parts may wait,
	aheadMemory = 2 << 20   // until they take that much for each worker;
	aheadSize   = 512 << 10 // how much of the input is looked at for each
	maxPart     = 4 << 20   // of a part, decompressed
)

// ahead decompresses members of gzip before they are read, several at once. Where
// a member ends only decompressing it says; that one begins wherever its magic
// number stands, and that it ends before the next, are guesses. They do no harm:
// a part is used only if reading comes to its start, and only if it is a whole
// member with a checksum that is right, so that it is what would have been read.
// No byte is decompressed ahead twice.
type ahead struct {
	*memory
	workers int
	begin   func(*part) // has a worker unpack it
	parts   []*part     // that reading has not come to
	start   int64       // where the next part may begin
	looked  int64       // up to where no part begins after that
	used    int         // memory
}

// A part is what may be a member.
type part struct {
	start int64
	in    []byte
	out   []byte // as long as it says at its end
	ready chan struct{}
	whole bool // once it is ready: in is a member, out what it holds
}

// take returns the part that the input is at and goes to its end. nil is none.
func (a *ahead) take(in *input) *part {
	a.look(in)
	for pos := in.pos(); len(a.parts) > 0 && a.parts[0].start <= pos; {
		p := a.parts[0]
		a.parts = a.parts[1:]
		<-p.ready
		if p.start == pos && p.whole {
			in.Discard(len(p.in))
			return p
		}
		a.drop(p)
	}
	return nil
}

// drop frees what a part holds, which is ready.
func (a *ahead) drop(p *part) {
	a.used -= cap(p.in) + cap(p.out)
	a.recycle(p.in)
	a.recycle(p.out)
}

// look begins parts.
func (a *ahead) look(in *input) {
	if in.Buffered() < in.Size()/2 && in.err == nil {
		in.Peek(in.Size())
	}
	b, _ := in.Peek(in.Buffered())
	pos := in.pos()
	a.start = max(a.start, pos)
	for len(a.parts) < aheadParts && a.used < a.workers*aheadMemory {
		start := int(a.start - pos)
		if !bytes.HasPrefix(b[start:], []byte(gzipMagic)) {
			i := bytes.Index(b[start:], []byte(gzipMagic))
			if i < 0 {
				a.start = pos + int64(max(start, len(b)-len(gzipMagic)+1))
				return
			}
			start += i
			a.start += int64(i)
		}
		from := max(start+len(gzipMagic), int(a.looked-pos))
		end := len(b)
		if i := bytes.Index(b[from:], []byte(gzipMagic)); i >= 0 {
			end = from + i
		} else if in.err == nil {
			a.looked = pos + int64(max(from, end-len(gzipMagic)+1))
			return
		}
		a.add(a.start, b[start:end])
		a.start = pos + int64(end)
	}
}

// add begins a part, unless it is too long for that.
func (a *ahead) add(start int64, b []byte) {
	const overhead, maxRatio = 18, 1032 // of a member (RFC 1952 §2.3), and of deflate
	if len(b) < overhead {
		return
	}
	size := int64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	if size > maxPart || size > maxRatio*int64(len(b)) {
		return
	}
	p := &part{start: start, in: a.bytes(grown(len(b))), out: a.bytes(grown(int(size))), ready: make(chan struct{})}
	p.in, p.out = append(p.in, b...), p.out[:size]
	a.used += cap(p.in) + cap(p.out)
	a.parts = append(a.parts, p)
	a.begin(p)
}

// A partReader unpacks one part after the other.
type partReader struct {
	src bytes.Reader
	z   gzip.Reader
}

// unpack decompresses a part.
func (r *partReader) unpack(p *part) {
	r.src.Reset(p.in)
	if r.z.Reset(&r.src) != nil {
		return
	}
	r.z.Multistream(false)
	if _, err := io.ReadFull(&r.z, p.out); err != nil {
		return
	}
	var more [1]byte
	n, err := r.z.Read(more[:])
	p.whole = n == 0 && err == io.EOF && r.src.Len() == 0
}
