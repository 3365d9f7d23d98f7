package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/coding"
	"absolink/internal/listing"
	"absolink/internal/regular"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

// previewOptions show what rewriting a tree would change.
type previewOptions struct {
	List   bool       `short:"l" name:"list-changes" xor:"to" group:"output" help:"Only write the names of the files of SRC that would change, one per line. With --strict, exit with 3 if there is one."`
	Diff   bool       `xor:"to" group:"output" help:"Only write what would change in each file of SRC, as a unified diff that patch -p0 applies. Of compressed feeds and symbolic links, only say that they change."`
	Report optionMode `modes:"text,html" xor:"to" group:"output" help:"Only write how many URLs there are in all files, by place, scheme and host, and what becomes of them. A feed counts as one document."`
}

func (o *previewOptions) check(c *treeCommand) error {
	switch {
	case !o.previews():
		return nil
	case c.Dst != "" || c.InPlace || c.Check != "":
		return errors.New("-l, --diff and --report write no files, and take neither DST, --in-place nor --check")
	case o.Report == reportHTML:
		return errors.New("--report=html is for FILEs: absolink --report=html --url URL FILE shows the places of a page")
	case o.Report != "" && c.KeepLocal:
		return errors.New("--report does not see what --keep-local keeps; --diff shows it")
	case c.JSON && o.Report == "":
		return errors.New("with -l and --diff there is no summary for --json")
	}
	return nil
}

// previews reports whether something is shown, and nothing written.
func (o *previewOptions) previews() bool { return o.List || o.Diff || o.Report != "" }

// A preview shows the files of a tree in the order of their names, whatever order they are
// read in. Beyond maxFindings bytes, what is held is shown, and the order begins anew.
type preview struct {
	*treeCommand
	ui     *console.UI
	files  *treeFiles
	after  map[string]*roomy // what becomes of the pages that are being read
	held   []shownFile
	size   int
	report report
	count  int64 // files that would change
}

// A shownFile is what is shown of a file.
type shownFile struct {
	name string
	text []byte
}

// A roomy holds what is written to it, and only notes that there was too much.
type roomy struct {
	view.Held
	full bool
}

func (r *roomy) Write(p []byte) (int, error) {
	if !r.full {
		_, err := r.Held.Write(p)
		r.full = err != nil
	}
	return len(p), nil
}

// preview has the files shown that would change. The result is to be ended after the run.
func (c *treeCommand) preview(ui *console.UI, t *tree.Rewriter, files *treeFiles) *preview {
	p := &preview{treeCommand: c, ui: ui, files: files, after: map[string]*roomy{}}
	if !c.previews() && !c.DryRun {
		return p
	}
	if c.Diff {
		t.Output = func(path string) io.Writer {
			p.after[path] = &roomy{Held: view.Held{Room: view.NewRoom()}}
			return p.after[path]
		}
	}
	if c.Report != "" {
		h := t.HTML.Hooks()
		h.Visit = p.report.visit
		t.HTML = t.HTML.With(h)
	}
	done := t.Done
	t.Done = func(f tree.File) {
		p.file(f)
		done(f)
	}
	return p
}

// file shows a file, if it would change, or would be written with --dry-run.
func (p *preview) file(f tree.File) {
	if p.DryRun {
		switch {
		case f.Outcome == tree.Rewritten && isChange(f.Places):
			p.would("rewrite", f.Path)
		case f.Outcome == tree.Rewritten || f.Outcome == tree.Copied:
			p.would("copy", f.Path)
		case f.Outcome == tree.Linked:
			p.would("link", f.Path)
		}
		return
	}
	after := p.after[f.Path]
	delete(p.after, f.Path)
	if !f.Page || f.Outcome == tree.Failed {
		return
	}
	p.report.places.add(countsOf(f.Places))
	p.report.document(&rewriter.Document{Result: f.Places})
	if !isChange(f.Places) {
		return
	}
	p.count++
	name := p.files.name(f.Path)
	switch {
	case p.List:
		p.show(name, []byte(listing.Visible(name)+"\n"))
	case p.Diff:
		diff, err := p.diff(name, f.Path, after)
		if err != nil {
			p.ui.Errorf("%s: %v", name, err)
			return
		}
		p.show(name, diff)
	}
}

// diff returns the unified diff of a file.
func (p *preview) diff(name, path string, after *roomy) ([]byte, error) {
	before := &roomy{Held: view.Held{Room: after.Room}}
	src, err := regular.OpenRoot(p.Src)
	if err != nil {
		return nil, console.Cannot("open", p.Src, err)
	}
	defer src.Close()
	if info, err := src.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSymlink { // patch takes only files
		return fmt.Appendf(nil, "Symbolic link %s becomes a page of its own\n", view.DiffName(name)), nil
	}
	f, _, err := regular.Open(src, path)
	if err != nil {
		return nil, fmt.Errorf("cannot open: %w", console.Cause(err))
	}
	defer f.Close()
	if _, err := io.Copy(before, f); err != nil {
		return nil, fmt.Errorf("cannot read further: %w", console.Cause(err))
	}
	switch {
	case before.full || after.full:
		return nil, errors.New("has, with its rewriting, more than the 32 MiB or the million lines that --diff compares; write the tree to another directory, and compare the two")
	case coding.Gzip.Begins(before.Bytes()):
		return fmt.Appendf(nil, "Binary files %s and %[1]s differ\n", view.DiffName(name)), nil
	}
	return view.UnifiedDiff(name, before.Bytes(), after.Bytes()), nil
}

// would shows what would be done with a file of DST.
func (p *preview) would(do, path string) {
	name := filepath.Join(p.Dst, filepath.FromSlash(path))
	p.show(name, fmt.Appendf(nil, "%-7s %s\n", do, listing.Visible(name)))
}

func (p *preview) show(name string, text []byte) {
	p.held = append(p.held, shownFile{name, text})
	if p.size += len(name) + len(text); p.size > maxFindings {
		p.flush()
	}
}

func (p *preview) flush() {
	slices.SortFunc(p.held, func(a, b shownFile) int { return cmp.Compare(a.name, b.name) })
	for _, f := range p.held {
		if err := p.write(f.text); err != nil {
			p.ui.Wrote(err)
			break
		}
	}
	clear(p.held)
	p.held, p.size = p.held[:0], 0
}

func (p *preview) write(text []byte) error {
	if p.Diff {
		return p.ui.WriteDiff(text)
	}
	_, err := p.ui.Stdout.Write(text)
	return err
}

// end shows what is left.
func (p *preview) end() {
	p.flush()
	if !p.previews() {
		return
	}
	if p.count > 0 && p.Report == "" {
		p.ui.Warned()
	}
	if p.Report == reportText {
		p.report.print(p.ui, p.JSON)
	}
}
