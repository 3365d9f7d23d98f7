package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// A Compression is how an archive is compressed.
type Compression uint8

const (
	Gzip Compression = iota // each record a member of its own, as is usual (WARC 1.1, Annex D)
	Zstd                    // each record a frame of its own
	None
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

// An input is the bytes of an archive as they are, and where in them reading is.
type input struct {
	*bufio.Reader
	src  io.Reader
	read int64 // from src
	err  error // of src, but for io.EOF
}

const (
	inputSize = 64 << 10
	gzipMagic = "\x1f\x8b\x08"
)

func newInput(src io.Reader) *input {
	in := &input{src: src}
	in.Reader = bufio.NewReaderSize((*counted)(in), inputSize)
	return in
}

// pos returns the offset of the next byte.
func (in *input) pos() int64 { return in.read - int64(in.Buffered()) }

// counted is what an input buffers.
type counted input

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.read += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// An unpacker reads the parts of an archive that are compressed on their own, the
// members of gzip or the frames of Zstandard, one after the other. All of a plain
// archive is one.
type unpacker interface {
	// next begins the next part. io.EOF says that there is none.
	next() error

	// Read reads on in the part. io.EOF is its end: the input is at the byte after
	// it, and its checksum is right.
	io.Reader

	// find brings the input, after an error, to the next byte at which a part with a
	// record begins, or to its end.
	find()
}

func newUnpacker(in *input) unpacker {
	start, _ := in.Peek(4)
	switch compressionOf(start) {
	case Gzip:
		return &gzipParts{in: in}
	case Zstd:
		return &zstdParts{in: in}
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

type gzipParts struct {
	in *input
	z  gzip.Reader
}

func (g *gzipParts) next() error {
	magic, err := g.in.Peek(len(gzipMagic))
	switch {
	case len(magic) == 0:
		return err
	case len(magic) == len(gzipMagic) && string(magic) != gzipMagic: // of which nothing is to be read
		return gzip.ErrHeader
	}
	if err := g.z.Reset(g.in.Reader); err != nil {
		return noEOF(err)
	}
	g.z.Multistream(false)
	return nil
}

func (g *gzipParts) Read(b []byte) (int, error) { return g.z.Read(b) }

func (g *gzipParts) find() {
	find(g.in, gzipMagic, func(b []byte) io.Reader {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil
		}
		return z
	})
}

// trialSize is how much of a part is read to see if it begins with a record.
const trialSize = 1 << 10

// find brings in to the next magic at which a record begins, once decompressed.
func find(in *input, magic string, decompress func([]byte) io.Reader) {
	for {
		b, err := in.Peek(inputSize / 2)
		if len(b) < len(magic) {
			in.Discard(len(b))
			return
		}
		i := bytes.Index(b, []byte(magic))
		switch {
		case i < 0 && err != nil:
			in.Discard(len(b))
			return
		case i < 0:
			in.Discard(len(b) - len(magic) + 1)
			continue
		}
		in.Discard(i)
		b, _ = in.Peek(trialSize)
		start := make([]byte, len(recordMagic))
		if r := decompress(b); r != nil {
			if n, _ := io.ReadFull(r, start); string(start[:n]) == recordMagic {
				return
			}
		}
		in.Discard(1)
	}
}

// noEOF makes an end that comes too early of io.EOF.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
