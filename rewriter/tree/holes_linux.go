package tree

import (
	"errors"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nextData returns where the next data of a file begin and end, from an offset on.
// Beyond the size of the file, and where the file system cannot tell, everything
// counts as data.
func nextData(f *os.File, at, size int64) (start, end int64) {
	if at >= size {
		return at, math.MaxInt64
	}
	start, err := f.Seek(at, unix.SEEK_DATA)
	if errors.Is(err, syscall.ENXIO) { // a hole to the end
		return size, math.MaxInt64
	}
	if err == nil {
		end, err = f.Seek(start, unix.SEEK_HOLE)
	}
	if err != nil || end <= start {
		return at, math.MaxInt64
	}
	return start, end
}
