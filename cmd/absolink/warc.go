package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"absolink/internal/media"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

type warcCommand struct {
	Output  string `short:"o" required:"" placeholder:"OUT" group:"output" help:"Write to OUT, compressed with gzip; if its name ends in .zst, with Zstandard; if it ends in .warc, not at all. If OUT is a directory or ends in a slash, each archive goes into a file there, with its own name; otherwise all archives go into OUT. - is standard output."`
	Replace bool   `group:"output" help:"Write whole archives, with the pages in them rewritten, instead of a conversion record for each page."`
	Level   int    `default:"1" placeholder:"N" group:"advanced" help:"The level of compression with gzip, 1 (the default) to 9."`
	batchOptions
	archiveOptions
	readOptions

	Files []string `arg:"" optional:"" name:"FILE" help:"WARC archives; - is standard input."`
}

// archiveOptions are the options of commands that read archives.
type archiveOptions struct {
	MaxWindow int64 `placeholder:"BYTES" default:"8388608" group:"advanced" help:"How large a window the Zstandard frames of an archive may ask for (8 MiB); it is held in memory."`
}

func (o *archiveOptions) check() error {
	if o.MaxWindow < 1 || o.MaxWindow > 1<<30 {
		return errors.New("--max-window takes a number of bytes from 1 to 1073741824 (1 GiB)")
	}
	return nil
}

// Help returns what --help says before the options.
func (c *warcCommand) Help() string {
	return `The FILEs are WARC archives, plain or compressed with gzip or Zstandard. A warcinfo record is written, and after it a conversion record for each response or resource record that has HTML. The WARC-Target-URI of the record is the URL that the page was retrieved from.

A summary on standard error says what became of the records. In a damaged archive, everything that is whole is rewritten, and the exit code is 4.`
}

// Validate checks options together.
func (c *warcCommand) Validate() error {
	switch {
	case c.Charset != "":
		return errors.New("--charset is for documents; the records of an archive have their own")
	case c.Level < 1 || c.Level > 9:
		return errors.New("--level takes a number from 1 to 9")
	case len(c.Files) == 0 && c.Manifest == "":
		return errors.New("name the archives to read, or a --manifest of them; - is standard input")
	}
	if err := cmp.Or(c.batchOptions.check(c.Output), c.archiveOptions.check()); err != nil {
		return err
	}
	return c.readOptions.Validate()
}

func (c *warcCommand) Run(ui *ui) error {
	ui.quiet, ui.strict = c.Quiet, c.Strict
	p, ok := c.plan(ui, c.Files, c.Output, "", checkArchive)
	if !ok {
		return nil
	}
	defer startProgress(ui, p.entries, isStdout(c.Output))()
	for i := range p.count() { // one after another: an archive has --jobs of its own
		b := p.batch(i)
		err := c.write(ui, b, func(w io.Writer) error { return c.archive(ui, w, b) })
		if err != nil && !errors.Is(err, errNoArchive) {
			ui.errorf("%s", describe(b.reading, outputName(b.output), err))
		}
	}
	return nil
}

// checkArchive refuses an archive with a retrieval URL.
func checkArchive(e entry) error {
	if e.url != "" {
		return errors.New("an archive takes no retrieval URL, because its pages have their own; leave the second column out")
	}
	return nil
}

// errNoArchive says that all inputs were refused, each with a message of its own.
var errNoArchive = errors.New("no input is an archive")

// A refusedInput is the error of an input that is not an archive. Nothing of it has
// been written, so that the other inputs go on; after an input that cannot be read
// they do not.
type refusedInput struct{ error }

func (r refusedInput) Unwrap() error { return r.error }

// archive writes one archive, from all inputs that are not refused.
func (c *warcCommand) archive(ui *ui, w io.Writer, b *batch) error {
	r := c.archives(b.output)
	if !c.Replace {
		name := filepath.Base(b.output)
		if isStdout(b.output) {
			name = ""
		}
		id, err := r.WriteInfo(w, name, "absolink/"+release())
		if err != nil {
			return err
		}
		r.Info = id
	}
	result := errNoArchive
	for _, e := range b.inputs {
		name := e.name
		b.reading = name
		err := c.rewriteArchive(ui, w, name, r)
		ui.progress.add(1)
		var refused refusedInput
		switch {
		case errors.As(err, &refused):
			ui.errorf("%s", describe(name, outputName(b.output), refused.error))
		case err != nil:
			return err
		default:
			result = nil
		}
	}
	return result
}

