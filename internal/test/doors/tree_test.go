package doors_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"absolink/internal/test/doors"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

var trees = []doors.Door{
	inTree("tree.Rewrite", func(r *tree.Rewriter, ctx context.Context, dir string) (tree.Result, string, error) {
		result, err := r.Rewrite(ctx, filepath.Join(dir, "to"), filepath.Join(dir, "from"))
		return result, "to", err
	}),
	inTree("tree.RewriteInPlace", func(r *tree.Rewriter, ctx context.Context, dir string) (tree.Result, string, error) {
		result, err := r.RewriteInPlace(ctx, filepath.Join(dir, "from"))
		return result, "from", err
	}),
}

// inTree returns the door for a tree with one page.
func inTree(name string, do func(r *tree.Rewriter, ctx context.Context, dir string) (result tree.Result, out string, err error)) doors.Door {
	return doors.Door{
		Name: name, Of: []string{"tree.Rewriter." + name[len("tree."):]}, Slow: true, Row: slices.Concat(doors.Reads, doors.Writes), // the door opens files
		Not: doors.With(doors.Not("a tree has a URL", "stays"), doors.Not("the row holds the file", "memory")),
		Run: func(p *doors.Pass) error {
			dir, err := os.MkdirTemp("", "tree")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			doc, err := read(p.Src)
			if err != nil {
				return err
			}
			if err := os.Mkdir(filepath.Join(dir, "from"), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, "from", "p.html"), doc, 0o666); err != nil {
				return err
			}
			site, err := p.HTML.ParseBase("http://h/d/")
			if err != nil {
				return err
			}
			var failed *tree.Error
			r := &tree.Rewriter{HTML: p.HTML, URL: site, Failed: func(err *tree.Error) { failed = err }}
			result, to, err := do(r, p.Ctx, dir)
			if failed != nil { // its Op is "rewrite"
				return &rewriter.Error{Op: "visit", Offset: failed.Offset, Err: failed.Err}
			}
			if err != nil {
				return err
			}
			p.Result = &result.Places
			out, err := os.ReadFile(filepath.Join(dir, to, "p.html"))
			if err != nil {
				return err
			}
			return doors.Put(p.Dst, out)
		},
	}
}
