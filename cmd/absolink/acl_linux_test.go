package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"absolink/cmd/absolink/internal/console"
	"absolink/rewriter/tree"
)

const (
	accessACL  = "system.posix_acl_access"
	defaultACL = "system.posix_acl_default"
)

// acl returns a POSIX access control list: the rights of the owner, of users by their
// numbers, of the group, the mask, and the rights of others.
func acl(owner uint16, users map[uint32]uint16, group, mask, other uint16) []byte {
	const none = 1<<32 - 1
	b := binary.LittleEndian.AppendUint32(nil, 2)
	add := func(tag, rights uint16, id uint32) {
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, rights)
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	add(0x01, owner, none)
	for id := range uint32(100) { // in order
		if rights, ok := users[id]; ok {
			add(0x02, rights, id)
		}
	}
	add(0x04, group, none)
	add(0x10, mask, none)
	add(0x20, other, none)
	return b
}

// setACL gives a file or directory an access control list.
func setACL(t *testing.T, name, attr string, list []byte) {
	t.Helper()
	if err := unix.Setxattr(name, attr, list, 0); errors.Is(err, unix.ENOTSUP) {
		t.Skipf("the file system of %s has no access control lists", name)
	} else if err != nil {
		t.Fatal(err)
	}
}

// rights returns the mode and the access control list of a file.
func rights(t *testing.T, name string) string {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]byte, 1<<10)
	n, err := unix.Getxattr(name, accessACL, list)
	if err != nil && !errors.Is(err, unix.ENODATA) && !errors.Is(err, unix.ENOTSUP) {
		t.Fatal(err)
	}
	return fmt.Sprintf("%v %x", info.Mode(), bytes.Clone(list[:max(n, 0)]))
}

// rightsOfFiles are the rights of a file before it is rewritten.
var rightsOfFiles = map[string]struct {
	mode fs.FileMode
	acl  []byte
}{
	"no list":      {0o640, nil},
	"owner only":   {0o600, nil},
	"mask":         {0, acl(6, map[uint32]uint16{5: 4}, 0, 6, 0)}, // which looks like a group that may write
	"user denied":  {0, acl(6, map[uint32]uint16{5: 0}, 4, 4, 4)}, // who would read as others do
	"group denied": {0, acl(6, map[uint32]uint16{5: 6, 7: 4}, 0, 4, 4)},
}

// TestACL: what replaces a file, or is made from it in another tree, has its access control
// list, and none that the directory gives to new files.
func TestACL(t *testing.T) {
	for name, has := range rightsOfFiles {
		for _, inherits := range []bool{false, true} {
			dir := t.TempDir()
			path := func(name string) string { return filepath.Join(dir, name) }
			for _, sub := range []string{"w", "o", "tree", "tree/sub", "src", "src/sub", "dst"} {
				if err := os.Mkdir(path(sub), 0o750); err != nil {
					t.Fatal(err)
				}
			}
			pages := []string{"w/a.html", "o/a.html", "tree/a.html", "tree/sub/b.html", "src/a.html", "src/sub/b.html", "src/sub/c.txt"}
			for _, page := range pages {
				write(t, path(page), "<a href=x>")
				if has.acl != nil {
					setACL(t, path(page), accessACL, has.acl)
				} else if err := os.Chmod(path(page), has.mode); err != nil {
					t.Fatal(err)
				}
			}
			want := rights(t, path(pages[0]))
			setACL(t, path("src/sub"), accessACL, acl(7, map[uint32]uint16{5: 5}, 0, 5, 0))
			if inherits {
				for _, sub := range []string{"w", "o", "tree", "tree/sub", "dst"} {
					setACL(t, path(sub), defaultACL, acl(7, map[uint32]uint16{9: 7}, 7, 7, 7))
				}
			}
			for _, args := range [][]string{
				{"-w", path("w/a.html")}, {"-o", path("o/a.html"), path("src/a.html")},
				{"tree", "-w", path("tree")}, {"tree", path("src"), path("dst")},
			} {
				if code, _, stderr := run1("", append(args, "--url", "http://h/")...); code != console.ExitDone {
					t.Errorf("%s: %q: %d %s", name, args[0], code, stderr)
				}
			}
			for _, page := range append(pages[:4], "dst/a.html", "dst/sub/b.html", "dst/sub/c.txt") {
				if got := rights(t, path(page)); got != want {
					t.Errorf("%s, inherits %v: %s: %s, want %s", name, inherits, page, got, want)
				}
				if text, err := os.ReadFile(path(page)); err != nil || filepath.Ext(page) == ".html" && !bytes.Contains(text, []byte("http://h/")) {
					t.Errorf("%s: %s: %q, %v", name, page, text, err)
				}
			}
			if got, want := rights(t, path("dst/sub")), rights(t, path("src/sub")); got != want {
				t.Errorf("%s, inherits %v: the directory: %s, want %s", name, inherits, got, want)
			}
		}
	}
}

// TestRightsChangedWhileRead: a file whose access control list or owner has changed while it
// was read is not replaced, since the new file would have the old ones.
func TestRightsChangedWhileRead(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"list": func(path string) error {
			return unix.Setxattr(path, accessACL, acl(6, map[uint32]uint16{5: 0}, 4, 4, 4), 0)
		},
		"owner": func(path string) error { return os.Chown(path, nobody, nobody) },
	} {
		t.Run(name, func(t *testing.T) {
			s, path := spotOf(t)
			f, err := s.Open()
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			if err := change(path); errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
				t.Skipf("the file cannot be changed so: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			if err := s.Replace(changing(t, func(string) error { return nil }, path)); !errors.Is(err, tree.ErrChanged) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestNoACL: where a list cannot be kept, group and others get no rights.
func TestNoACL(t *testing.T) {
	src, dst := t.TempDir(), t.TempDir()
	for name, list := range map[string][]byte{"a.html": acl(6, map[uint32]uint16{5: 0}, 4, 4, 4), "b.txt": acl(6, map[uint32]uint16{5: 4}, 0, 4, 0)} {
		write(t, filepath.Join(src, name), "<a href=x>")
		setACL(t, filepath.Join(src, name), accessACL, list)
	}
	write(t, filepath.Join(src, "c.html"), "<a href=x>")
	if err := syscall.Mount("ramfs", dst, "ramfs", 0, ""); err != nil {
		t.Skipf("no file system without access control lists can be mounted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dst, 0) })
	if code, _, stderr := run1("", "tree", src, dst, "--url", "http://h/"); code != console.ExitDone {
		t.Errorf("%d: %s", code, stderr)
	}
	info, err := os.Stat(filepath.Join(src, "c.html"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"a.html": 0o600, "b.txt": 0o600, "c.html": info.Mode()} {
		if info, err := os.Stat(filepath.Join(dst, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// TestUnknownACL: the list of an output that can be neither read nor written is not known.
func TestUnknownACL(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root alone gives files away")
	}
	dir := t.TempDir()
	for _, open := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(open, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for mode, want := range map[fs.FileMode]fs.FileMode{0o044: 0, 0o244: 0o244, 0o444: 0o444} {
		name := filepath.Join(dir, "page.html")
		os.Remove(name)
		write(t, name, "")
		if err := errors.Join(os.Chown(name, nobody, nobody), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("unprivileged", "-o", name, "--url", "http://h/")
		cmd.Dir = "/"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%v: %v, want %v; %v", mode, info.Mode(), want, err)
		}
	}
}
