package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/fetch"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/listing"
	"absolink/resolver"
	"absolink/rewriter"
)

type rewriteCommand struct {
	input.DocumentOptions

	Output  *string    `short:"o" placeholder:"OUT" xor:"to" group:"output" help:"Write to OUT instead of standard output, which is -. If OUT is a directory or ends in a slash, each FILE is written there under its own name."`
	InPlace bool       `short:"w" name:"in-place" xor:"to" group:"output" help:"Rewrite the files themselves. Each is replaced atomically."`
	List    bool       `short:"l" name:"list-changes" xor:"to" group:"output" help:"Write the names of the FILEs that would change, one per line, instead of any document. With --strict, exit with 3 if there is one."`
	Diff    bool       `xor:"to" group:"output" help:"Write what would change in each document, instead of the document, as a unified diff that patch -p0 applies."`
	Report  optionMode `modes:"text,html" xor:"to" group:"output" help:"Write how many URLs there are in all FILEs, by place, scheme and host, and what becomes of them, instead of any document. With --report=html, write a page that shows each place in its source, and how its URL was resolved."`
	batchOptions

	JSON bool `name:"json" group:"output" help:"Write the counts of --report as JSON."`

	KeepLocal *bool  `name:"keep-local" negatable:"" group:"links" help:"Leave a relative link as it is if it leads to a file beside the page, or into the page itself. This is the default if a browser, or a program that saves pages, has left its URL in the page, and no --url is given; --no-keep-local makes all links absolute."`
	Root      string `placeholder:"DIR" group:"advanced" help:"With --keep-local: the directory in which the files beside a page are looked for. By default it is the root of the mirror that wget or HTTrack made, otherwise the directory of the page."`
}

func (c *rewriteCommand) Validate() error {
	switch {
	case c.InPlace && len(c.Files) == 0 && c.Manifest == "":
		return errors.New("--in-place needs the FILEs to rewrite")
	case c.JSON && c.Report != reportText:
		return errors.New("--json is for --report; a document is written as it is")
	}
	if info, err := os.Stat(c.Root); c.Root != "" && (err != nil || !info.IsDir()) {
		return fmt.Errorf("--root: %s is not a directory", c.Root)
	}
	for _, name := range c.Names(c.Manifest) {
		if err := c.checkLocal(name); err != nil {
			return err
		}
	}
	promise := outfile.CheckPromise(c.output(), "the document as it is", "name it as the document is named", "HTML")
	if err := cmp.Or(c.batchOptions.check(c.output()), promise); err != nil {
		return err
	}
	return c.DocumentOptions.Validate()
}

// checkLocal refuses --keep-local for a FILE that is not on this machine.
func (c *rewriteCommand) checkLocal(name string) error {
	if c.KeepLocal != nil && *c.KeepLocal && (name == "-" || console.IsURL(name)) {
		return errors.New("--keep-local needs FILEs on this machine: it keeps links to the files beside them")
	}
	return nil
}

// output returns the name of the output; without -o, it is the name of standard output.
func (c *rewriteCommand) output() string {
	if c.Output == nil {
		return "-"
	}
	return *c.Output
}

func (c *rewriteCommand) Run(ui *console.UI) error {
	ui.Quiet, ui.Strict, ui.Debug = c.Quiet, c.Strict, c.Debug
	s := c.Settings(fetch.By(nil))
	outer, ok := s.OuterBase(ui, c.URL)
	if !ok {
		return nil
	}
	checkEntry := func(e input.Entry) error { return cmp.Or(c.checkLocal(e.Name), s.CheckRetrieved(e)) }
	p, ok := c.plan(ui, c.Names(c.Manifest), c.output(), "", checkEntry)
	if !ok {
		return nil
	}
	if !outfile.IsStdout(c.output()) && !p.dir && len(p.entries) > 1 {
		ui.Usagef("--output takes one FILE; for several, end its name with a slash, which makes it a directory, or use --in-place")
		return nil
	}
	endPage, ok := c.beginPage(ui)
	if !ok {
		return nil
	}
	end := progressOf(ui, p.entries, c.writesStdout())
	looking := c.looking(s)
	var workers []*rewriteWorker
	console.Each(ui, c.Jobs, len(p.entries), func() console.Worker {
		workers = append(workers, &rewriteWorker{rewriteCommand: c, settings: s, looking: looking, plan: p, outer: outer})
		return workers[len(workers)-1].do
	})
	end()
	endPage()
	if c.Report == reportText {
		var all report
		for _, worker := range workers {
			all.merge(&worker.report)
		}
		all.print(ui, c.JSON)
	}
	return nil
}

// writesStdout reports whether documents, or their diffs, go to standard output.
func (c *rewriteCommand) writesStdout() bool {
	return !c.InPlace && !c.List && c.Report == "" && outfile.IsStdout(c.output())
}

// A rewriteWorker rewrites the entries of a plan.
type rewriteWorker struct {
	*rewriteCommand
	settings *input.Settings
	looking  *rewriter.Rewriter // as looking returns it
	plan     *plan
	outer    *resolver.Base
	report   report
}

