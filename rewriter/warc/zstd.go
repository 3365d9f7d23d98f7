package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	zstdMagic = "\x28\xb5\x2f\xfd"

	// dictionaryMagic begins the skippable frame that has the dictionary of all
	// other frames, where an archive begins with it (Zstandard for WARC, §3).
	dictionaryMagic = "\x5d\x2a\x4d\x18"

	maxDictionary = 16 << 20
	maxWindow     = 128 << 20 // what the zstd program accepts
)

// errDictionary says that the rest of an archive cannot be read.
var errDictionary = errors.New("it needs a Zstandard dictionary that it does not begin with; decompress it with zstd -d -D DICTIONARY first")

// isSkippable reports whether a skippable frame begins (RFC 8878 §3.1.2).
func isSkippable(start []byte) bool {
	return len(start) >= 4 && start[0]&0xf0 == 0x50 && bytes.Equal(start[1:4], []byte("\x2a\x4d\x18"))
}

// zstdParts are frames. Their ends are found in their own headers, as the decoder
// does not tell them.
type zstdParts struct {
	in         *input
	z          *zstd.Decoder
	frame      frame
	dictionary []byte
}

func (s *zstdParts) next() error {
	for {
		b, err := s.in.Peek(8)
		switch {
		case len(b) == 0:
			return err
		case !isSkippable(b):
			return s.begin()
		case len(b) < 8:
			return io.ErrUnexpectedEOF
		}
		size := int64(binary.LittleEndian.Uint32(b[4:]))
		if string(b[:4]) == dictionaryMagic && s.in.pos() == 0 {
			if err := s.readDictionary(size); err != nil {
				return err
			}
			continue
		}
		if _, err := io.CopyN(io.Discard, s.in, 8+size); err != nil {
			return noEOF(err)
		}
	}
}

func (s *zstdParts) readDictionary(size int64) error {
	if size > maxDictionary {
		return fmt.Errorf("a Zstandard dictionary of %d bytes: %d are the limit", size, maxDictionary)
	}
	b := make([]byte, 8+size)
	if _, err := io.ReadFull(s.in, b); err != nil {
		return noEOF(err)
	}
	s.dictionary = b[8:]
	if !bytes.HasPrefix(s.dictionary, []byte(zstdMagic)) {
		return nil
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
	if err != nil {
		return err
	}
	defer z.Close()
	if s.dictionary, err = z.DecodeAll(s.dictionary, nil); err != nil {
		return fmt.Errorf("in its Zstandard dictionary: %w", err)
	}
	return nil
}

// begin begins a frame that is not skippable.
func (s *zstdParts) begin() error {
	if err := s.frame.begin(s.in); err != nil {
		return err
	}
	if s.frame.dictionary != 0 && s.dictionary == nil {
		return errDictionary
	}
	if s.z == nil {
		options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)}
		if s.dictionary != nil {
			options = append(options, zstd.WithDecoderDicts(s.dictionary))
		}
		z, err := zstd.NewReader(nil, options...)
		if err != nil {
			return fmt.Errorf("in its Zstandard dictionary: %w", err)
		}
		s.z = z
	}
	return s.z.Reset(&s.frame)
}

func (s *zstdParts) Read(b []byte) (int, error) {
	n, err := s.z.Read(b)
	if err == io.EOF && s.frame.left() {
		err = zstd.ErrMagicMismatch
	}
	return n, err
}

func (s *zstdParts) find() {
	find(s.in, zstdMagic, func(b []byte) io.Reader {
		z, err := newZstd(bytes.NewReader(b))
		if err != nil {
			return nil
		}
		return z
	})
}

// A frame is a Zstandard frame, read as it is and not beyond its end (RFC 8878
// §3.1.1).
type frame struct {
	in         *input
	dictionary uint32
	checksum   bool
	stage      frameStage
	n          int64 // how much of this stage is left
	last       bool  // the block is the last
}

type frameStage uint8

const (
	frameBlocks frameStage = iota // the header before the first is with it
	frameChecksum
	frameEnd
)

// begin reads the header, which stays to be read.
func (f *frame) begin(in *input) error {
	const maxHeader = 18
	b, err := in.Peek(maxHeader)
	if !bytes.HasPrefix(b, []byte(zstdMagic)) {
		if len(b) < len(zstdMagic) && bytes.HasPrefix([]byte(zstdMagic), b) && err != nil {
			return noEOF(err)
		}
		return zstd.ErrMagicMismatch
	}
	if len(b) < 6 {
		return noEOF(err)
	}
	descriptor := b[4]
	n := 5
	if single := descriptor&0x20 != 0; !single {
		n++
	}
	idSize := [4]int{0, 1, 2, 4}[descriptor&3]
	size := [4]int{0, 2, 4, 8}[descriptor>>6]
	if size == 0 && descriptor&0x20 != 0 {
		size = 1
	}
	if len(b) < n+idSize+size {
		return noEOF(err)
	}
	*f = frame{in: in, checksum: descriptor&4 != 0, n: int64(n + idSize + size)}
	for i := range idSize {
		f.dictionary |= uint32(b[n+i]) << (8 * i)
	}
	return nil
}

// left reports whether there is more of the frame.
func (f *frame) left() bool { return f.stage != frameEnd }

func (f *frame) Read(p []byte) (int, error) {
	if f.stage == frameEnd {
		return 0, io.EOF
	}
	if f.n == 0 {
		if err := f.beginBlock(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.n)])
	f.n -= int64(n)
	switch {
	case f.n > 0:
	case f.stage == frameChecksum || f.last && !f.checksum:
		f.stage = frameEnd
	case f.last:
		f.stage, f.n = frameChecksum, 4
	}
	if n > 0 {
		return n, nil
	}
	return 0, noEOF(err)
}

// beginBlock reads the header of a block, which stays to be read.
func (f *frame) beginBlock() error {
	b, err := f.in.Peek(3)
	if len(b) < 3 {
		return noEOF(err)
	}
	header := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	f.last = header&1 != 0
	f.n = 3 + int64(header>>3)
	if kind := header >> 1 & 3; kind == 1 { // one byte, repeated
		f.n = 3 + 1
	}
	return nil
}
