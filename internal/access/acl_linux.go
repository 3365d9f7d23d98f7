package access

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"absolink/internal/regular"
)

const (
	aclName = "system.posix_acl_access"
	maxACL  = 64 << 10 // of any attribute
)

// aclOf returns the POSIX access control list of a file; nil if it has none, or the file
// system has none.
func aclOf(f *os.File) ([]byte, error) {
	for _, size := range []int{256, maxACL} {
		acl := make([]byte, size)
		n, err := unix.Fgetxattr(int(f.Fd()), aclName, acl)
		switch {
		case err == nil:
			return acl[:n], nil
		case errors.Is(err, unix.ENODATA), errors.Is(err, unix.ENOTSUP):
			return nil, nil
		case !errors.Is(err, unix.ERANGE):
			return nil, err
		}
	}
	return nil, unix.ERANGE
}

// setACL gives a file an access control list or, if acl is nil, takes away the one that it
// has inherited from its directory.
func setACL(f *os.File, acl []byte) error {
	if acl != nil {
		return unix.Fsetxattr(int(f.Fd()), aclName, acl, 0)
	}
	err := unix.Fremovexattr(int(f.Fd()), aclName)
	if errors.Is(err, unix.ENODATA) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// At returns the rights of the file that has a name in a directory. info is its Lstat. The
// access control list of a file that can be neither read nor written is not known.
func At(dir *os.Root, name string, info fs.FileInfo) (Rights, error) {
	f, opened, err := regular.Open(dir, name)
	if errors.Is(err, fs.ErrPermission) {
		if f, err = dir.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
			opened, err = f.Stat()
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return Rights{info: info, closed: true}, nil
	}
	if f != nil {
		defer f.Close()
	}
	switch {
	case err != nil:
		return Rights{}, err
	case !os.SameFile(opened, info):
		return Rights{}, errOther
	}
	return Of(f, opened), nil
}

var errOther = errors.New("another file has its name now; run again")
