package main

import (
	"errors"
	"fmt"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/page"
	"absolink/cmd/absolink/internal/view"
	"absolink/rewriter"
)

// beginPage begins the page of --report=html on standard output. What is printed there
// until end is called are the lines of the data in the page. It is not ok if standard
// output fails, which beginPage has then said.
func (c *rewriteCommand) beginPage(ui *console.UI) (end func(), ok bool) {
	if c.Report != reportHTML {
		return func() {}, true
	}
	stdout := ui.Stdout
	data, err := page.NewReport(stdout)
	if err != nil {
		ui.Wrote(err)
		return nil, false
	}
	ui.Stdout = data
	return func() {
		ui.Stdout = stdout
		ui.Wrote(data.Close())
	}, true
}

// show adds the view of one file to the page, and the resolutions of its places.
func (w *rewriteWorker) show(ui *console.UI, d *input.Document) error {
	v := view.NewBuilder(d)
	_, err := w.copy(ui, d.Name, &v.After, d, rewriter.Hooks{Visit: v.Visit, End: v.End})
	d.Name = console.InputName(d.Name)
	shown, err := v.Finish(err)
	if errors.Is(err, view.ErrSize) || errors.Is(err, view.ErrBases) {
		err = fmt.Errorf("%w; absolink list lists its links, and absolink base its base URLs", err)
	}
	if err != nil {
		return err
	}
	err = shown.Write(ui.Stdout)
	if err == nil {
		err = shown.WriteResolutions(ui.Stdout)
	}
	ui.Wrote(err)
	return nil
}