// rewriteArchive rewrites one input.
func (c *warcCommand) rewriteArchive(ui *ui, w io.Writer, name string, r *warc.Rewriter) error {
	f, err := openFile(ui, name)
	if err != nil {
		return err
	}
	defer f.Close()
	file := regularFile(f)
	if c.Replace && file == nil {
		return errors.New("is not a regular file, which --replace reads twice; copy it to one first")
	}
	start, src := startOf(f)
	if len(start) > 0 && !warc.Is(start, name) {
		return refusedInput{errors.New(notArchive(start, name))}
	}
	if c.Replace && !warc.Is(start, "") && !hasRecord(r, file) {
		return refusedInput{errNoRecord}
	}
	about := ui.about(name)
	r.HTML, r.Warn = about.inPages(c.rewriter()), about.archive
	verb := "converted"
	var s warc.Summary
	if c.Replace {
		verb = "rewritten"
		s, err = r.Replace(context.Background(), w, ui.progress.readingAt(file))
	} else {
		s, err = r.Convert(context.Background(), w, ui.progress.reading(src))
	}
	about.end()
	switch {
	case errors.Is(err, warc.ErrReadOnly):
		return refusedInput{errors.New("is an ARC archive, which is only read; without --replace, its pages go into a WARC archive")}
	case err == nil && s.Records == 0:
		return refusedInput{errNoRecord}
	}
	printSummary(ui, name, verb, &s, err)
	return err
}

var errNoRecord = errors.New("no WARC record is in it")

// hasRecord reports whether there is a record in a file. Replace alone would copy a
// file without any.
func hasRecord(r *warc.Rewriter, file *os.File) bool {
	dry := *r
	dry.HTML, dry.Warn = nil, nil
	s, err := dry.Replace(context.Background(), io.Discard, file)
	return err != nil || s.Records > 0
}

// regularFile returns f as a file; nil where it is not a regular file.
func regularFile(f io.Reader) *os.File {
	file, ok := f.(*os.File)
	if !ok {
		return nil
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return file
}

// notArchive says what a file is instead of a WARC archive, and how to make an archive
// of it where that is possible.
func notArchive(start []byte, name string) string {
	switch kind := media.Type(start, name); kind {
	case media.WACZ:
		return instead[kind]
	case "":
		return "is not a WARC archive"
	default:
		return fmt.Sprintf("is %s, not a WARC archive", kind)
	}
}

// archives returns a rewriter of archives with the options. The name of the output
// gives the compression.
func (c *warcCommand) archives(output string) *warc.Rewriter {
	r := &warc.Rewriter{Level: c.Level, MaxWindow: c.MaxWindow, Jobs: c.Jobs}
	switch {
	case media.HasExt(output, ".zst"):
		r.Output = warc.Zstd
	case media.HasExt(output, ".warc"):
		r.Output = warc.None
	}
	return r
}

// inPages sets the Warn of rw, which is for the pages of an archive, and returns rw.
func (a *about) inPages(rw *rewriter.Rewriter) *rewriter.Rewriter {
	rw.Warn = func(_ int64, err error) {
		var page *warc.PageError
		errors.As(err, &page)
		a.warn(page.Record, err)
	}
	return rw
}

// archive prints what is wrong with an archive.
func (a *about) archive(offset int64, err error) {
	var damage *warc.DamageError
	if errors.As(err, &damage) {
		a.damage(damage.Offset, damage.Err)
	} else {
		a.warn(offset, err)
	}
}

// printSummary says what became of the records of an archive and of the URLs in it;
// after an error, of those up to the error.
func printSummary(ui *ui, name, verb string, s *warc.Summary, err error) {
	early := ""
	if err != nil {
		early = "stopped early: "
	}
	accounted := s.Rewritten + s.Unchanged + s.Passed + s.Failed + s.Damaged
	urls := s.Places.Rewritten + s.Places.Absolute + s.Places.Left + s.Places.Unresolvable
	ui.print("%s: %s%d records in, %d accounted for: %d %s, %d unchanged, %d passed, %d failed, %d damaged; %d places, %d unresolvable",
		inputName(name), early, s.Records, accounted, s.Rewritten, verb, s.Unchanged, s.Passed, s.Failed, s.Damaged, urls, s.Places.Unresolvable)
	if s.Damaged > 0 {
		ui.damaged()
	}
}

// listArchive prints the places in the pages of an archive as lines of JSON.
func (c *listCommand) listArchive(ui *ui, name string, f io.Reader, w io.Writer) error {
	if c.Format != "jsonl" {
		return fmt.Errorf("is an archive, whose list is jsonl alone; leave out --format %s", c.Format)
	}
	about := ui.about(name)
	r := &warc.Rewriter{HTML: about.inPages(c.newRewriter()), MaxWindow: c.MaxWindow, Jobs: c.Jobs, Warn: about.archive}
	s, err := r.List(context.Background(), w, f, func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		return appendJSON(b, listed{p, about.name, page})
	})
	about.end()
	printSummary(ui, name, "listed", &s, err)
	return err
}
