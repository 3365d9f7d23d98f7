//go:build !linux

package tree

import (
	"math"
	"os"
)

// nextData takes a file for one piece of data.
func nextData(f *os.File, at, size int64) (start, end int64) { return at, math.MaxInt64 }
