package warc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

const (
	zstdMagic = "\x28\xb5\x2f\xfd"

	// dictionaryMagic begins the skippable frame that holds the dictionary of all
	// other frames. It counts at the start of an archive (Zstandard for WARC, §3).
	dictionaryMagic = "\x5d\x2a\x4d\x18"

	maxDictionary = 16 << 20
	maxWindow     = 1 << 30 // the largest value of MaxWindow

	maxBlock  = 128 << 10 // how long a block is at most, compressed or not (RFC 8878 §3.1.1.2.4)
	frameSize = 2 * maxBlock
)

// A windowError says that a frame asks for a window of more than MaxWindow bytes.
type windowError struct{ window, limit uint64 }

func (e *windowError) Error() string {
	return fmt.Sprintf("a Zstandard frame with a window of %d bytes, more than the limit of %d; raise the limit (MaxWindow, --max-window), or compress the archive anew with a smaller window", e.window, e.limit)
}

// errDictionary ends a run: without its dictionary no frame of an archive can be read.
var errDictionary = errors.New("it needs a Zstandard dictionary that it does not begin with; decompress it with zstd -d -D DICTIONARY first")

// isSkippable reports whether a skippable frame begins with start (RFC 8878 §3.1.2).
func isSkippable(start []byte) bool {
	return len(start) >= 4 && start[0]&0xf0 == 0x50 && bytes.Equal(start[1:4], []byte("\x2a\x4d\x18"))
}

// zstdParts are the frames of a Zstandard archive. Where a frame ends is found from
// the headers of the frame and of its blocks, as the decoder does not tell.
type zstdParts struct {
	in         *input
	maxWindow  *int64        // of Reader
	zstd       *zstd.Decoder // the one of decoder
	frame      frame
	dictionary []byte
	tried      int64 // how many bytes of long blocks begins has read
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

// readDictionary reads the skippable frame that holds the dictionary, which may be
// compressed itself.
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
	if err := s.frame.begin(s.in, s.limit()); err != nil {
		return err
	}
	if s.frame.DictionaryID != 0 && s.dictionary == nil {
		return errDictionary
	}
	z, err := s.decoder()
	if err != nil {
		return err
	}
	return damagedFrame(z.Reset(&s.frame))
}

// damagedFrame says of an error of the decoder that it is about a damaged frame: also
// of one about its window, as the window of a frame that comes so far is not too large.
func damagedFrame(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("a damaged Zstandard frame: %w", err)
}

func (s *zstdParts) limit() uint64 { return uint64(cmp.Or(*s.maxWindow, defaultMaxWindow)) }

// decoder returns the decoder of an archive. There is only one, so that there is one
// window in memory at a time.
func (s *zstdParts) decoder() (*zstd.Decoder, error) {
	if s.zstd != nil {
		return s.zstd, nil
	}
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(1 << bits.Len64(max(s.limit(), maxBlock)-1))}
	if s.dictionary != nil {
		options = append(options, zstd.WithDecoderDicts(s.dictionary))
	}
	var err error
	if s.zstd, err = zstd.NewReader(nil, options...); err != nil {
		return nil, fmt.Errorf("in its Zstandard dictionary: %w", err)
	}
	return s.zstd, nil
}

func (s *zstdParts) Read(b []byte) (int, error) {
	n, err := s.zstd.Read(b)
	if err == io.EOF && !s.frame.ended() {
		err = zstd.ErrFrameSizeMismatch
	}
	return n, damagedFrame(err)
}

func (s *zstdParts) find() {
	find(s.in, zstdMagic, maxBlock+maxHeader+3, s.begins)
}

