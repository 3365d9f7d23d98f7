package doors_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"absolink/internal/test/doors"
)

// notDoors are the exported functions with a reader, a writer, a response or a tree in their
// signature that are no way for a document, and why. So are the functions that are ways for
// a document, although their signature does not show it.
var notDoors = map[string]string{
	"warc.Rewriter.WriteInfo": "writes a record without a document",
	"warc.NextRecord":         "looks for a record",
	"warc.Record.Read":        "reads a record as it is",
	"warc.NewReader":          "reads records as they are",
	"warc.Archive.Reader":     "reads an archive as it is",
	"warc.Archives":           "lists files",
	"web.Client.Get":          "fetches a document, and rewrites nothing",
	"tree.Rewriter.Look":      "writes nothing; Visit sees what tree.Rewriter.Rewrite shows it",
	"rewriter.String":         "is Rewriter.Rewrite with a strings.Reader and the default options, as TestString checks",
}

// carries fits the types of a signature in which a document may be.
var carries = regexp.MustCompile(`\bio\.(Reader|ReaderAt|Writer|WriteCloser|ReadCloser)\b|\*http\.Response\b|http\.(Handler|RoundTripper)\b|\*html\.Node\b|\*goquery\.|\*Reader\b|\*Writer\b|\bcontext\.Context\b|\bhtml\b.*\bstring\b|\(\w+ \[\]byte\) \((n )?int, (err )?error\)`)

// TestEveryDoor wants a row for each exported function of the library by which a document
// goes in or comes out.
func TestEveryDoor(t *testing.T) {
	found := exported(t, "../../../rewriter")
	for _, name := range found {
		inRow := slices.ContainsFunc(library, func(d doors.Door) bool { return slices.Contains(d.Of, name) })
		_, isNot := notDoors[name]
		switch {
		case !inRow && !isNot:
			t.Errorf("%s may carry a document: it needs a row in package doors, or a reason in notDoors", name)
		case inRow && isNot:
			t.Errorf("%s is in a row and in notDoors", name)
		}
	}
	for name := range notDoors {
		if !slices.Contains(found, name) {
			t.Errorf("notDoors: there is no %s", name)
		}
	}
	for _, d := range library {
		for _, name := range d.Of {
			if !slices.Contains(found, name) {
				t.Errorf("%s: there is no %s", d.Name, name)
			}
		}
	}
}

// exported returns the exported functions and methods below a directory whose signature may
// carry a document.
func exported(t *testing.T, root string) (names []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "internal":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || !carries.MatchString(text(fset, fn.Type)) {
				continue
			}
			name := f.Name.Name + "." + fn.Name.Name
			if fn.Recv != nil {
				receiver := strings.TrimPrefix(text(fset, fn.Recv.List[0].Type), "*")
				if !ast.IsExported(receiver) {
					continue
				}
				name = f.Name.Name + "." + receiver + "." + fn.Name.Name
			}
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// text returns the source of a node.
func text(fset *token.FileSet, n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, fset, n); err != nil {
		panic(err)
	}
	return b.String()
}
