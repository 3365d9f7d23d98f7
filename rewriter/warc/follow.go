package warc

import (
	"io"

	"absolink/internal/steady"
)

// lookSize is how many bytes after a record are enough to see what follows it.
const lookSize = 256

// misfit returns what is wrong with the length of a record, whose block is next: no
// archive ends there, and neither a line end nor another record follows. That is known
// before the block is read, and only if nothing is compressed and src is an io.Seeker.
func (r *Reader) misfit(rec *Record) error {
	if !r.plain || r.in.seeker == nil || rec.Length == 0 {
		return nil
	}
	b, known := r.look(rec.Length-1, 1+lookSize)
	if len(b) > lookSize && r.format.needsMore(b[1:]) { // the line of an ARC record may be longer
		b, known = r.look(rec.Length-1, 1+maxArcHead)
	}
	switch {
	case !known:
	case len(b) == 0:
		return errTruncated
	case !r.format.mayFollow(b[1:]):
		return errLength
	}
	return nil
}

// look returns up to n bytes that stand some way after the next byte of a plain archive.
func (r *Reader) look(way int64, n int) (b []byte, known bool) {
	if w := r.window(); way <= int64(len(w)-n) {
		return w[way:][:n], true
	}
	return r.in.at(make([]byte, n), r.pos()+way)
}

// at reads into p what stands at an offset in the archive, and returns what there is of
// that: nothing beyond the end of the archive. known is false where that cannot be read.
// The next byte of the input stays the same.
func (in *input) at(p []byte, offset int64) (b []byte, known bool) {
	n, err := 0, error(io.EOF)
	if offset >= 0 { // the sum of a length and an offset may be too large
		if _, seekErr := in.seeker.Seek(in.start+offset, io.SeekStart); seekErr == nil { // no file is as long otherwise
			n, err = io.ReadFull(&steady.Reader{Src: in.src}, p)
		}
	}
	if _, err := in.seeker.Seek(in.start+in.read, io.SeekStart); err != nil && in.err == nil {
		in.err = err // what would be read next is not what follows
	}
	return p[:n], n > 0 || err == io.EOF
}
