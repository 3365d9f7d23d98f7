package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/internal/conversion"
	"absolink/internal/media"
	"absolink/internal/size"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

type warcCommand struct {
	Output       string `short:"o" required:"" placeholder:"OUT" group:"output" help:"Write to OUT, compressed with gzip; if its name ends in .zst, with Zstandard; if it ends in .warc, not at all. If OUT is a directory or ends in a slash, each archive goes into a file there, with its own name; otherwise all archives go into OUT. - is standard output."`
	Replace      bool   `group:"output" help:"Write whole archives, with the pages in them rewritten, instead of a conversion record for each page."`
	JSON         bool   `name:"json" group:"output" help:"Print the summary of each archive as a line of JSON: to standard output or, where OUT is standard output, to standard error."`
	Reproducible bool   `group:"advanced" help:"Write the same bytes for the same archives each time: ids are made of the name of the archive, of offsets and of the options, and dates come from --date or the records."`
	Date         date   `placeholder:"TIME" group:"advanced" help:"The date of new records, such as 2026-01-31T12:00:00Z, instead of the time of writing."`
	Level        int    `default:"1" placeholder:"N" group:"advanced" help:"The level of compression with gzip, 1 (the default) to 9."`
	batchOptions
	archiveOptions
	input.ReadOptions

	Files []string `arg:"" optional:"" name:"FILE" help:"WARC, ARC or WACZ archives; - is standard input."`

	settings *input.Settings             `kong:"-"`
	seed     func(archive string) string `kong:"-"` // what the ids of new records are made of; "" without --reproducible
}

// A date is a point in time, as WARC has it.
type date struct{ time.Time }

func (d *date) UnmarshalText(text []byte) (err error) {
	if d.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return fmt.Errorf("%q is not a date and time such as 2026-01-31T12:00:00Z", text)
	}
	return nil
}

// archiveOptions are the options of commands that read archives.
type archiveOptions struct {
	MaxWindow size.Bytes `placeholder:"SIZE" default:"8MiB" group:"advanced" help:"How large a window the Zstandard frames of an archive may ask for (${default}); it is held in memory."`
}

func (o *archiveOptions) check() error {
	if o.MaxWindow < 1 || o.MaxWindow > 1<<30 {
		return errors.New("--max-window takes a number of bytes from 1 to 1GiB")
	}
	return nil
}

func (c *warcCommand) Help() string {
	return `The FILEs are WARC or ARC archives, plain or compressed with gzip or Zstandard, or WACZ files with such archives in them. A warcinfo record is written, and after it a conversion record for each response or resource record that has HTML. The WARC-Target-URI of the record is the URL that the page was retrieved from.

A summary on standard error says what became of the records; --json has it as JSON. In a damaged archive, everything that is whole is rewritten, and the exit code is 4.`
}

func (c *warcCommand) Validate() error {
	switch {
	case c.Output == "":
		return errors.New("warc needs -o OUT: a FILE such as pages.warc.gz, a directory, or - for standard output")
	case c.Charset != "":
		return errors.New("--charset is for documents; the records of an archive have their own")
	case c.Level < 1 || c.Level > 9:
		return errors.New("--level takes a number from 1 to 9")
	case len(c.Files) == 0 && c.Manifest == "":
		return errors.New("name the archives to read, or a --manifest of them; - is standard input")
	}
	promise := outfile.CheckPromise(c.Output, "WARC", "end it with .warc, .warc.gz or .warc.zst", "WARC", "ARC", "gzip", "Zstandard") // an ARC archive is only read, which another message says
	if err := cmp.Or(c.batchOptions.check(c.Output), promise, c.archiveOptions.check()); err != nil {
		return err
	}
	return c.ReadOptions.Validate()
}

func (c *warcCommand) Run(ui *console.UI) error {
	ui.Quiet, ui.Strict, ui.Debug = c.Quiet, c.Strict, c.Debug
	p, ok := c.plan(ui, c.Files, c.Output, "", checkArchive)
	if !ok {
		return nil
	}
	defer progressOf(ui, p.entries, outfile.IsStdout(c.Output))()
	c.settings = c.ReadOptions.Settings()
	c.seed = func(string) string { return "" }
	if c.Reproducible {
		c.seed = conversion.Seed(c.settings.HTML)
	}
	for i := range p.count() { // one after another: an archive has --jobs of its own
		b := p.batch(i)
		err := c.write(ui, b, func(w io.Writer) error { return c.archive(ui, w, b) })
		if err != nil && !errors.Is(err, errNoArchive) {
			ui.Errorf("%s", input.Describe(b.reading, outfile.OutputName(b.output), err))
		}
	}
	return nil
}

