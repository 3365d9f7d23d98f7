package warc

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/gzip"
)

const (
	aheadParts  = 64        // how many parts may wait at most
	aheadMemory = 2 << 20   // how much memory they may take for each worker
	aheadSize   = 512 << 10 // how much of the input is looked at for each worker
	maxPart     = 4 << 20   // how long a part may be, decompressed
)

// ahead decompresses gzip members in advance, several at once. Only decompressing
// a member tells where it ends. That a member begins at each magic number, and ends
// before the next, are guesses that do no harm: a part is used only if reading comes
// to its start, and if it is one whole member with the right checksum, which is
// what would have been read. No byte is decompressed in advance twice.
type ahead struct {
	memory  *memory
	workers int
	begin   func(*part) // has a worker unpack it
	parts   []*part     // that reading has not come to
	start   int64       // where the next part may begin
	looked  int64       // no part begins between start and here
	used    int         // memory, in bytes
}

// A part is a stretch of the input that may be a member.
type part struct {
	start int64
	in    []byte
	out   []byte // has the length that the last bytes of a member give
	ready chan struct{}
	whole bool // once it is ready: in is one member, and out is what it holds
}

// take returns the part at which the input is, and moves the input to its end. nil
// means that there is none.
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

// drop frees the memory of a part that is ready.
func (a *ahead) drop(p *part) {
	a.used -= cap(p.in) + cap(p.out)
	a.memory.recycle(p.in)
	a.memory.recycle(p.out)
}

// look begins the parts that it finds in what the input has buffered.
func (a *ahead) look(in *input) {
	if in.Buffered() < in.Size()/2 && in.err == nil {
		in.Peek(in.Size())
	}
	b, _ := in.Peek(in.Buffered())
	pos := in.pos()
	a.start = max(a.start, pos)
	for len(a.parts) < aheadParts && a.used < a.workers*aheadMemory {
		start := int(a.start - pos)
		i := bytes.Index(b[start:], []byte(gzipMagic))
		if i < 0 {
			a.start = pos + int64(max(start, len(b)-len(gzipMagic)+1))
			return
		}
		start += i
		a.start += int64(i)
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

// add begins a part, unless it is too long, or is certainly not a member.
func (a *ahead) add(start int64, b []byte) {
	const overhead = 18   // of a member, in bytes (RFC 1952 §2.3)
	const maxRatio = 1032 // of what deflate compresses
	if len(b) < overhead {
		return
	}
	size := int64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	if size > maxPart || size > maxRatio*int64(len(b)) {
		return
	}
	p := &part{start: start, in: a.memory.bytes(grown(len(b))), out: a.memory.bytes(grown(int(size))), ready: make(chan struct{})}
	p.in, p.out = append(p.in, b...), p.out[:size]
	a.used += cap(p.in) + cap(p.out)
	a.parts = append(a.parts, p)
	a.begin(p)
}

// A partReader unpacks one part after another.
type partReader struct {
	src  bytes.Reader
	gzip gzip.Reader
}

// unpack decompresses a part, and finds out whether it is a whole member.
func (r *partReader) unpack(p *part) {
	r.src.Reset(p.in)
	if r.gzip.Reset(&r.src) != nil {
		return
	}
	r.gzip.Multistream(false)
	if _, err := io.ReadFull(&r.gzip, p.out); err != nil {
		return
	}
	var more [1]byte
	n, err := r.gzip.Read(more[:])
	p.whole = n == 0 && err == io.EOF && r.src.Len() == 0
}
