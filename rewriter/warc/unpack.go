package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"

	"absolink/internal/steady"
)

// A Compression is how an archive is compressed.
type Compression uint8

const (
	Gzip Compression = iota // each record is a member of its own, as is usual (WARC 1.1, Annex D)
	Zstd                    // each record is a frame of its own
	None                    // the records are not compressed
)

// compressionOf returns the compression of an archive that begins with these bytes.
func compressionOf(start []byte) Compression {
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return Gzip
	case bytes.HasPrefix(start, []byte(zstdMagic)), isSkippable(start):
		return Zstd
	}
	return None
}

// An input is an archive as it is stored. It knows the offset of the next byte.
type input struct {
	*bufio.Reader
	src    io.Reader
	seeker io.Seeker // src, if it can be asked for what stands elsewhere; nil otherwise
	start  int64     // where in seeker the archive begins
	read   int64     // the offset in the archive up to which src has been read
	err    error     // of src, which is not read again after it
	damage error     // a *DamageError that src has ended with; err is then io.EOF
}

const (
	inputSize = 64 << 10
	gzipMagic = "\x1f\x8b\x08"
)

func newInput(src io.Reader, size int) *input {
	in := &input{src: src}
	switch src := src.(type) {
	case *Part:
		in.src, in.read = src.Reader, src.Begin
	case *input:
		in.read = src.pos()
	}
	if s, ok := in.src.(io.Seeker); ok {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil { // a pipe cannot
			in.seeker, in.start = s, at-in.read
		}
	}
	in.Reader = bufio.NewReaderSize((*counted)(in), size)
	return in
}

func (in *input) pos() int64 { return in.read - int64(in.Buffered()) }

// peek returns the next n bytes, or as many as there are. Once src has ended, it does not
// move the bytes in the buffer, as Peek does each time.
func (in *input) peek(n int) []byte {
	if in.err != nil {
		n = min(n, in.Buffered())
	}
	b, _ := in.Peek(n)
	return b
}

// failed returns the error of src, other than io.EOF, that has caused err; nil where
// err has another cause. Without errors.Is, that is so once the buffer is used up.
func (in *input) failed(err error) error {
	if in.err == nil || in.err == io.EOF || in.Buffered() > 0 && !errors.Is(err, in.err) {
		return nil
	}
	return in.err
}

// counted is the reader that an input buffers.
type counted input

func (c *counted) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := steady.Read(c.src, p)
	c.read += int64(n)
	c.err = err
	if damage := (*DamageError)(nil); errors.As(err, &damage) {
		c.err, c.damage = io.EOF, damage
	}
	return n, c.err
}

// takeDamage returns the damage that src has ended with, once.
func (in *input) takeDamage() error {
	if below, ok := in.src.(*input); ok {
		return below.takeDamage()
	}
	damage := in.damage
	in.damage = nil
	return damage
}

// An unpacker reads the parts of an archive that are compressed on their own, one
// after another: gzip members or Zstandard frames. A plain archive is one part.
type unpacker interface {
	// next begins the next part. io.EOF says that there is none.
	next() error

	// Read reads on in the part. io.EOF is the end of the part: its checksum is
	// right, and the input is at the byte after it.
	io.Reader

	// find moves the input, after an error, to where the next part begins that has a
	// record at its beginning; to the end of the input where there is no such part.
	find()
}

func newUnpacker(c Compression, in *input, ahead *ahead, maxWindow *int64) unpacker {
	switch c {
	case Gzip:
		return &gzipParts{in: in, ahead: ahead}
	case Zstd:
		return &zstdParts{in: in, maxWindow: maxWindow}
	}
	return &plainPart{in: in}
}

// A plainPart is the one part of an archive that is not compressed.
type plainPart struct {
	in    *input
	begun bool
}

func (p *plainPart) next() error {
	if p.begun {
		return io.EOF
	}
	p.begun = true
	_, err := p.in.Peek(1)
	return err
}

func (p *plainPart) Read(b []byte) (int, error) { return p.in.Read(b) }

func (p *plainPart) find() {}

// gzipParts are the members of a gzip archive.
type gzipParts struct {
	in    *input
	gzip  gzip.Reader
	trial bytes.Reader
	ahead *ahead // nil where nothing is decompressed in advance
	part  *part  // that was decompressed in advance; nil where gzip decompresses
	left  []byte // of part.out
}

func (g *gzipParts) next() error {
	if g.ahead != nil {
		if g.part = g.ahead.take(g.in); g.part != nil {
			g.left = g.part.out
			return nil
		}
	}
	magic, err := g.in.Peek(len(gzipMagic))
	switch {
	case len(magic) == 0:
		return err
	case len(magic) == len(gzipMagic) && string(magic) != gzipMagic: // which gzip.Reader would read on in
		return gzip.ErrHeader
	}
	if err := g.gzip.Reset(g.in.Reader); err != nil {
		return noEOF(err)
	}
	g.gzip.Multistream(false)
	return nil
}

func (g *gzipParts) Read(b []byte) (int, error) {
	if g.part == nil {
		return g.gzip.Read(b)
	}
	n := copy(b, g.left)
	if g.left = g.left[n:]; len(g.left) > 0 {
		return n, nil
	}
	g.ahead.drop(g.part)
	g.part, g.left = nil, nil
	return n, io.EOF
}

func (g *gzipParts) find() {
	find(g.in, gzipMagic, inputSize/2, func(b []byte) bool {
		g.trial.Reset(b[:min(len(b), trialSize)])
		return g.gzip.Reset(&g.trial) == nil && beginsRecord(&g.gzip)
	})
}

// trialSize is how many bytes of a part are read to see if it begins with a record.
const trialSize = 1 << 10

// beginsRecord reports whether a record begins at the start of r, a decompressed part.
func beginsRecord(r io.Reader) bool {
	start := make([]byte, trialSize)
	n, _ := io.ReadAtLeast(r, start, len(recordMagic))
	if string(start[:min(n, len(recordMagic))]) == recordMagic {
		return true
	}
	m, _ := io.ReadFull(r, start[n:])
	return beginsARC(start[:n+m])
}

// find moves in to the next magic number at which begins says that a part begins.
// begins is shown up to most bytes from there on.
func find(in *input, magic string, most int, begins func([]byte) bool) {
	for {
		b := in.peek(most)
		i := bytes.Index(b, []byte(magic))
		switch {
		case i < 0 && len(b) < most:
			in.Discard(len(b))
			return
		case i < 0:
			in.Discard(len(b) - len(magic) + 1)
			continue
		}
		in.Discard(i)
		if begins(in.peek(most)) {
			return
		}
		in.Discard(1)
	}
}

// noEOF returns io.ErrUnexpectedEOF in place of io.EOF.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
