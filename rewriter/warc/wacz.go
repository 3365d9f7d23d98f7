package warc

import (
	"archive/zip"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"absolink/internal/steady"
)

// An Archive is a web archive in a WACZ file.
type Archive struct {
	Name string // in the ZIP file, such as "archive/data.warc.gz"

	file *zip.File
	raw  *io.SectionReader // as the ZIP file stores it; nil where that is not known
	err  error             // why raw is nil
}

// Archives returns the web archives in a WACZ file (WACZ 1.1.1 §5.2.2), in the order of the
// file: the files in its directory archive whose names are names of archives. src has
// size bytes.
//
// The directory of the ZIP file is held in memory, a few hundred bytes for each file in
// it. The error says that src is not a ZIP file, or that no archive is in it. What is
// damaged in one archive is told when that archive is read.
func Archives(src io.ReaderAt, size int64) ([]*Archive, error) {
	src = io.NewSectionReader(src, 0, size) // nothing stands outside of it, whatever an entry says
	z, err := zip.NewReader(src, size)
	if err != nil {
		return nil, err
	}
	var archives []*Archive
	var starts []int64
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "archive/") || !Is(nil, f.Name) {
			continue
		}
		a := &Archive{Name: f.Name, file: f}
		start, err := f.DataOffset()
		if a.err = err; err == nil {
			a.raw = io.NewSectionReader(src, start, int64(min(f.CompressedSize64, math.MaxInt64-uint64(start))))
			starts = append(starts, start)
		}
		archives = append(archives, a)
	}
	if len(archives) == 0 {
		return nil, errors.New("this ZIP file is not a WACZ: it has no web archive in a directory named archive")
	}
	separate(archives, starts)
	return archives, nil
}

var (
	errEntry  = errors.New("the archive is not where the directory of the ZIP file says")
	errShared = errors.New("the ZIP file stores another archive in the same place")
	errSize   = errors.New("the archive has another size than the directory of the ZIP file says")
)

// separate ends each archive where the next one starts: archives that share bytes could take
// time without bound.
func separate(archives []*Archive, starts []int64) {
	slices.Sort(starts)
	seen := map[int64]bool{}
	for _, a := range archives {
		if a.raw == nil {
			continue
		}
		src, start, size := a.raw.Outer()
		if next, _ := slices.BinarySearch(starts, start+1); next < len(starts) {
			size = min(size, starts[next]-start)
		}
		if a.raw = io.NewSectionReader(src, start, size); seen[start] {
			a.raw, a.err = nil, errShared
		}
		seen[start] = true
	}
}

// Reader returns a reader of the archive, for Convert, List and NewReader. Offsets count
// from the beginning of the archive. What is wrong with its entry in the ZIP file, such as a
// checksum, a size or a compression that is not known, is damage of the archive: the error
// of Read is then a [*DamageError], after all bytes that can be read.
func (a *Archive) Reader() io.Reader {
	e := &entry{file: a.file, sum: crc32.NewIEEE(), raw: steady.Reader{Err: a.err}}
	if e.body = &e.raw; a.raw != nil {
		e.raw.Src = io.NewSectionReader(a.raw, 0, a.raw.Size())
	}
	switch {
	case errors.Is(a.err, zip.ErrFormat), errors.Is(a.err, io.EOF):
		e.raw.Err = &DamageError{0, errEntry}
	case a.err == errShared:
		e.raw.Err = &DamageError{0, errShared}
	case a.file.Method == zip.Deflate:
		e.body = flate.NewReader(&e.raw)
	case a.file.Method != zip.Store:
		e.raw.Err = &DamageError{0, zip.ErrAlgorithm}
	}
	return e
}

// An entry reads an archive in a WACZ file. Unlike the reader of [zip.File.Open], it gives
// all bytes whose sum or count is wrong.
type entry struct {
	file *zip.File
	raw  steady.Reader
	body io.Reader // raw, decompressed
	sum  hash.Hash32
	size uint64
}

// Read implements io.Reader.
func (e *entry) Read(p []byte) (int, error) {
	n, err := e.body.Read(p)
	e.sum.Write(p[:n])
	e.size += uint64(n)
	switch {
	case err == nil:
	case e.raw.Err != nil && e.raw.Err != io.EOF:
		err = e.raw.Err // which a decompressor may have wrapped
	case err != io.EOF:
		err = &DamageError{int64(e.size), err}
	case e.size != e.file.UncompressedSize64:
		err = &DamageError{int64(e.size), errSize}
	case e.file.CRC32 != 0 && e.sum.Sum32() != e.file.CRC32: // some programs leave it out
		err = &DamageError{int64(e.size), zip.ErrChecksum}
	}
	return n, err
}
