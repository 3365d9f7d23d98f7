package main

import (
	"context"
	"fmt"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

type baseCommand struct {
	documentOptions
}

// Run prints the base URL of each document and where it came from.
func (c *baseCommand) Run(ui *ui) error {
	ui.quiet, ui.strict = c.Quiet, c.Strict
	outer, ok := c.outerBase(ui)
	if !ok {
		return nil
	}
	for _, name := range c.names() {
		if err := c.base(ui, name, outer); err != nil {
			ui.errorf("%s", describe(name, "<stdout>", err))
		}
	}
	return nil
}

// base prints the bases of the documents in one file.
func (c *baseCommand) base(ui *ui, name string, outer *resolver.Base) error {
	in, outer, err := c.open(context.Background(), ui, name, outer)
	if err != nil {
		return err
	}
	defer in.Close()
	rw := c.rewriter()
	rw.Warn = warner(ui, inputName(name))
	var printed error
	print := func(d *rewriter.Document) {
		where := inputName(name)
		if in.kind != kindHTML {
			where = fmt.Sprintf("%s:%d", where, d.Offset)
		}
		if _, err := fmt.Fprintf(ui.stdout, "%s: %s\n", where, baseLine(d)); printed == nil && err != nil {
			printed = &rewriter.Error{Op: "write", Err: err}
		}
	}
	run := c.rewriting(in, rw, print)
	if _, err := run.Rewrite(nil, in.Reader, outer); err != nil {
		return err
	}
	return printed
}

// baseLine says what the base of a document is, where it came from, and what it
// overrides.
func baseLine(d *rewriter.Document) string {
	var line strings.Builder
	for i, l := range layersOf(d) {
		if i > 0 {
			line.WriteString("; overrides ")
		}
		if l.Base == nil {
			line.WriteString("none")
		} else {
			fmt.Fprintf(&line, "%s, %s", l.Base, origin(l))
		}
	}
	return line.String()
}

// layersOf returns the layer that the base of a document came from, and those that
// it overrides.
func layersOf(d *rewriter.Document) []rewriter.Layer {
	chain := []rewriter.Layer{d.Result.Layer, d.Result.Over, d.Over}
	if d.Result.Base != d.Outer.Base && d.Result.Over.Base != d.Outer.Base {
		chain = chain[:2]
	}
	layers := chain[:1]
	for i, l := range chain {
		if l.Source == rewriter.OuterBase && i < 2 {
			l = d.Outer // which the container knows more of
		}
		if i == 0 {
			layers[0] = l
		} else if l.Base != nil {
			layers = append(layers, l)
		}
	}
	return layers
}

// origin says where a layer came from, in the words of RFC 1808 §3.
func origin(l rewriter.Layer) string {
	switch l.Source {
	case rewriter.EmbeddedBase:
		return fmt.Sprintf("embedded: %s at byte %d", l.Name, l.Offset)
	case rewriter.EntityBase:
		return fmt.Sprintf("encapsulating entity: %s at byte %d", l.Name, l.Offset)
	case rewriter.SavedBase:
		return fmt.Sprintf("retrieval URL: %s at byte %d", l.Name, l.Offset)
	}
	if l.Name == "" {
		return "retrieval URL: --url"
	}
	return "retrieval URL: " + l.Name
}
