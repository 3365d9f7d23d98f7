package main

import (
	"context"
	"errors"
	"fmt"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/fetch"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/view"
	"absolink/internal/listing"
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
		err := c.print(ui, where, view.BaseOf(doc, d))
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
func (c *baseCommand) print(ui *console.UI, where string, b view.Base) error {
	if c.JSON {
		return console.WriteJSON(ui.Stdout, b)
	}
	_, err := fmt.Fprintln(ui.Stdout, listing.Visible(console.HideLogins(where+": "+b.String())))
	return err
}
