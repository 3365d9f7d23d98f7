package warc

import (
	"bytes"
	"io"
	"math"
)

// A Part is a part of an archive. As the src of Convert and List, it stands for the
// records that begin from Begin up to, not including, End. Offsets count from the
// beginning of the archive.
//
// Parts cut an archive well if Begin of the first is 0, End of the last is the size of
// the archive or more, Begin of each other part is the End of the part before, and
// each Summary.End is the Begin of the next part. The outputs of the parts, one
// after another, are then the output for the archive. Where a Summary.End is another
// offset, NextRecord was misled, for instance by an archive within a record: the
// parts do not count, and the archive is to be read whole. So is an archive with
// damage: what is passed over in a part may be less than in the whole.
type Part struct {
	io.Reader // reads the archive from Begin on, also beyond End
	Begin     int64
	End       int64
}

// end returns where the records of src end that are wanted.
func end(src io.Reader) int64 {
	if p, ok := src.(*Part); ok {
		return p.End
	}
	return math.MaxInt64
}

// NextRecord returns the offset at which the first record begins at from or after it,
// for a Part. It is size where there is none. A gzip member or a Zstandard frame
// within which records begin is one record here. An archive of frames that need
// its dictionary is not cut: NextRecord returns size for each from above 0.
//
// The answer is a guess by what stands there, which Summary.End confirms. An error is
// one of reading src, which has size bytes.
func NextRecord(src io.ReaderAt, size, from int64) (int64, error) {
	if from <= 0 {
		return 0, nil
	}
	start := make([]byte, len(arcMagic))
	n, err := src.ReadAt(start, 0)
	if n < len(start) && err != io.EOF {
		return 0, err
	}
	start = start[:n]
	if from >= size || bytes.HasPrefix(start, []byte(dictionaryMagic)) {
		return size, nil
	}
	compression := compressionOf(start)
	if compression == None {
		from-- // for the line feed
	}
	in := newInput(&Part{Reader: io.NewSectionReader(src, from, size-from), Begin: from}, frameSize)
	switch {
	case compression != None:
		newUnpacker(compression, in, nil, new(int64)).find()
	case startIs(start, arcMagic):
		find(in, "\n", maxBlock, func(b []byte) bool { return beginsARC(b[1:]) })
		in.Discard(1)
	default:
		find(in, "\n"+recordMagic, maxBlock, func(b []byte) bool {
			b = b[1:]
			n, _ := headEnd(b, 0, recordMagic) // each byte is in one head at most, as for a Reader
			head := newHead(b[:max(n, 0)])
			return head.get("Content-Length") != ""
		})
		in.Discard(1)
	}
	if err := in.failed(in.err); err != nil {
		return 0, err
	}
	return in.pos(), nil
}
