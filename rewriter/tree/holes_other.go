//go:build !linux

package tree

import (
	"math"
	"os"
)

// nextData takes the whole file for data.
func nextData(f *os.File, at, size int64) (start, end int64) { return at, math.MaxInt64 }
