package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every table that a page calls a test is asked for by a test.
func TestTables(t *testing.T) {
	var tests strings.Builder
	err := filepath.WalkDir(Root(t), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range Pages(t) {
		for name := range page.Tables() {
			n++
			if !strings.Contains(tests.String(), "docs.Table(t, \""+name+"\")") {
				t.Errorf("%s: no test asks for the table %s", page.Name, name)
			}
		}
	}
	if n == 0 {
		t.Error("no table is a test")
	}
}
