package tree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// checkApart returns ErrNested if one of two trees is in the other. dst need not exist
// yet.
func checkApart(dst, src string) error {
	for _, pair := range [][2]string{{dst, src}, {src, dst}} {
		inner, outer := pair[0], pair[1]
		info, err := os.Stat(outer)
		if err != nil {
			continue // outer does not exist yet, so nothing is in it
		}
		above, err := ancestors(inner)
		if err != nil {
			return cause(err)
		}
		if slices.ContainsFunc(above, func(dir os.FileInfo) bool { return os.SameFile(dir, info) }) {
			return ErrNested
		}
	}
	return nil
}

// checkOutside returns an error if a file would be in one of the trees, which exist.
func checkOutside(file string, trees ...string) error {
	above, err := ancestors(filepath.Dir(file))
	if err != nil {
		return cause(err)
	}
	for _, tree := range trees {
		info, err := os.Stat(tree)
		if err == nil && slices.ContainsFunc(above, func(dir os.FileInfo) bool { return os.SameFile(dir, info) }) {
			return errors.New("it would be a file of the tree " + tree)
		}
	}
	return nil
}

// ancestors returns a directory and all directories that it is in, as far as they
// exist.
func ancestors(dir string) (all []os.FileInfo, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			dir = real
			break
		}
		if filepath.Dir(dir) == dir {
			return nil, err
		}
		dir = filepath.Dir(dir)
	}
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, info)
		if filepath.Dir(dir) == dir {
			return all, nil
		}
		dir = filepath.Dir(dir)
	}
}
