package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/fetch"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/listing"
	"absolink/internal/listing/hosts"
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
	input.DocumentOptions
}

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
	return c.DocumentOptions.Validate()
}

// hostOf returns what finds the hosts of URLs, if they are listed.
func (c *listCommand) hostOf() func(url string) listing.Host {
	if c.Hosts {
		return hosts.Of
	}
	return nil
}

// checkPromise refuses an --output whose name promises another format.
func (c *listCommand) checkPromise() error {
	written := map[string]string{"jsonl": "JSON lines", "csv": "CSV", "text": "text"}[c.Format]
	plain := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(c.Output), ".gz"), ".zst") // is compressed so
	hint := cmp.Or(map[string]string{
		".csv": "--format csv writes CSV", ".jsonl": "--format jsonl writes JSON lines", ".parquet": "absolink-archives writes Parquet",
	}[filepath.Ext(plain)], "leave out the end of the name")
	return outfile.CheckPromise(plain, written, hint, written)
}

func (c *listCommand) Run(ui *console.UI) error {
	ui.Quiet, ui.Strict, ui.Debug = c.Quiet, c.Strict, c.Debug
	s := c.Settings(fetch.By(nil))
	outer, ok := s.OuterBase(ui, c.URL)
	if !ok {
		return nil
	}
	p, ok := c.plan(ui, c.Names(c.Manifest), c.Output, "."+c.Format, s.CheckRetrieved)
	if !ok {
		return nil
	}
	defer progressOf(ui, p.entries, outfile.IsStdout(c.Output))()
	console.Each(ui, c.Jobs, p.count(), func() console.Worker {
		w := &listWorker{c, s, p, outer, c.Jobs}
		if p.count() > 1 {
			w.pages = 1 // the archives are the jobs
		}
		return w.do
	})
	return nil
}

// A listWorker lists the batches of a plan.
type listWorker struct {
	*listCommand
	settings *input.Settings
	plan     *plan
	outer    *resolver.Base
	pages    int // how many pages of an archive are worked on at a time
}

func (l *listWorker) do(ui *console.UI, task int) {
	b := l.plan.batch(task)
	if err := l.write(ui, b, func(w io.Writer) error { return l.writeList(ui, b, w) }); err != nil {
		ui.Errorf("%s", input.Describe(b.reading, outfile.OutputName(b.output), err))
	}
}

// writeList lists the documents and archives of a batch, compressed as the name of the output
// says. On standard output the list goes on after an input that cannot be read.
func (l *listWorker) writeList(ui *console.UI, b *batch, dst io.Writer) error {
	w, err := listing.Compress(dst, b.output)
	if err != nil {
		return err
	}
	format := view.Formats[l.Format]
	head := listing.NewBuffer(w)
	format.Begin(head, l.Hosts)
	if err := head.Flush(); err != nil {
		return &rewriter.Error{Op: "write", Err: err}
	}
	for _, e := range b.inputs {
		b.reading = e.Name
		err := l.list(ui, e, w, format)
		if err != nil && !outfile.IsStdout(b.output) {
			return err
		} else if err != nil {
			ui.Errorf("%s", input.Describe(e.Name, outfile.OutputName(b.output), err))
		}
		ui.Progress.Add(1)
	}
	return w.Close()
}

func (l *listWorker) list(ui *console.UI, e input.Entry, w io.Writer, format view.Format) error {
	d, err := l.settings.Open(context.Background(), ui, e, l.outer)
	if err != nil {
		return err
	}
	defer d.Close()
	wacz := d.Kind == "" && media.Type(d.Look(), e.Name) == media.WACZ
	if wacz || d.Kind == "" && warc.Is(d.Look(), e.Name) {
		if e.URL != "" {
			return fmt.Errorf("is an archive, whose pages have URLs of their own; leave the URL out of %s:%d", console.InputName(l.Manifest), e.Line)
		}
		if wacz {
			file, _ := d.Closer.(*os.File)
			return eachArchive(outfile.RegularFile(file), e.Name, func(name string, src io.Reader) error {
				return l.listArchive(ui, name, ui.Progress.Reading(src), w, format)
			})
		}
		return l.listArchive(ui, e.Name, ui.Progress.Reading(d.Reader), w, format)
	}
	if l.Status != nil {
		return errors.New("is not an archive, and has no status; leave out --status")
	}
	about := d.About(ui, e.Name)
	defer about.End()
	line := listing.NewBuffer(w)
	_, err = d.Rewrite(nil, rewriter.Hooks{
		Visit: func(p *rewriter.Place) error {
			if p.Err != nil && p.Err != rewriter.ErrKept {
				ui.Warned() // the line says why
			}
			format.Add(line, view.Listed{Place: listing.Place{Place: p, File: about.Name, Hosts: l.hostOf()}, At: about.At})
			return line.Flush()
		},
		Warn: about.Warn,
		Text: true,
	})
	return about.Place(err)
}

// listArchive prints the places in the pages of an archive, and in the headers of its
// HTTP responses.
func (l *listWorker) listArchive(ui *console.UI, name string, f io.Reader, w io.Writer, format view.Format) error {
	about := newAboutArchive(ui, name)
	r := &warc.Rewriter{HTML: l.settings.HTML.With(about.hooks(true)), MaxWindow: int64(l.MaxWindow), Jobs: l.pages}
	if l.Status != nil {
		r.Pages = func(p *warc.Page) bool { return slices.Contains(l.Status, p.Status) }
	}
	s, err := r.List(context.Background(), w, f, func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		return format.Append(b, view.Listed{Place: listing.Place{Place: p, File: about.Name, Page: page, Hosts: l.hostOf()}})
	})
	about.end(&s)
	printSummary(ui, about.Name, "listed", &s, err)
	return err
}

type rulesCommand struct{ input.RuleOptions }

func (c *rulesCommand) Validate() error {
	_, err := c.Table()
	return err
}

// Run prints the rules in effect. Where several fit, the last one counts.
func (c *rulesCommand) Run(ui *console.UI) error {
	rules, err := c.Table()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(ui.Stdout)
	for _, r := range rules {
		fmt.Fprintln(out, r)
	}
	ui.Wrote(out.Flush())
	return nil
}
