package main

import (
	"context"
	"fmt"

	"absolink/resolver"
	"absolink/rewriter"
)

type baseCommand struct {
	documentOptions
}

// Run prints the base URL of each document and where it came from.
func (c *baseCommand) Run(ui *ui) error {
	ui.quiet, ui.strict, ui.debug = c.Quiet, c.Strict, c.Debug
	outer, ok := c.outerBase(ui)
	if !ok {
		return nil
	}
	names := c.names("")
	defer startProgress(ui, entriesOf(names), false)()
	for _, name := range names {
		if err := c.base(ui, name, outer); err != nil {
			ui.errorf("%s", describe(name, "<stdout>", err))
		}
		ui.progress.add(1)
	}
	return nil
}

// base prints the base of each document in one file.
func (c *baseCommand) base(ui *ui, name string, outer *resolver.Base) error {
	in, outer, err := c.open(context.Background(), ui, entry{name: name}, outer)
	if err != nil {
		return err
	}
	defer in.Close()
	about := in.about(ui, name)
	defer about.end()
	rw := c.rewriter(hooks{warn: about.warn})
	var printed error
	print := func(d *rewriter.Document) {
		where := about.name
		if in.kind != kindHTML {
			where = about.at(d.Offset)
		}
		if d.Result.Base.URL == nil {
			ui.warned()
		}
		if _, err := fmt.Fprintln(ui.stdout, visible(hideLogins(where+": "+baseLine(d, in)))); printed == nil && err != nil {
			printed = &rewriter.Error{Op: "write", Err: err}
		}
	}
	run := c.rewriting(in, rw, print)
	if _, err := run.Rewrite(nil, ui.progress.reading(in.Reader), outer); err != nil {
		return about.place(err)
	}
	return printed
}

// baseLine says what the base of a document is, where it came from, and which base it
// overrides.
func baseLine(d *rewriter.Document, in *input) string {
	if d.Result.Base.URL == nil {
		return "none"
	}
	line := describeLayer(d.Result.Base, in)
	last := d.Result.Base
	for _, l := range []rewriter.Base{d.Result.Overridden, d.Overridden} {
		if l.URL != nil && l != last {
			line += "; overrides " + describeLayer(l, in)
			last = l
		}
	}
	return line
}

// describeLayer says what a base is and where it came from, in the words of RFC 1808
// §3.
func describeLayer(l rewriter.Base, in *input) string {
	base := hideLogin(l.URL.String())
	layer := "retrieval URL"
	switch l.Source {
	case rewriter.EmbeddedBase:
		layer = "embedded"
	case rewriter.EntityBase:
		layer = "encapsulating entity"
	}
	if l.Name == "" {
		return fmt.Sprintf("%s, %s: %s", base, layer, in.origin)
	}
	line, column, ok := in.lines.position(l.Offset)
	if !ok {
		return fmt.Sprintf("%s, %s: %s at byte %d", base, layer, l.Name, l.Offset)
	}
	return fmt.Sprintf("%s, %s: %s at line %d, column %d", base, layer, l.Name, line, column)
}
