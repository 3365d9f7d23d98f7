package main

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
	"absolink/cmd/absolink/internal/serve"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
	"absolink/rewriter/mail"
	"absolink/rewriter/web"
)

// An opened document is one that a FILE or a request holds, open to be read, and what is known
// of it.
type opened struct {
	settings *settings
	io.Reader
	io.Closer
	name     string
	file     bool           // it is a regular file, not a pipe or the like
	charset  string         // that --charset or HTTP gives; "" where neither does
	base     *resolver.Base // the outer base; nil where none is known
	origin   string         // what gave the retrieval URL, if there is one: "--url" or "response"
	kind     kind           // "" until recognize is called, where neither --type nor a request gives it
	refused  error          // what recognize returns
	start    []byte         // what it begins with; set by look
	lines    *lines.Lines   // its lines; nil until about is called, where it is not a regular file
	progress *console.Progress

	// What the response gives in which the document came.
	url       string        // that it was retrieved from
	fields    []string      // Base
	entity    rewriter.Base // the base of its entity, zero without one
	retrieved rewriter.Base // the retrieval URL that entity overrides; zero without entity
}

// look returns what d begins with. Read returns that as well.
func (d *opened) look() []byte {
	if d.start == nil {
		d.start, d.Reader = startOf(d.Reader)
	}
	return d.start
}

// open opens a document to be read; "-" is standard input. outer is the base that the
// options give, which may be nil.
func (s *settings) open(ctx context.Context, ui *console.UI, e entry, outer *resolver.Base) (*opened, error) {
	d, err := s.openDocument(ctx, ui, e.name)
	if err != nil {
		return nil, err
	}
	d.complete(ui, e, outer)
	return d, nil
}

// openDocument opens a file, standard input, or a document on the web.
func (s *settings) openDocument(ctx context.Context, ui *console.UI, name string) (*opened, error) {
	switch {
	case name == "-":
		if console.Terminal(ui.Stdin) != nil {
			ui.Summaryf("<stdin>: what is typed is read; name a FILE to read that")
		}
		return &opened{settings: s, Reader: ui.Stdin, Closer: io.NopCloser(nil)}, nil
	case console.IsURL(name):
		return s.fetch(ctx, ui, name)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil && console.IsURL(name[strings.LastIndexByte(name, ' ')+1:]):
		return nil, errors.New("no such file (in a manifest, a tab separates FILE and URL)")
	case err != nil && strings.Contains(name, "://"):
		return nil, fmt.Errorf("cannot be fetched: %w", web.ErrScheme)
	case err != nil:
		return nil, console.Cannot("open", name, err)
	case info.IsDir():
		return nil, errDirectory(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &opened{settings: s, Reader: f, Closer: f, file: info.Mode().IsRegular()}, nil
}

// complete completes what is known of a document that is open. outer is as in open.
func (d *opened) complete(ui *console.UI, e entry, outer *resolver.Base) {
	d.name, d.kind, d.charset, d.progress = e.name, d.settings.kind, cmp.Or(d.settings.charset, d.charset), ui.Progress
	if f := outfile.RegularFile(d.Reader); f != nil {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil {
			d.lines = lines.Of(f, at, d.charset)
		}
	}
	switch {
	case e.url != "":
		d.base = d.retrievedFrom(ui, e.url)
	case outer != nil || d.url == "":
		d.base, d.origin = outer, "--url"
	default:
		d.base, d.origin = d.retrievedFrom(ui, d.url), "response"
	}
	d.takeEntity(ui)
}

// retrievedFrom returns the base of a document that was retrieved from a URL; nil where
// the URL cannot be a base.
func (d *opened) retrievedFrom(ui *console.UI, url string) *resolver.Base {
	base, err := d.settings.html.ParseBase(url)
	if err != nil {
		ui.Warnf("%s: the URL that it was retrieved from: %v", console.InputName(d.name), err)
	}
	return base
}

// takeEntity takes the base that the response gives, if it gives one. This base overrides
// the retrieval URL.
func (d *opened) takeEntity(ui *console.UI) {
	entity, err := container.ResponseBase(d.settings.html, d.base, d.fields)
	if err != nil {
		ui.Warnf("%s: %v", console.InputName(d.name), err)
	}
	if entity.URL != nil {
		d.entity, d.retrieved = entity, rewriter.Base{URL: d.base, Source: rewriter.OuterBase}
		d.base = entity.URL
	}
}

// recognize finds out of what kind the document is, unless that is known. The error says
// that it is not a document.
func (d *opened) recognize() error {
	if d.kind == "" {
		d.kind = seenKind(d.look(), d.name)
		d.refused = d.check()
	}
	return d.refused
}

// rewrite rewrites the document to dst, which may be nil, and tells h.
func (d *opened) rewrite(dst io.Writer, h rewriter.Hooks) (rewriter.Result, error) {
	if err := d.recognize(); err != nil {
		return rewriter.Result{}, err
	}
	src := d.progress.Reading(d.Reader)
	html := d.settings.html.With(h)
	if c := containerOf(d.kind); c != nil {
		return c.new(d.settings.in, html).Rewrite(dst, src, d.base)
	}
	result, err := html.Rewrite(dst, rewriter.Source{Reader: src, Charset: d.charset, Sheet: d.kind == kindCSS}, d.base)
	if h.End != nil && err == nil { // what is not read to its end may have another base
		h.End(&rewriter.Document{Result: result})
	}
	return result, err
}

// errDirectory is for a directory that is named in place of a FILE.
func errDirectory(name string) error {
	return fmt.Errorf("is a directory; name the files in it, or rewrite all of it with absolink tree %s", name)
}

// hint returns which option raises the limit that err is about, or otherwise answers a warning,
// as the end of a message; "" where there is none.
func hint(err error) string {
	var tag *mail.TagError
	switch {
	case errors.As(err, &tag):
		return fmt.Sprintf(" (--keep '%s' leaves such links as they are)", tag.Pattern)
	case errors.Is(err, mail.ErrOutlook):
		return " (--rules html,comments rewrites them too)"
	}
	name := serve.LimitName(err)
	if name != "hold" && name != "max-tag" {
		return ""
	}
	return " (--" + name + " raises the limit)"
}
