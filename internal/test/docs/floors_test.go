package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"absolink/internal/test/docs"
)

// Each package stands on one floor of the table in CONTRIBUTING.md, and imports only what
// that table allows.
func TestFloors(t *testing.T) {
	rows := docs.Table(t, "floors")
	floorOf := func(pkg string) int {
		floor := -1
		for i, row := range rows {
			for _, name := range strings.Fields(strings.ReplaceAll(row[0], "`", "")) {
				tree, isTree := strings.CutSuffix(name, "...")
				if pkg != name && !(isTree && strings.HasPrefix(pkg+"/", tree)) {
					continue
				}
				if floor >= 0 {
					t.Errorf("%s stands in two rows", pkg)
				}
				floor = i
			}
		}
		if floor < 0 {
			t.Errorf("%s stands in no row", pkg)
		}
		return floor
	}
	root := docs.Root(t)
	imports := 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.Name() == "node_modules" {
			return fs.SkipDir // not ours
		}
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if dir == "." || err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		floor := floorOf(pkg)
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imported, ours := strings.CutPrefix(path, "absolink/")
			if !ours {
				continue
			}
			imports++
			if on := floorOf(imported); on > floor || on == floor && rows[floor][1] != "yes" {
				t.Errorf("%s imports %s, which does not stand below it", pkg, imported)
			}
		}
		return nil
	})
	if err != nil || imports == 0 {
		t.Errorf("%d imports, %v", imports, err)
	}
}