// checkArchive refuses an archive with a retrieval URL.
func checkArchive(e input.Entry) error {
	if e.URL != "" {
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
func (c *warcCommand) archive(ui *console.UI, w io.Writer, b *batch) error {
	r := c.archives(b.output)
	if !c.Replace {
		name := filepath.Base(b.output)
		if outfile.IsStdout(b.output) {
			name = ""
		}
		software := "absolink/" + console.Release()
		if r.Seed = c.seed(name); r.Seed != "" {
			software = conversion.Software
		}
		id, err := r.WriteInfo(w, name, software)
		if err != nil {
			return err
		}
		r.Info = id
	}
	result := errNoArchive
	for _, e := range b.inputs {
		name := e.Name
		b.reading = name
		err := c.rewriteArchive(ui, w, b.output, name, r)
		ui.Progress.Add(1)
		if refused, ok := errors.AsType[refusedInput](err); ok {
			ui.Errorf("%s", input.Describe(name, outfile.OutputName(b.output), refused.error))
			continue
		}
		if err != nil {
			return err
		}
		result = nil
	}
	return result
}

func (c *warcCommand) rewriteArchive(ui *console.UI, w io.Writer, output, name string, r *warc.Rewriter) error {
	f, err := openFile(ui, name)
	if err != nil {
		return err
	}
	defer f.Close()
	file := outfile.RegularFile(f)
	if c.Replace && file == nil {
		return errors.New("is not a regular file, which --replace reads twice; copy it to one first")
	}
	start, src := input.StartOf(f)
	kind := media.Type(start, name)
	switch {
	case kind == media.WACZ && c.Replace:
		return refusedInput{errors.New("is a WACZ archive, which is only read; without --replace, its pages go into a WARC archive")}
	case kind == media.WACZ:
		return c.convertEach(ui, w, output, file, name, r)
	case len(start) > 0 && !warc.Is(start, name) && kind == "":
		return refusedInput{errors.New("is not a WARC archive")}
	case len(start) > 0 && !warc.Is(start, name):
		return refusedInput{fmt.Errorf("is %s, not a WARC archive", kind)}
	case !c.Replace:
		return c.convert(ui, w, output, name, name, ui.Progress.Reading(src), r)
	case !warc.Is(start, "") && !hasRecord(r, file):
		return refusedInput{errNoRecord}
	}
	return c.tellOf(ui, output, name, "rewritten", r, func() (warc.Summary, error) {
		return r.Replace(context.Background(), w, ui.Progress.ReadingAt(file))
	})
}

// convertEach writes the pages of the archives in a WACZ file. An archive without a record
// does not stop the others.
func (c *warcCommand) convertEach(ui *console.UI, w io.Writer, output string, file *os.File, name string, r *warc.Rewriter) error {
	result := error(refusedInput{errNoRecord})
	err := eachArchive(file, name, func(archive string, src io.Reader) error {
		err := c.convert(ui, w, output, name, archive, ui.Progress.Reading(src), r)
		if errors.Is(err, errNoRecord) {
			ui.Warnf("%s: %v", console.InputName(archive), errNoRecord)
			return nil
		}
		result = nil
		return err
	})
	return cmp.Or(err, result)
}

// convert writes the pages of one archive. name is the file's name or, for an archive in
// a WACZ file, begins with the file's name.
func (c *warcCommand) convert(ui *console.UI, w io.Writer, output, file, name string, src io.Reader, r *warc.Rewriter) error {
	r.Seed = c.seed(filepath.Base(console.InputName(file)) + strings.TrimPrefix(name, file))
	return c.tellOf(ui, output, name, "converted", r, func() (warc.Summary, error) {
		return r.Convert(context.Background(), w, src)
	})
}

// tellOf does what run does with one archive, and prints the warnings and the summary.
func (c *warcCommand) tellOf(ui *console.UI, output, name, verb string, r *warc.Rewriter, run func() (warc.Summary, error)) error {
	about := newAboutArchive(ui, name)
	r.HTML = c.settings.HTML.With(about.hooks(false))
	s, err := run()
	about.end(&s)
	switch {
	case errors.Is(err, warc.ErrReadOnly):
		return refusedInput{errors.New("is an ARC archive, which is only read; without --replace, its pages go into a WARC archive")}
	case err == nil && s.Records == 0:
		return refusedInput{errNoRecord}
	}
	if c.JSON {
		printArchiveJSON(ui, output, about.Name, &s, about.Told, err)
	} else {
		printSummary(ui, about.Name, verb, &s, err)
	}
	return err
}

// eachArchive calls do for each archive in a WACZ file, with the name of the file and of
// the archive in it.
func eachArchive(file *os.File, name string, do func(name string, src io.Reader) error) error {
	if file == nil {
		return refusedInput{errors.New("is a WACZ archive, which is only read from a regular file; copy it to one first")}
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archives, err := warc.Archives(file, info.Size())
	if err != nil {
		return refusedInput{fmt.Errorf("is not a whole WACZ archive: %w", err)}
	}
	for _, archive := range archives {
		if err := do(name+":"+archive.Name, archive.Reader()); err != nil {
			return fmt.Errorf("%s: %w", archive.Name, err)
		}
	}
	return nil
}

var errNoRecord = errors.New("no WARC record is in it")

// hasRecord reports whether there is a record in a file. Replace alone would copy a
// file without any.
func hasRecord(r *warc.Rewriter, file *os.File) bool {
	dry := *r
	dry.HTML = nil
	s, err := dry.Replace(context.Background(), io.Discard, file)
	return err != nil || s.Records > 0
}

// archives returns a rewriter of archives with the options. The name of the output
// gives the compression.
func (c *warcCommand) archives(output string) *warc.Rewriter {
	r := &warc.Rewriter{Level: c.Level, MaxWindow: int64(c.MaxWindow), Jobs: c.Jobs, Date: c.Date.Time}
	switch {
	case media.HasExt(output, ".zst"):
		r.Output = warc.Zstd
	case media.HasExt(output, ".warc"):
		r.Output = warc.None
	}
	return r
}

// An aboutArchive prints the warnings about an archive. An archive has no lines.
type aboutArchive struct {
	*input.About

	mu     sync.Mutex
	record int64  // the offset of the first record with a link that stays; negative where there is none yet
	reason string // why that link stays
}

func newAboutArchive(ui *console.UI, name string) *aboutArchive {
	return &aboutArchive{About: input.NewAbout(ui, name), record: -1}
}

// atRecord returns what a message about a record begins with.
func (a *aboutArchive) atRecord(offset int64) string {
	return fmt.Sprintf("%s: record at byte %d", a.Name, offset)
}

// hooks returns hooks that tell a what is wrong. text says whether places have text.
func (a *aboutArchive) hooks(text bool) rewriter.Hooks {
	unresolvable := func(p *rewriter.Place) { // from several goroutines
		if errors.Is(p.Err, rewriter.ErrNoBase) {
			return // warn is told of the record
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if record := p.Document.Offset; a.record < 0 || record < a.record {
			a.record, a.reason = record, input.Reason(p)
		}
	}
	return rewriter.Hooks{Warn: a.warn, Unresolvable: unresolvable, Text: text}
}

func (a *aboutArchive) warn(offset int64, err error) {
	if page, ok := errors.AsType[*warc.PageError](err); ok {
		offset = page.Record
	}
	damage, ok := errors.AsType[*warc.DamageError](err)
	if !ok {
		a.Say(a.atRecord(offset), err.Error()+input.Hint(err))
		return
	}
	a.Told++
	if text := damage.Err.Error(); a.Takes(text) {
		a.UI.Print("%s: byte %d: %s", a.Name, damage.Offset, text)
	}
	a.UI.Damaged()
}

// end says how many links and warnings were not printed.
func (a *aboutArchive) end(s *warc.Summary) {
	a.Links.Unresolvable = input.Staying{Count: int64(s.Places.Unresolvable), Where: a.atRecord(a.record), First: a.reason}
	a.EndLinks(input.KindArchive)
	a.About.End()
	if s.Damaged > 0 {
		a.UI.Damaged()
	}
}

// printSummary says what became of the records of an archive and of the URLs in it;
// after an error, of those up to the error.
func printSummary(ui *console.UI, name, verb string, s *warc.Summary, err error) {
	early := ""
	if err != nil {
		early = "stopped early: "
	}
	accounted := s.Rewritten + s.Unchanged + s.Passed + s.Failed + s.Damaged
	ui.Summaryf("%s: %s%s in, %d done: %d %s, %d unchanged, %d passed, %d failed, %d damaged; %s, %d unresolvable",
		name, early, console.Counted(s.Records, "record"), accounted, s.Rewritten, verb, s.Unchanged, s.Passed, s.Failed, s.Damaged,
		console.Counted(int64(countsOf(s.Places).All), "place"), s.Places.Unresolvable)
}

// An archiveSummary is what --json prints of an archive.
type archiveSummary struct {
	File      console.Text `json:"file"`
	Complete  bool         `json:"complete"`
	Error     console.Text `json:"error,omitempty"`
	Records   int64        `json:"records"`
	Rewritten int64        `json:"rewritten"`
	Unchanged int64        `json:"unchanged"`
	Passed    int64        `json:"passed"`
	Failed    int64        `json:"failed"`
	Damaged   int64        `json:"damaged"`
	Damages   int64        `json:"damages"`
	Places    counts       `json:"places"`
	Warnings  int          `json:"warnings"`
}

// printArchiveJSON prints the summary of an archive as JSON: to standard output, unless
// the archive itself goes there.
func printArchiveJSON(ui *console.UI, output, name string, s *warc.Summary, warnings int, err error) {
	j := archiveSummary{
		File: console.Text(name), Complete: err == nil, Records: s.Records, Rewritten: s.Rewritten, Unchanged: s.Unchanged,
		Passed: s.Passed, Failed: s.Failed, Damaged: s.Damaged, Damages: s.Damages, Places: countsOf(s.Places), Warnings: warnings,
	}
	if err != nil {
		j.Error = console.Text(console.HideLogins(err.Error()))
	}
	if !outfile.IsStdout(output) {
		ui.PrintJSON(j)
	} else if console.WriteJSON(ui.Stderr, j) != nil {
		ui.Code = console.ExitNotDone // and nobody can be told
	}
}
