package main

import (
	"context"
	"errors"
	"fmt"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/fetch"
	"absolink/cmd/absolink/internal/input"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/mail"
)

type baseCommand struct {
	JSON bool `name:"json" group:"output" help:"Print a line of JSON for each document."`
	input.DocumentOptions
}

// Run prints the base URL of each document and where it came from.
func (c *baseCommand) Run(ui *console.UI) error {
	ui.Quiet, ui.Strict, ui.Debug = c.Quiet, c.Strict, c.Debug
	s := c.Settings(fetch.By(nil))
	outer, ok := s.OuterBase(ui, c.URL)
	if !ok {
		return nil
	}
	names := c.Names("")
	defer progressOf(ui, input.EntriesOf(names), false)()
	for _, name := range names {
		if err := c.base(ui, s, name, outer); err != nil {
			ui.Errorf("%s", input.Describe(name, "<stdout>", err))
		}
		ui.Progress.Add(1)
	}
	return nil
}

func (c *baseCommand) base(ui *console.UI, s *input.Settings, name string, outer *resolver.Base) error {
	d, err := s.Open(context.Background(), ui, input.Entry{Name: name}, outer)
	if err != nil {
		return err
	}
	defer d.Close()
	about := d.About(ui, name)
	defer about.End()
	var printed error
	print := func(doc *rewriter.Document) {
		if doc.Result.Base.URL == nil {
			ui.Warned()
		}
		where := about.Name
		if d.Kind.IsContainer() {
			where = about.At(doc.Offset)
		}
		err := c.print(ui, where, baseOf(doc, d))
		if printed == nil && err != nil {
			printed = &rewriter.Error{Op: "write", Err: err}
		}
	}
	warn := func(offset int64, err error) {
		if !errors.As(err, new(*rewriter.TagError)) && !errors.Is(err, mail.ErrOutlook) { // which are about links
			about.Warn(offset, err)
		}
	}
	if _, err := d.Rewrite(nil, rewriter.Hooks{Warn: warn, End: print}); err != nil {
		return about.Place(err)
	}
	return printed
}

// print prints the base of a document. where is the file, with a position where the file
// has several documents.
func (c *baseCommand) print(ui *console.UI, where string, b foundBase) error {
	if c.JSON {
		return console.WriteJSON(ui.Stdout, b)
	}
	_, err := fmt.Fprintln(ui.Stdout, console.Visible(console.HideLogins(where+": "+b.String())))
	return err
}

// A foundBase is the base of a document, with the fields of --json.
type foundBase struct {
	File      console.Text `json:"file"`
	Offset    int64        `json:"offset"` // of the document in the file
	Base      *layer       `json:"base"`   // nil where there is none
	Overrides []layer      `json:"overrides,omitempty"`
}

// A layer is a base URL and where it came from.
type layer struct {
	URL    console.Text `json:"url"`
	Source string       `json:"source"`           // embedded, entity or retrieval: a layer of RFC 1808 §3
	Name   console.Text `json:"name"`             // of what gave the URL: BASE, a field, an option
	Offset *int64       `json:"offset,omitempty"` // of what gave the URL, in the file; nil where that is not in the file
	from   string       // where the URL came from, for people
	at     string       // the same as Offset
}

// baseOf returns the base of a document, and which bases it overrides.
func baseOf(d *rewriter.Document, in *input.Document) foundBase {
	b := foundBase{File: console.Text(console.InputName(in.Name)), Offset: d.Offset}
	if d.Result.Base.URL == nil {
		return b
	}
	base := layerOf(d.Result.Base, in)
	b.Base = &base
	last := d.Result.Base
	for _, l := range []rewriter.Base{d.Result.Overridden, d.Overridden} {
		if l.URL != nil && l != last {
			b.Overrides = append(b.Overrides, layerOf(l, in))
			last = l
		}
	}
	if last.Source == rewriter.OuterBase && in.Retrieved.URL != nil {
		b.Overrides = append(b.Overrides, layerOf(in.Retrieved, in))
	}
	return b
}

func layerOf(b rewriter.Base, in *input.Document) layer {
	l := layer{URL: console.Text(console.HideLogin(b.URL.String())), Source: "retrieval", Name: console.Text(console.HideLogins(b.Name)), from: "retrieval URL"}
	switch b.Source {
	case rewriter.EmbeddedBase:
		l.Source, l.from = "embedded", "embedded"
	case rewriter.EntityBase:
		l.Source, l.from = "entity", "from the "+string(in.Kind)
	}
	switch {
	case b.Name == "" && b.URL == in.Entity.URL:
		l.Source, l.Name, l.from = "entity", console.Text(in.Entity.Name), "from the response"
		return l
	case b.Name == "":
		l.Name = console.Text(in.Origin)
		return l
	}
	l.Offset = &b.Offset
	if line, column, ok := in.Lines.Position(b.Offset); ok {
		l.at = fmt.Sprintf(", line %d, column %d", line, column)
	} else {
		l.at = fmt.Sprintf(", byte %d", b.Offset)
	}
	return l
}

// String returns the base for people.
func (b foundBase) String() string {
	if b.Base == nil {
		return "none"
	}
	line := string(b.Base.URL) + ", " + b.Base.origin()
	for _, l := range b.Overrides {
		line += fmt.Sprintf("; overrides %s, %s", l.URL, l.origin())
	}
	return line
}

// origin says for people where the URL came from.
func (l layer) origin() string { return fmt.Sprintf("%s: %s%s", l.from, l.Name, l.at) }
