package warc

import (
	"archive/zip"
	"errors"
	"io"
	"strings"
)

// Archives returns the web archives in a WACZ file (WACZ 1.1.1 §5.2.2), in the order of the
// file: the files in its directory archive whose names are names of archives. src has
// size bytes. Open of each gives a reader for Convert, List and NewReader; offsets then
// count from the beginning of that archive.
//
// The directory of the ZIP file is held in memory, a few hundred bytes for each file in
// it. The error says that src is not a ZIP file, that no archive is in it, or that archives
// share bytes: such a file could take time without bound.
func Archives(src io.ReaderAt, size int64) ([]*zip.File, error) {
	z, err := zip.NewReader(src, size)
	if err != nil {
		return nil, err
	}
	var archives []*zip.File
	left := uint64(size)
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "archive/") || !Is(nil, f.Name) {
			continue
		}
		if f.CompressedSize64 > left {
			return nil, errors.New("this ZIP file is not a WACZ: its archives are longer than the file")
		}
		left -= f.CompressedSize64
		archives = append(archives, f)
	}
	if len(archives) == 0 {
		return nil, errors.New("this ZIP file is not a WACZ: it has no web archive in a directory named archive")
	}
	return archives, nil
}
