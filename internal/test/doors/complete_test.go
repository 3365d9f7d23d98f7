package doors_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notDoors are the exported functions that may carry a document by their signature, and are
// no ways for one, for each reason.
var notDoors = map[string][]string{
	"takes or returns a URL":                                         {"rewriter.Rewriter.ParseBase", "rewriter.Rewriter.ParseBaseOn", "web.BaseURL"},
	"takes a header field":                                           {"container.ParseBaseField", "container.ResponseBase", "container.FieldURL", "container.FieldPlaces", "container.RewriteField", "web.MediaType"},
	"is about rules and options":                                     {"rewriter.ParseRule", "rewriter.RuleGroup", "rewriter.Syntax.UnmarshalText"},
	"reads an attribute in a call of Visit":                          {"rewriter.Place.Attribute", "rewriter.Place.Attributes"},
	"returns a field of a record":                                    {"warc.Record.Version", "warc.Record.Get", "warc.Record.Type", "warc.Record.ID", "warc.Record.URL"},
	"writes a record without a document":                             {"warc.Rewriter.WriteInfo"},
	"reads records, or finds them, as they are":                      {"warc.NewReader", "warc.Record.Read", "warc.NextRecord", "warc.Archives", "warc.Archive.Reader"},
	"fetches a document, and rewrites nothing":                       {"web.Client.Get"},
	"writes nothing; Visit sees what tree.Rewriter.Rewrite shows it": {"tree.Rewriter.Look"},
	"is Rewriter.Rewrite with a strings.Reader and the default options, as TestString checks": {"rewriter.String"},
}

// TestEveryDoor wants a row, or a reason, for each exported function of the library by which
// a document may go in or come out.
func TestEveryDoor(t *testing.T) {
	found := exported(parsedFiles(t, "../../../rewriter"), parsedFiles(t, "../../../resolver"))
	var of, not []string
	for _, d := range library {
		of = append(of, d.Of...)
	}
	for _, names := range notDoors {
		not = append(not, names...)
	}
	for _, name := range found {
		if slices.Contains(of, name) == slices.Contains(not, name) {
			t.Errorf("%s may carry a document: it needs either a row in package doors, or a reason in notDoors", name)
		}
	}
	for _, name := range slices.Concat(of, not) {
		if !slices.Contains(found, name) {
			t.Errorf("a row or notDoors names %s: no exported function of this name may carry a document", name)
		}
	}
}

// parsedFiles parses the packages below a directory, without those that are internal.
func parsedFiles(t *testing.T, root string) (files []*ast.File) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "internal":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// exported returns the exported functions and methods whose signature may carry a document.
// others declares types that they use.
func exported(files, others []*ast.File) (names []string) {
	finder := finder{}
	finder.declare(slices.Concat(others, files))
	for _, f := range files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || saysOfItself(fn) || !finder.carries(f.Name.Name, fn.Type, false) {
				continue
			}
			name := f.Name.Name + "."
			if fn.Recv != nil {
				receiver := receiver(fn)
				if !ast.IsExported(receiver) {
					continue
				}
				name += receiver + "."
			}
			names = append(names, name+fn.Name.Name)
		}
	}
	slices.Sort(names)
	return names
}

// receiver returns the name of the type that has a method.
func receiver(fn *ast.FuncDecl) string {
	e := fn.Recv.List[0].Type
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		}
	}
}

// saysOfItself reports whether a function only says what its receiver is, as an error or as a
// text, or whether its argument is something: a bool comes out.
func saysOfItself(fn *ast.FuncDecl) bool {
	if fn.Recv != nil {
		return len(fn.Type.Params.List) == 0 && slices.Contains([]string{"Error", "String", "Unwrap", "MarshalText"}, fn.Name.Name)
	}
	for _, param := range fn.Type.Params.List {
		if t := types.ExprString(param.Type); t != "string" && t != "[]byte" {
			return false
		}
	}
	results := fn.Type.Results
	return results != nil && len(results.List) == 1 && types.ExprString(results.List[0].Type) == "bool"
}

// A finder finds the types in which a document may be: text, bytes, interfaces, and what
// other modules declare. It knows the types that this module declares, by package and name.
type finder map[string]ast.Expr

func (f finder) declare(files []*ast.File) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if t, ok := n.(*ast.TypeSpec); ok {
				f[file.Name.Name+"."+t.Name.Name] = t.Type
			}
			return true
		})
	}
}

// harmless are the names of types in which no document is.
var harmless = strings.Fields(`bool byte rune error int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr
	float32 float64 complex64 complex128 context.Context time.Time time.Duration`)

// carries reports whether a document may be in a type that a file of pkg names. In a field,
// strings are names and URLs, and functions are those of the caller.
func (f finder) carries(pkg string, e ast.Expr, inField bool) bool {
	of := func(e ast.Expr) bool { return f.carries(pkg, e, inField) }
	fields := func(list *ast.FieldList, f func(ast.Expr) bool) bool {
		return list != nil && slices.ContainsFunc(list.List, func(field *ast.Field) bool { return f(field.Type) })
	}
	switch t := e.(type) {
	case *ast.Ident:
		return f.named(pkg+"."+t.Name, t.Name, inField)
	case *ast.SelectorExpr:
		return f.named(types.ExprString(t), types.ExprString(t), inField)
	case *ast.StarExpr:
		return of(t.X)
	case *ast.Ellipsis:
		return f.sequence(pkg, t.Elt, inField)
	case *ast.ArrayType:
		return f.sequence(pkg, t.Elt, inField)
	case *ast.MapType:
		return of(t.Key) || of(t.Value)
	case *ast.FuncType:
		return !inField && (fields(t.Params, of) || fields(t.Results, of))
	case *ast.StructType:
		return slices.ContainsFunc(t.Fields.List, func(field *ast.Field) bool {
			public := field.Names == nil || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported)
			return public && f.carries(pkg, field.Type, true)
		})
	}
	return true // an interface, or what is not known
}

// sequence reports whether a document may be in a sequence of a type.
func (f finder) sequence(pkg string, e ast.Expr, inField bool) bool {
	name := types.ExprString(e)
	return name == "byte" || name == "rune" || name == "uint8" || name == "int32" || f.carries(pkg, e, inField)
}

// named reports whether a document may be in a type of this module, or in another one.
func (f finder) named(own, name string, inField bool) bool {
	if t, ok := f[own]; ok {
		delete(f, own) // it may have itself as a field
		defer func() { f[own] = t }()
		pkg, _, _ := strings.Cut(own, ".")
		return f.carries(pkg, t, inField)
	}
	return !slices.Contains(harmless, name) && !(inField && name == "string")
}
