package tree

import (
	"cmp"
	"os"
	"path/filepath"
)

// checkApart returns ErrNested if one of two trees is in the other.
func checkApart(dst, src string) error {
	return cmp.Or(checkOutside(dst, src, ErrNested), checkOutside(src, dst, ErrNested))
}

// checkOutside returns errInside if a directory is a tree, or is in it. Neither need exist yet.
func checkOutside(dir, tree string, errInside error) error {
	top, err := os.Stat(tree)
	if err != nil {
		return nil // nothing is in it
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return cause(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	for err != nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		real, err = filepath.EvalSymlinks(dir)
	}
	for err == nil {
		var info os.FileInfo
		if info, err = os.Stat(real); err == nil && os.SameFile(info, top) {
			return errInside
		}
		if real == filepath.Dir(real) {
			break
		}
		real = filepath.Dir(real)
	}
	return cause(err)
}
