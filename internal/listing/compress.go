package listing

import (
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"absolink/internal/coding"
)

// Compress returns a writer that compresses a list as the name of its file says: with gzip
// if that ends in .gz, with Zstandard if it ends in .zst, and otherwise not. The same list
// always becomes the same bytes. Close ends the compression, and leaves dst open.
func Compress(dst io.Writer, name string) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriterLevel(dst, gzip.BestSpeed)
	case strings.HasSuffix(name, ".zst"):
		return zstd.NewWriter(dst, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	}
	return coding.Plain(dst), nil
}