// begins reports whether b begins with a frame that begins with a record. Only the
// first block is read, and for that a window as large as a block is enough. Long
// blocks are read only while their sum is in proportion to what was read of the
// archive, so that time is linear.
func (s *zstdParts) begins(b []byte) bool {
	var f frame
	if f.Decode(b) != nil || f.DictionaryID != 0 && s.dictionary == nil {
		return false
	}
	first := b[f.HeaderSize:]
	kind, size := blockHeader(first)
	if len(first) < 3+size || size > maxBlock || kind == reservedBlock {
		return false
	}
	if size > trialSize {
		s.tried += int64(size)
		if s.tried > 4*s.in.pos()+1<<20 {
			return false
		}
	}
	z, err := s.decoder()
	if err != nil {
		return false
	}
	first = first[:min(len(first), max(trialSize, 3+size))]
	f.HasFCS, f.HasCheckSum = false, false // which are of all blocks
	return z.Reset(io.MultiReader(bytes.NewReader(f.headerFor(maxBlock)), bytes.NewReader(first))) == nil && beginsRecord(z)
}

// A frame reads a Zstandard frame in its compressed form, and not beyond its end
// (RFC 8878 §3.1.1).
type frame struct {
	zstd.Header
	in     *input
	header []byte // what is left of the new header, which is read in its place
	left   int64  // bytes of the block, with its header and, in the last one, the checksum
	last   bool   // no block follows this one
}

// maxHeader is how long the header of a frame is at most, its magic number included.
const maxHeader = 18

// begin begins the frame at which the input is. A window of more than limit bytes is
// refused.
func (f *frame) begin(in *input, limit uint64) error {
	b, err := in.Peek(maxHeader)
	*f = frame{in: in}
	switch decodeErr := f.Decode(b); {
	case decodeErr == io.ErrUnexpectedEOF:
		return noEOF(err)
	case decodeErr != nil:
		return decodeErr
	case f.neededWindow() > limit:
		return &windowError{f.neededWindow(), limit}
	}
	in.Discard(f.HeaderSize)
	f.header = f.headerFor(f.neededWindow())
	return nil
}

// neededWindow returns how many bytes of window the frame asks for (RFC 8878 §3.1.1.1.2).
func (f *frame) neededWindow() uint64 {
	if f.SingleSegment {
		return f.FrameContentSize
	}
	return f.WindowSize
}

// headerFor returns the header of the same frame with a window of at least n bytes.
// It is a power of two: a decoder takes new memory for each window that is larger
// than all before, and so takes it less often.
func (f *frame) headerFor(n uint64) []byte {
	const dictionary4, checksum, size8 = 3, 4, 3 << 6 // of the descriptor
	window := byte(bits.Len64(max(n, 1<<10)-1)-10) << 3
	b := append([]byte(zstdMagic), dictionary4, window)
	b = binary.LittleEndian.AppendUint32(b, f.DictionaryID)
	if f.HasCheckSum {
		b[4] |= checksum
	}
	if f.HasFCS {
		b[4] |= size8
		b = binary.LittleEndian.AppendUint64(b, f.FrameContentSize)
	}
	return b
}

func (f *frame) Read(p []byte) (int, error) {
	if len(f.header) > 0 {
		n := copy(p, f.header)
		f.header = f.header[n:]
		return n, nil
	}
	if f.ended() {
		return 0, io.EOF
	}
	if f.left == 0 {
		if err := f.beginBlock(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, noEOF(err)
}

// ended reports whether all of the frame has been read.
func (f *frame) ended() bool { return f.last && f.left == 0 }

// beginBlock looks at the header of the next block, which Read then returns as well.
func (f *frame) beginBlock() error {
	b, err := f.in.Peek(3)
	if len(b) < 3 {
		return noEOF(err)
	}
	f.last = b[0]&1 != 0
	_, size := blockHeader(b)
	f.left = 3 + int64(size)
	if f.last && f.HasCheckSum {
		f.left += 4
	}
	return nil
}

const (
	repeatedBlock = 1 // of one byte
	reservedBlock = 3
)

// blockHeader returns the type of the block that b begins with, and how many bytes
// follow its header (RFC 8878 §3.1.1.2). Where b is too short, the type is the
// reserved one.
func blockHeader(b []byte) (kind, size int) {
	if len(b) < 3 {
		return reservedBlock, 0
	}
	header := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	kind, size = header>>1&3, header>>3
	if kind == repeatedBlock {
		size = 1
	}
	return kind, size
}
