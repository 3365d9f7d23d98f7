// Package access gives new files the access rights of other files, so that nobody can read
// a new version of a file who could not read the old one.
package access

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Rights say who may do what with a file or a directory.
type Rights struct {
	info   fs.FileInfo
	acl    []byte // the access control list; nil if there is none
	closed bool   // the access control list is not known
}

// Of returns the rights of an open file. info is its Stat.
func Of(f *os.File, info fs.FileInfo) Rights {
	acl, err := aclOf(f)
	return Rights{info, acl, err != nil}
}

// Keep gives the rights to a file that is to replace the one that has them: owner, group,
// access control list and mode. It fails if one of them cannot be kept. If the access
// control list is not known, group and others get no rights.
func (r Rights) Keep(f *os.File) error {
	if err := keepOwner(f, r.info); err != nil {
		return err
	}
	mode := r.info.Mode()
	if r.closed {
		mode = alone(mode)
	} else if err := setACL(f, r.acl); err != nil {
		return fmt.Errorf("access control list: %w", err)
	}
	return keepMode(f, mode)
}

// Copy gives the access control list and the permissions to a file or directory that is
// not to replace the one that has them, and adds the permissions in more. Bits by which a
// program runs as its owner are left out: the owner may be another one. If f cannot have
// the access control list, group and others get no rights. It is not an error if the file
// system of f has no permissions.
func (r Rights) Copy(f *os.File, more fs.FileMode) error {
	mode := r.info.Mode().Perm()
	if r.closed || setACL(f, r.acl) != nil {
		mode = alone(mode)
	}
	err := f.Chmod(mode | more)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// AreAt reports whether the file that has a name in a directory is the one with the rights,
// and has the same rights now.
func (r Rights) AreAt(dir *os.Root, name string) bool {
	info, err := dir.Lstat(name)
	if err != nil || !os.SameFile(info, r.info) || info.Mode() != r.info.Mode() || !isSameOwner(info, r.info) {
		return false
	}
	now, err := At(dir, name, info)
	return err == nil && now.closed == r.closed && bytes.Equal(now.acl, r.acl)
}

// alone returns a mode without the rights of group and others. Below an access control
// list, the rights of the group bound those of everybody on the list.
func alone(mode fs.FileMode) fs.FileMode { return mode &^ 0o077 }

// An OwnerError says that a file cannot be given an owner and a group. With others, the
// same mode could give access to people who had none.
type OwnerError struct {
	UID, GID uint32
	Err      error
}

func (e *OwnerError) Error() string { return fmt.Sprintf("%v (%d:%d)", e.Err, e.UID, e.GID) }

// Unwrap returns e.Err.
func (e *OwnerError) Unwrap() error { return e.Err }
