package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"absolink/internal/listing"
	"absolink/internal/media"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

type listCommand struct {
	Output string `short:"o" default:"-" placeholder:"OUT" group:"output" help:"Write to OUT instead of standard output, which is -. An OUT that ends in .gz or .zst is compressed. If OUT is a directory or ends in a slash, each FILE has a list of its own there, FILE.jsonl."`
	Format string `enum:"jsonl,csv,text" default:"jsonl" placeholder:"FORMAT" group:"output" help:"jsonl (the default), csv or text."`
	JSON   bool   `name:"json" group:"output" help:"The same as --format jsonl."`
	Hosts  bool   `group:"output" help:"Also print the host of the page and of the link, reversed, and their registered domains; not in text."`
	Status []int  `placeholder:"STATUS" group:"output" help:"Of archives, list only records of HTTP responses with this status, such as 200, or one of several: 200,404."`
	batchOptions
	archiveOptions
	documentOptions
}

// Validate checks options together.
func (c *listCommand) Validate() error {
	if c.JSON && c.Format != "jsonl" {
		return fmt.Errorf("--json and --format %s can't be used together", c.Format)
	}
	for _, status := range c.Status {
		if status < 100 || status > 999 {
			return fmt.Errorf("--status takes HTTP statuses of three digits, such as 200 or 200,404, not %d", status)
		}
	}
	if err := cmp.Or(c.batchOptions.check(c.Output), c.checkPromise(), c.archiveOptions.check()); err != nil {
		return err
	}
	return c.documentOptions.Validate()
}

// checkPromise refuses an --output whose name promises another format.
func (c *listCommand) checkPromise() error {
	written := map[string]string{"jsonl": "JSON lines", "csv": "CSV", "text": "text"}[c.Format]
	hint := "leave out the end of the name"
	plain := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(c.Output), ".gz"), ".zst") // is compressed so
	switch {
	case strings.HasSuffix(plain, ".csv"):
		hint = "--format csv writes CSV"
	case strings.HasSuffix(plain, ".jsonl"):
		hint = "--format jsonl writes JSON lines"
	case strings.HasSuffix(plain, ".parquet"):
		hint = "absolink-beam writes Parquet"
	}
	return checkPromise(plain, written, hint, written)
}

func (c *listCommand) Run(ui *ui) error {
	ui.quiet, ui.strict, ui.debug = c.Quiet, c.Strict, c.Debug
	outer, ok := c.outerBase(ui)
	if !ok {
		return nil
	}
	p, ok := c.plan(ui, c.names(c.Manifest), c.Output, "."+c.Format, c.checkRetrieved)
	if !ok {
		return nil
	}
	defer startProgress(ui, p.entries, isStdout(c.Output))()
	c.each(ui, p.count(), func() worker {
		w := &listWorker{*c, p, outer}
		if p.count() > 1 {
			w.Jobs = 1 // at a time in an archive: the archives are the jobs
		}
		return w
	})
	return nil
}

// A listWorker lists the batches of a plan.
type listWorker struct {
	listCommand
	plan  *plan
	outer *resolver.Base
}

func (l *listWorker) do(ui *ui, task int) {
	b := l.plan.batch(task)
	if err := l.write(ui, b, func(w io.Writer) error { return l.writeList(ui, b, w) }); err != nil {
		ui.errorf("%s", describe(b.reading, outputName(b.output), err))
	}
}

// writeList writes the list of a batch, compressed as the name of the output says.
func (l *listWorker) writeList(ui *ui, b *batch, w io.Writer) error {
	list, err := listing.Compress(w, b.output)
	if err != nil {
		return err
	}
	if err := l.listBatch(ui, b, l.outer, list); err != nil {
		return err
	}
	return list.Close()
}

// listBatch lists documents and archives. On standard output the list goes on after
// an input that cannot be read.
func (c *listCommand) listBatch(ui *ui, b *batch, outer *resolver.Base, w io.Writer) error {
	format := formats[c.Format]
	head := listing.NewBuffer(w)
	format.begin(head, c.Hosts)
	if err := head.Flush(); err != nil {
		return &rewriter.Error{Op: "write", Err: err}
	}
	for _, e := range b.inputs {
		b.reading = e.name
		err := c.list(ui, e, outer, w, format)
		if err != nil && !isStdout(b.output) {
			return err
		} else if err != nil {
			ui.errorf("%s", describe(e.name, outputName(b.output), err))
		}
		ui.progress.add(1)
	}
	return nil
}

// list prints the places in one document or archive.
func (c *listCommand) list(ui *ui, e entry, outer *resolver.Base, w io.Writer, format format) error {
	in, outer, err := c.open(context.Background(), ui, e, outer)
	if err != nil {
		return err
	}
	defer in.Close()
	wacz := c.Type == "auto" && media.Type(in.look(), e.name) == media.WACZ
	if wacz || c.Type == "auto" && warc.Is(in.look(), e.name) {
		if e.url != "" {
			return fmt.Errorf("is an archive, whose pages have URLs of their own; leave the URL out of %s:%d", inputName(c.Manifest), e.line)
		}
		if wacz {
			file, _ := in.Closer.(*os.File)
			return eachArchive(regularFile(file), e.name, func(name string, src io.Reader) error {
				return c.listArchive(ui, name, ui.progress.reading(src), w, format)
			})
		}
		return c.listArchive(ui, e.name, ui.progress.reading(in.Reader), w, format)
	}
	if c.Status != nil {
		return errors.New("is not an archive, and has no status; leave out --status")
	}
	about := in.about(ui, e.name)
	defer about.end()
	line := listing.NewBuffer(w)
	rw := c.rewriter(hooks{
		visit: func(p *rewriter.Place) error {
			if p.Err != nil {
				ui.warned() // the line says why
			}
			format.add(line, listed{listing.Place{Place: p, File: about.name, Hosts: c.Hosts}, about.at})
			return line.Flush()
		},
		warn: about.warn,
		text: true,
	})
	run := c.rewriting(in, rw, nil)
	_, err = run.Rewrite(nil, ui.progress.reading(in.Reader), outer)
	return about.place(err)
}

// listArchive prints the places in the pages of an archive, and in the headers of its
// HTTP responses.
func (c *listCommand) listArchive(ui *ui, name string, f io.Reader, w io.Writer, format format) error {
	about := ui.aboutArchive(name)
	r := &warc.Rewriter{HTML: about.inPages(c.newRewriter()), MaxWindow: int64(c.MaxWindow), Jobs: c.Jobs, Warn: about.warn}
	r.HTML.Text = true
	if c.Status != nil {
		r.Pages = func(p *warc.Page) bool { return slices.Contains(c.Status, p.Status) }
	}
	s, err := r.List(context.Background(), w, f, func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		return format.append(b, listed{Place: listing.Place{Place: p, File: about.name, Page: page, Hosts: c.Hosts}})
	})
	about.end(&s)
	printSummary(ui, about.name, "listed", &s, err)
	return err
}

type rulesCommand struct{ ruleOptions }

func (c *rulesCommand) Validate() error {
	_, err := c.table()
	return err
}

// Run prints the rules in effect. Where several fit, the last one counts.
func (c *rulesCommand) Run(ui *ui) error {
	rules, err := c.table()
	if err != nil {
		return err
	}
	for _, r := range rules {
		if _, err := fmt.Fprintln(ui.stdout, r); err != nil {
			ui.cannotWriteOn(err)
			break
		}
	}
	return nil
}
