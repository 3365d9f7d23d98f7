package docs_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"absolink/internal/test/docs"
)

// The files of a package can be put in an order in which nearly every file uses lower files
// alone. The table in CONTRIBUTING.md says how many uses of a higher file are left.
func TestOrder(t *testing.T) {
	rows := docs.Table(t, "order")
	platform := build.Default // files for others would change the counts
	platform.GOOS, platform.GOARCH = "linux", "amd64"
	fset := token.NewFileSet()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	var packages []string
	for _, row := range rows {
		packages = append(packages, strings.Trim(row[0], "`"))
		args = append(args, "./"+packages[len(packages)-1])
	}
	list := exec.Command("go", args...)
	list.Dir, list.Stderr = docs.Root(t), os.Stderr
	list.Env = append(os.Environ(), "GOOS="+platform.GOOS, "GOARCH="+platform.GOARCH)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for i, name := range packages {
		u := usesIn(t, &platform, fset, from, filepath.Join(docs.Root(t), name))
		order, up := u.order()
		if want, err := strconv.Atoi(rows[i][1]); err != nil || up != want {
			var names strings.Builder
			for i, lower := range order {
				for _, higher := range order[i+1:] {
					var objects []string
					for object := range u[[2]string{lower, higher}] {
						objects = append(objects, object.Name())
					}
					if len(objects) > 0 {
						slices.Sort(objects)
						fmt.Fprintf(&names, "\n%s uses %s of %s", lower, strings.Join(objects, ", "), higher)
					}
				}
			}
			t.Errorf("%s: %d files use a higher one, and the table says %s:%s", name, up, rows[i][1], names.String())
		}
	}
}

// uses are the declarations, fields and methods of another file that a file uses: [2]string
// names the file and the other file.
type uses map[[2]string]map[types.Object]bool

// usesIn returns the uses between the files of the package in a directory.
func usesIn(t *testing.T, platform *build.Context, fset *token.FileSet, from types.Importer, dir string) uses {
	in, err := platform.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range in.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: from}).Check("absolink/x", fset, files, &info)
	if err != nil {
		t.Fatal(err)
	}
	u := uses{}
	for id, object := range info.Uses {
		method, isFunc := object.(*types.Func)
		field, isVar := object.(*types.Var)
		if object.Pkg() != pkg || object.Parent() != pkg.Scope() && !(isFunc && method.Signature().Recv() != nil) && !(isVar && field.IsField()) {
			continue
		}
		pair := [2]string{filepath.Base(fset.File(id.Pos()).Name()), filepath.Base(fset.File(object.Pos()).Name())}
		if u[pair] == nil {
			u[pair] = map[types.Object]bool{}
		}
		u[pair][object] = true
	}
	return u
}

// order returns the best order that is found from many beginnings, the lowest file first, and
// how many files of it use a higher one, counted for each higher one.
func (u uses) order() (order []string, up int) {
	var files []string
	for pair := range u {
		if pair[0] != pair[1] {
			files = append(files, pair[:]...)
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		if found, n := u.improve(slices.Clone(files)); order == nil || n < up {
			order, up = found, n
		}
	}
	return order, up
}

// improve lets neighbouring parts of an order change places, until that makes up no less.
func (u uses) improve(order []string) (_ []string, up int) {
	n := len(order)
	for moved := true; moved; {
		sum := make([][]int, n+1) // sum[i][j] is how many of the first i files use one of the first j
		sum[0] = make([]int, n+1)
		for i := range n {
			sum[i+1] = make([]int, n+1)
			for j := range n {
				sum[i+1][j+1] = sum[i][j+1] + sum[i+1][j] - sum[i][j] + min(1, len(u[[2]string{order[i], order[j]}]))
			}
		}
		within := func(from, to, first, last int) int {
			return sum[to][last] - sum[from][last] - sum[to][first] + sum[from][first]
		}
		moved, up = false, 0
		for i := range n {
			up += within(i, i+1, i+1, n)
		}
	search:
		for i := range n {
			for k := i + 2; k <= n; k++ {
				for j := i + 1; j < k; j++ {
					if within(i, j, j, k) > within(j, k, i, j) {
						order = slices.Concat(order[:i], order[j:k], order[i:j], order[k:])
						moved = true
						break search
					}
				}
			}
		}
	}
	return order, up
}
