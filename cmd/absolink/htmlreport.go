package main

import (
	"absolink/cmd/absolink/internal/serve"

	"absolink/rewriter"
)

// beginPage begins the page of --report=html on standard output. What is printed there
// until end is called are the lines of the data in the page. It is not ok if standard
// output fails, which beginPage has then said.
func (c *rewriteCommand) beginPage(ui *ui) (end func(), ok bool) {
	if c.Report != reportHTML {
		return func() {}, true
	}
	stdout := ui.stdout
	data, err := serve.NewReport(stdout)
	if err != nil {
		ui.cannotWriteOn(err)
		return nil, false
	}
	ui.stdout = data
	return func() {
		ui.stdout = stdout
		if err := data.Close(); err != nil {
			ui.cannotWriteOn(err)
		}
	}, true
}

// show adds the view of one file to the page, and the resolutions of its places.
func (w *rewriteWorker) show(ui *ui, d *opened) error {
	v := newViewing(d)
	_, err := w.copy(ui, d.name, &v.after, d, rewriter.Hooks{Visit: v.visit, End: v.end})
	d.name = inputName(d.name)
	shown, err := v.finish(err)
	if err != nil {
		return err
	}
	if err := shown.write(ui.stdout); err != nil {
		ui.cannotWriteOn(err)
	} else if err := shown.writeResolutions(ui.stdout); err != nil {
		ui.cannotWriteOn(err)
	}
	return nil
}
