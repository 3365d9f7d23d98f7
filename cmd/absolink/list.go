package main

import (
	"context"
	"fmt"
	"io"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

type listCommand struct {
	Output string `short:"o" placeholder:"OUT" help:"Write to OUT instead of standard output, which is -. If OUT is a directory, each FILE has a list of its own there, FILE.jsonl."`
	Format string `enum:"jsonl,csv,text" default:"jsonl" placeholder:"FORMAT" help:"jsonl (the default), csv or text."`
	batchOptions
	archiveOptions
	documentOptions
}

// Validate checks options together.
func (c *listCommand) Validate() error {
	if err := c.archiveOptions.check(); err != nil {
		return err
	}
	return c.documentOptions.Validate()
}

func (c *listCommand) Run(ui *ui) error {
	ui.quiet, ui.strict = c.Quiet, c.Strict
	outer, ok := c.outerBase(ui)
	if !ok {
		return nil
	}
	files := c.Files
	if c.Manifest == "" {
		files = c.names()
	}
	batches, err := c.batches(ui, files, c.Output, "."+c.Format)
	if err != nil {
		ui.errorf("%v", err)
		return nil
	}
	for _, b := range batches {
		if err := b.write(ui, func(w io.Writer) error { return c.listBatch(ui, b, outer, w) }); err != nil {
			ui.errorf("%s", describe(b.reading, outputName(b.output), err))
		}
	}
	return nil
}

// listBatch lists documents and archives. On standard output the list goes on after
// an input that cannot be read.
func (c *listCommand) listBatch(ui *ui, b *batch, outer *resolver.Base, w io.Writer) error {
	print := printers[c.Format](w)
	for _, name := range b.inputs {
		b.reading = name
		err := c.list(ui, name, outer, w, print)
		if err != nil && !isStdout(b.output) {
			return err
		} else if err != nil {
			ui.errorf("%s", describe(name, outputName(b.output), err))
		}
	}
	return nil
}

// list prints the places in one document or archive.
func (c *listCommand) list(ui *ui, name string, outer *resolver.Base, w io.Writer, print func(listed) error) error {
	in, outer, err := c.open(context.Background(), ui, name, outer)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.Type == "auto" && warc.Is(in.look(), name) {
		return c.listArchive(ui, name, in.Reader, w)
	}
	about := ui.about(name)
	defer about.end()
	rw := c.rewriter(hooks{
		visit: func(p *rewriter.Place) error { return print(listed{p, about.name, nil}) },
		warn:  about.warn,
	})
	run := c.rewriting(in, rw, nil)
	_, err = run.Rewrite(nil, in.Reader, outer)
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
