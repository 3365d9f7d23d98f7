//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"absolink/cmd/absolink/internal/outfile"
	"absolink/rewriter/tree"
)

// changes are what may become of a file while a run goes on.
var changes = map[string]func(path string) error{
	"longer": func(path string) error { return os.WriteFile(path, []byte("longer than before"), 0) },
	"mode":   func(path string) error { return os.Chmod(path, 0o600) },
	"saved": func(path string) error {
		return errors.Join(os.WriteFile(path+"~", []byte("saved"), 0o600), os.Rename(path+"~", path))
	},
	"link": func(path string) error { return errors.Join(os.Rename(path, path+"~"), os.Symlink(path+"~", path)) },
	"gone": os.Remove,
}

// spotOf returns the spot of a new file, whose text is "page".
func spotOf(t *testing.T) (s *outfile.Spot, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "page.html")
	write(t, path, "page")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := outfile.Locate(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, path
}

// changing returns what writes "new", and changes a file before that.
func changing(t *testing.T, change func(string) error, path string) func(io.Writer) (bool, error) {
	return func(w io.Writer) (bool, error) {
		if err := change(path); err != nil {
			t.Error(err)
		}
		_, err := io.WriteString(w, "new")
		return true, err
	}
}

// TestChangedWhileRead: a file that was read is replaced only if it is as it was.
func TestChangedWhileRead(t *testing.T) {
	for name, change := range changes {
		for _, early := range []bool{true, false} {
			s, path := spotOf(t)
			if early { // before it is opened, which only a size or a mode survives
				if err := change(path); err != nil {
					t.Fatal(err)
				}
			}
			f, err := s.Open()
			if err == nil {
				f.Close()
				if early && (name == "longer" || name == "mode") {
					continue
				}
				err = s.Replace(changing(t, change, path))
			}
			if !errors.Is(err, tree.ErrChanged) {
				t.Errorf("%s, early %v: %v", name, early, err)
			}
			if text, _ := os.ReadFile(path); string(text) == "new" || len(files(t, filepath.Dir(path))) > 2 {
				t.Errorf("%s, early %v: %q, %v", name, early, text, files(t, filepath.Dir(path)))
			}
		}
	}
}

// TestOutputChanged: an output takes the place of what is there at the end, with the mode
// of that, unless it is not a file any more.
func TestOutputChanged(t *testing.T) {
	modes := map[string]os.FileMode{"longer": 0o644, "mode": 0o600, "saved": 0o600, "gone": 0o644}
	for name, change := range changes {
		s, path := spotOf(t)
		err := s.Replace(changing(t, change, path))
		mode, replaced := modes[name]
		if (err == nil) != replaced {
			t.Errorf("%s: %v", name, err)
		}
		info, statErr := os.Lstat(path)
		if statErr != nil || replaced && (info.Mode() != mode || info.Size() != int64(len("new"))) || len(files(t, filepath.Dir(path))) > 2 {
			t.Errorf("%s: %v, %v, %v", name, info, statErr, files(t, filepath.Dir(path)))
		}
	}
}

// TestDeviceBecomesFile: what is written to a device is not written over a file.
func TestDeviceBecomesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "mine")
	err := outfile.WriteDevice(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
	if text, _ := os.ReadFile(path); err == nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}
