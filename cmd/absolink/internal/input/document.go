// Package input is what the command reads: a FILE or what a request holds, with the options
// that say how it is read, what kind of file it is, and what messages say about it.
package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/lines"
	"absolink/cmd/absolink/internal/outfile"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
	"absolink/rewriter/mail"
)

// A Document is one that a FILE or a request holds, open to be read, and what is known
// of it.
type Document struct {
	Settings *Settings
	io.Reader
	io.Closer
	Name     string
	File     bool           // it is a regular file, not a pipe or the like
	Charset  string         // that --charset or HTTP gives; "" where neither does
	Base     *resolver.Base // the outer base; nil where none is known
	Origin   string         // what gave the retrieval URL, if there is one: "--url" or "response"
	Kind     Kind           // "" until Recognize is called, where neither --type nor a request gives it
	refused  error          // what Recognize returns
	start    []byte         // what it begins with; set by Look
	Lines    *lines.Lines   // its lines; nil until About is called, where it is not a regular file
	Progress *console.Progress

	// What the response gives in which the document came.
	URL       string        // that it was retrieved from
	Fields    []string      // Base
	Entity    rewriter.Base // the base of its entity, zero without one
	Retrieved rewriter.Base // the retrieval URL that entity overrides; zero without entity
}

// Look returns what d begins with. Read returns that as well.
func (d *Document) Look() []byte {
	if d.start == nil {
		d.start, d.Reader = StartOf(d.Reader)
	}
	return d.start
}

// Open opens a document to be read; "-" is standard input. outer is the base that the
// options give, which may be nil.
func (s *Settings) Open(ctx context.Context, ui *console.UI, e Entry, outer *resolver.Base) (*Document, error) {
	d, err := s.openDocument(ctx, ui, e.Name)
	if err != nil {
		return nil, err
	}
	d.Complete(ui, e, outer)
	return d, nil
}

// openDocument opens a file, standard input, or a document on the web.
func (s *Settings) openDocument(ctx context.Context, ui *console.UI, name string) (*Document, error) {
	switch {
	case name == "-":
		if console.Terminal(ui.Stdin) != nil {
			ui.Summaryf("<stdin>: reading from the terminal; end with Ctrl-D, or name a FILE")
		}
		return &Document{Settings: s, Reader: ui.Stdin, Closer: io.NopCloser(nil)}, nil
	case console.IsURL(name):
		return s.Fetch(ctx, ui, s, name)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil && console.IsURL(name[strings.LastIndexByte(name, ' ')+1:]):
		return nil, errors.New("no such file (in a manifest, a tab separates FILE and URL)")
	case err != nil && strings.Contains(name, "://"):
		return s.Fetch(ctx, ui, s, name) // which says what can be fetched
	case err != nil:
		return nil, console.Cannot("open", name, err)
	case info.IsDir():
		return nil, ErrDirectory(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &Document{Settings: s, Reader: f, Closer: f, File: info.Mode().IsRegular()}, nil
}

// Complete completes what is known of a document that is open. outer is as in Open.
func (d *Document) Complete(ui *console.UI, e Entry, outer *resolver.Base) {
	d.Name, d.Kind, d.Charset, d.Progress = e.Name, d.Settings.Kind, cmp.Or(d.Settings.charset, d.Charset), ui.Progress
	if f := outfile.RegularFile(d.Reader); f != nil {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			d.Lines = lines.Of(f, at, d.Charset)
		}
	}
	switch {
	case e.URL != "":
		d.Base = d.retrievedFrom(ui, e.URL)
	case outer != nil || d.URL == "":
		d.Base, d.Origin = outer, "--url"
	default:
		d.Base, d.Origin = d.retrievedFrom(ui, d.URL), "response"
	}
	d.takeEntity(ui)
}

// retrievedFrom returns the base of a document that was retrieved from a URL; nil where
// the URL cannot be a base.
func (d *Document) retrievedFrom(ui *console.UI, url string) *resolver.Base {
	base, err := d.Settings.HTML.ParseBase(url)
	if err != nil {
		ui.Warnf("%s: the URL that it was retrieved from: %v", console.InputName(d.Name), err)
	}
	return base
}

// takeEntity takes the base that the response gives, if it gives one. This base overrides
// the retrieval URL.
func (d *Document) takeEntity(ui *console.UI) {
	entity, err := container.ResponseBase(d.Settings.HTML, d.Base, d.Fields)
	if err != nil {
		ui.Warnf("%s: %v", console.InputName(d.Name), err)
	}
	if entity.URL != nil {
		d.Entity, d.Retrieved = entity, rewriter.Base{URL: d.Base, Source: rewriter.OuterBase}
		d.Base = entity.URL
	}
}

// Recognize finds out of what kind the document is, unless that is known. The error says
// that it is not a document.
func (d *Document) Recognize() error {
	if d.Kind == "" {
		d.Kind = SeenKind(d.Look(), d.Name)
		d.refused = d.check()
	}
	return d.refused
}

// Rewrite rewrites the document to dst, which may be nil, and tells h.
func (d *Document) Rewrite(dst io.Writer, h rewriter.Hooks) (rewriter.Result, error) {
	if err := d.Recognize(); err != nil {
		return rewriter.Result{}, err
	}
	src := d.Progress.Reading(d.Reader)
	html := d.Settings.HTML.With(h)
	if c := ContainerOf(d.Kind); c != nil {
		return c.new(d.Settings.in, html).Rewrite(dst, src, d.Base)
	}
	result, err := html.Rewrite(dst, rewriter.Source{Reader: src, Charset: d.Charset, Sheet: d.Kind == KindCSS}, d.Base)
	if h.End != nil && err == nil { // what is not read to its end may have another base
		h.End(&rewriter.Document{Result: result})
	}
	return result, err
}

// ErrDirectory is for a directory that is named in place of a FILE.
func ErrDirectory(name string) error {
	return fmt.Errorf("is a directory; name the files in it, or rewrite all of it with absolink tree %s", name)
}

// Hint returns which option raises the limit that err is about, or otherwise answers a warning,
// as the end of a message; "" where there is none.
func Hint(err error) string {
	var tag *rewriter.TagError
	switch {
	case errors.As(err, &tag):
		return fmt.Sprintf(" (--keep '%s' leaves such links unchanged)", tag.Pattern)
	case errors.Is(err, mail.ErrOutlook):
		return " (--rules html,comments rewrites them too)"
	}
	name := console.LimitName(err)
	if name != "hold" && name != "max-tag" {
		return ""
	}
	return " (--" + name + " raises the limit)"
}
