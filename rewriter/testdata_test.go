package rewriter

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// testdata/README.md has the checksum of every file in testdata: a checkout
// that changed line ends, or a file that changed unnoticed, is found here.
func TestChecksums(t *testing.T) {
	readme, err := os.ReadFile("../testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(readme), "```\n")
	list, _, _ = strings.Cut(list, "```")
	var want strings.Builder
	err = fs.WalkDir(os.DirFS("../testdata"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "README.md" {
			return err
		}
		data, err := os.ReadFile("../testdata/" + name)
		fmt.Fprintf(&want, "%x  %s\n", sha256.Sum256(data), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if list != want.String() {
		t.Errorf("testdata/README.md lists\n%s\nthe files are\n%s", list, want.String())
	}
}

// isLimit reports whether an error says that the limit of a field was reached.
func isLimit(err error, field string) bool {
	var limit *LimitError
	return errors.As(err, &limit) && limit.Field == field
}