func (w *rewriteWorker) do(ui *console.UI, task int) {
	defer ui.Progress.Add(1)
	e := w.plan.entries[task]
	output := w.plan.to(e)
	if w.InPlace {
		output = e.Name
	}
	if err := w.rewriteFile(ui, e, output); err != nil {
		slip := ""
		if errors.Is(err, fs.ErrNotExist) {
			slip = resembles(e.Name)
		}
		ui.Errorf("%s%s", input.Describe(e.Name, outfile.OutputName(output), err), slip)
	}
}

func (w *rewriteWorker) rewriteFile(ui *console.UI, e input.Entry, output string) error {
	switch {
	case w.InPlace:
		return w.rewriteInPlace(ui, e)
	case w.SkipExisting && outfile.IsFile(output):
		return nil
	case !w.plan.dir && output == e.Name && !outfile.IsStdout(output) && outfile.IsFile(output): // as with --in-place
		return w.rewriteInPlace(ui, e)
	case w.plan.dir:
		if err := (&batch{inputs: []input.Entry{e}, output: output}).overwrites(); err != nil {
			return err
		}
	case w.writesStdout() && console.IsURL(e.Name):
		ui.AwaitTurn() // the time for fetching is limited
	}
	d, err := w.settings.Open(context.Background(), ui, e, w.outer)
	if err != nil {
		return err
	}
	defer d.Close()
	return w.rewrite(ui, output, d)
}

// rewriteInPlace rewrites a file in its own place. If the name is a link, the file that it
// leads to is rewritten.
func (w *rewriteWorker) rewriteInPlace(ui *console.UI, e input.Entry) error {
	switch {
	case e.Name == "-":
		return errors.New("cannot be rewritten in place; leave --in-place out")
	case console.IsURL(e.Name):
		return errors.New("is on the web and cannot be rewritten in place; leave --in-place out")
	}
	s, err := outfile.Locate(e.Name)
	if err != nil {
		return console.Cannot("open", e.Name, err)
	}
	defer s.Close()
	switch {
	case s.File != nil && s.File.IsDir():
		return input.ErrDirectory(e.Name)
	case s.File != nil && !s.File.Mode().IsRegular(): // opening a pipe would wait for a writer
		return errors.New("is not a regular file and cannot be rewritten in place; leave --in-place out")
	}
	f, err := s.Open()
	if err != nil {
		return console.Cannot("open", e.Name, err)
	}
	defer f.Close()
	d := &input.Document{Settings: w.settings, Reader: f, Closer: f, File: true}
	d.Complete(ui, e, w.outer)
	d.Name = s.Path
	return s.Replace(func(dst io.Writer) (changed bool, err error) {
		result, err := w.copy(ui, e.Name, dst, d, rewriter.Hooks{})
		return isChange(result), err
	})
}

// rewrite writes one document, or its diff, to where that belongs; or counts what is
// in it, or writes its name if it would change.
func (w *rewriteWorker) rewrite(ui *console.UI, output string, d *input.Document) error {
	switch {
	case w.Diff:
		return w.diff(ui, d)
	case w.List:
		return w.listChange(ui, d)
	case w.Report == reportHTML:
		return w.show(ui, d)
	case w.Report == reportText:
		result, err := w.copy(ui, d.Name, nil, d, rewriter.Hooks{Visit: w.report.visit, End: w.report.document})
		w.report.places.add(countsOf(result)) // also outside of documents, as in a feed
		return err
	}
	return outfile.WriteOutput(ui, output, func(dst io.Writer) error {
		_, err := w.copy(ui, d.Name, dst, d, rewriter.Hooks{})
		return err
	})
}

func (w *rewriteWorker) listChange(ui *console.UI, d *input.Document) error {
	result, err := w.copy(ui, d.Name, nil, d, rewriter.Hooks{})
	if err != nil || !isChange(result) {
		return err
	}
	ui.Warned()
	_, err = fmt.Fprintln(ui.Stdout, listing.Visible(console.InputName(d.Name)))
	ui.Wrote(err)
	return nil
}

// copy rewrites a document, which messages call name, to dst. It prints the warnings, and
// tells the other hooks. It closes the document, which may be the file that is replaced
// next: Windows does not replace a file that is open.
func (w *rewriteWorker) copy(ui *console.UI, name string, dst io.Writer, d *input.Document, h rewriter.Hooks) (rewriter.Result, error) {
	defer d.Close()
	about := d.About(ui, name)
	defer about.End()
	if l := w.localFiles(name, d, about.Warn); l != nil {
		defer l.close()
		h.Visit = l.visit(h.Visit)
	}
	h.Warn, h.Unresolvable = about.Warn, about.Unresolvable
	result, err := d.Rewrite(dst, h)
	if err != nil {
		return result, about.Place(err)
	}
	about.EndLinks(d.Kind)
	return result, nil
}

// diff prints, as a unified diff, what rewriting would change in one document. It
// prints nothing where nothing would change.
func (w *rewriteWorker) diff(ui *console.UI, d *input.Document) error {
	room := view.NewRoom()
	before, after := view.Held{Room: room}, view.Held{Room: room}
	d.Reader = io.TeeReader(d.Reader, &before)
	result, err := w.copy(ui, d.Name, &after, d, rewriter.Hooks{})
	if errors.Is(err, view.ErrDiffSize) {
		return view.ErrDiffSize
	}
	if err != nil || !isChange(result) {
		return err
	}
	ui.Warned() // the diff says why
	ui.Wrote(ui.WriteDiff(view.UnifiedDiff(d.Name, before.Bytes(), after.Bytes())))
	return nil
}
