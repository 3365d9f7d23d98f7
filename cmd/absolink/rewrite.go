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
	"absolink/cmd/absolink/internal/outfile"
	"absolink/resolver"
	"absolink/rewriter"
)

type rewriteCommand struct {
	documentOptions

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
	for _, name := range c.names(c.Manifest) {
		if err := c.checkLocal(name); err != nil {
			return err
		}
	}
	promise := outfile.CheckPromise(c.output(), "the document as it is", "name it as the document is named", "HTML")
	if err := cmp.Or(c.batchOptions.check(c.output()), promise); err != nil {
		return err
	}
	return c.documentOptions.Validate()
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
	s := c.settings()
	outer, ok := s.outerBase(ui, c.URL)
	if !ok {
		return nil
	}
	checkEntry := func(e entry) error { return cmp.Or(c.checkLocal(e.name), s.checkRetrieved(e)) }
	p, ok := c.plan(ui, c.names(c.Manifest), c.output(), "", checkEntry)
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
	settings *settings
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
		output = e.name
	}
	if err := w.rewriteFile(ui, e, output); err != nil {
		slip := ""
		if errors.Is(err, fs.ErrNotExist) {
			slip = resembles(e.name)
		}
		ui.Errorf("%s%s", describe(e.name, outfile.OutputName(output), err), slip)
	}
}

// describe returns the message for an error: first the name of the file that it is
// about, and the position where that is known.
func describe(name, output string, err error) string {
	var placed *placed
	var e *rewriter.Error
	var pathError *fs.PathError
	switch {
	case errors.As(err, &placed):
		return placed.message
	case errors.As(err, &e) && e.Op == "read":
		return fmt.Sprintf("%s: byte %d: cannot read further: %s", console.InputName(name), e.Offset, cannotReadOn(e.Err))
	case errors.As(err, &e): // also of Visit, which prints a list
		return fmt.Sprintf("%s: cannot write further: %v", output, console.Cause(e.Err))
	case errors.As(err, &pathError) && pathError.Path == os.TempDir():
		return fmt.Sprintf("%s: cannot write a temporary file in %s: %v (TMPDIR names another directory)", console.InputName(name), pathError.Path, pathError.Err)
	case errors.As(err, &pathError):
		return fmt.Sprintf("%s: cannot %s: %v", pathError.Path, pathError.Op, pathError.Err)
	}
	return fmt.Sprintf("%s: %v", console.InputName(name), err)
}

func (w *rewriteWorker) rewriteFile(ui *console.UI, e entry, output string) error {
	switch {
	case w.InPlace:
		return w.rewriteInPlace(ui, e)
	case w.SkipExisting && outfile.IsFile(output):
		return nil
	case !w.plan.dir && output == e.name && !outfile.IsStdout(output) && outfile.IsFile(output): // as with --in-place
		return w.rewriteInPlace(ui, e)
	case w.plan.dir:
		if err := (&batch{inputs: []entry{e}, output: output}).overwrites(); err != nil {
			return err
		}
	case w.writesStdout() && console.IsURL(e.name):
		ui.AwaitTurn() // the time for fetching is limited
	}
	d, err := w.settings.open(context.Background(), ui, e, w.outer)
	if err != nil {
		return err
	}
	defer d.Close()
	return w.rewrite(ui, output, d)
}

// rewriteInPlace rewrites a file in its own place. If the name is a link, the file that it
// leads to is rewritten.
func (w *rewriteWorker) rewriteInPlace(ui *console.UI, e entry) error {
	switch {
	case e.name == "-":
		return errors.New("cannot be rewritten in place; leave --in-place out")
	case console.IsURL(e.name):
		return errors.New("is on the web and cannot be rewritten in place; leave --in-place out")
	}
	s, err := outfile.Locate(e.name)
	if err != nil {
		return console.Cannot("open", e.name, err)
	}
	defer s.Close()
	switch {
	case s.File != nil && s.File.IsDir():
		return errDirectory(e.name)
	case s.File != nil && !s.File.Mode().IsRegular(): // opening a pipe would wait for a writer
		return errors.New("is not a regular file and cannot be rewritten in place; leave --in-place out")
	}
	f, err := s.Open()
	if err != nil {
		return console.Cannot("open", e.name, err)
	}
	defer f.Close()
	d := &opened{settings: w.settings, Reader: f, Closer: f, file: true}
	d.complete(ui, e, w.outer)
	d.name = s.Path
	return s.Replace(func(dst io.Writer) (changed bool, err error) {
		result, err := w.copy(ui, e.name, dst, d, rewriter.Hooks{})
		return isChange(result), err
	})
}

// rewrite writes one document, or its diff, to where that belongs; or counts what is
// in it, or writes its name if it would change.
func (w *rewriteWorker) rewrite(ui *console.UI, output string, d *opened) error {
	switch {
	case w.Diff:
		return w.diff(ui, d)
	case w.List:
		return w.listChange(ui, d)
	case w.Report == reportHTML:
		return w.show(ui, d)
	case w.Report == reportText:
		result, err := w.copy(ui, d.name, nil, d, rewriter.Hooks{Visit: w.report.visit, End: w.report.document})
		w.report.places.add(countsOf(result)) // also outside of documents, as in a feed
		return err
	}
	return outfile.WriteOutput(ui, output, func(dst io.Writer) error {
		_, err := w.copy(ui, d.name, dst, d, rewriter.Hooks{})
		return err
	})
}

// isChange reports whether rewriting has changed a document.
func isChange(r rewriter.Result) bool { return r.Rewritten+r.Removed > 0 }

func (w *rewriteWorker) listChange(ui *console.UI, d *opened) error {
	result, err := w.copy(ui, d.name, nil, d, rewriter.Hooks{})
	if err != nil || !isChange(result) {
		return err
	}
	ui.Warned()
	if _, err := fmt.Fprintln(ui.Stdout, console.Visible(console.InputName(d.name))); err != nil {
		ui.CannotWriteOn(err)
	}
	return nil
}

// copy rewrites a document, which messages call name, to dst. It prints the warnings, and
// tells the other hooks. It closes the document, which may be the file that is replaced
// next: Windows does not replace a file that is open.
func (w *rewriteWorker) copy(ui *console.UI, name string, dst io.Writer, d *opened, h rewriter.Hooks) (rewriter.Result, error) {
	defer d.Close()
	about := d.about(ui, name)
	defer about.end()
	if l := w.localFiles(name, d, about.warn); l != nil {
		defer l.close()
		h.Visit = l.visit(h.Visit)
	}
	h.Warn, h.Unresolvable = about.warn, about.unresolvable
	result, err := d.rewrite(dst, h)
	if err != nil {
		return result, about.place(err)
	}
	about.endLinks(d.kind)
	return result, nil
}
