package main

import (
	"errors"
	"fmt"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/lines"
	"absolink/resolver"
	"absolink/rewriter"
)

// An about prints the warnings about one file.
type about struct {
	ui    *console.UI
	name  string
	lines *lines.Lines // of the file; nil where it has none, as an archive
	*console.Repeats
	told int // how many warnings there were

	links struct{ relative, unresolvable staying }
}

// newAbout returns an about for a FILE.
func newAbout(ui *console.UI, name string) *about {
	return &about{ui: ui, name: console.InputName(name), Repeats: console.NewRepeats(ui)}
}

// about returns an about for a document that messages call name. It has to be called before
// the document is read.
func (d *opened) about(ui *console.UI, name string) *about {
	a := newAbout(ui, name)
	if d.lines == nil {
		d.Reader, d.lines = lines.Passing(d.Reader, d.charset)
	}
	a.lines = d.lines
	return a
}

// at returns what a message about an offset begins with: the file, the line and the
// column. If the line is not known, it is the file and the byte, in a form that no
// program mistakes for a line. A negative offset stands for the whole file.
func (a *about) at(offset int64) string {
	where, _ := a.find(offset)
	return where
}

// find is at. It also reports whether there is a line and a column in where.
func (a *about) find(offset int64) (where string, found bool) {
	if offset < 0 {
		return a.name, false
	}
	if line, column, ok := a.lines.Position(offset); ok {
		return fmt.Sprintf("%s:%d:%d", a.name, line, column), true
	}
	return fmt.Sprintf("%s: byte %d", a.name, offset), false
}

// message returns a message about an offset.
func (a *about) message(offset int64, text string) string {
	where, found := a.find(offset)
	if found && a.ui.Debug {
		text = fmt.Sprintf("%s (byte %d)", text, offset)
	}
	return where + ": " + text
}

// warn says what is wrong at an offset, and which option raises a limit.
func (a *about) warn(offset int64, err error) {
	a.told++
	if text := err.Error() + hint(err); !a.ui.Quiet && a.Takes(text) {
		a.ui.Print("%s", a.message(offset, text))
	}
	a.ui.Warned()
}

// say is warn for a message whose beginning is known.
func (a *about) say(where, text string) {
	a.told++
	if !a.ui.Quiet && a.Takes(text) {
		a.ui.Print("%s: %s", where, text)
	}
	a.ui.Warned()
}

// A placed error is about an offset in a file.
type placed struct {
	error
	message string
}

func (p *placed) Unwrap() error { return p.error }

// place adds to an error of reading the message with the line where reading ended. The
// line can be found as long as the file is open.
func (a *about) place(err error) error {
	if e, ok := errors.AsType[*rewriter.Error](err); ok && e.Op == "read" {
		return &placed{err, a.message(e.Offset, "cannot read further: "+cannotReadOn(e.Err))}
	}
	return err
}

// A staying counts the links of a file that stay as they are, for one reason.
type staying struct {
	count        int64
	where, first string // of the first link: its position; the link, and why it stays
}

// unresolvable counts a link that stays as it is.
func (a *about) unresolvable(p *rewriter.Place) {
	links := &a.links.unresolvable
	if errors.Is(p.Err, rewriter.ErrNoBase) {
		links = &a.links.relative
	}
	links.count++
	if a.ui.Quiet {
		return
	}
	if links.count == 1 {
		links.where, links.first = a.at(p.Offset), reason(p)
	}
	if a.ui.Debug {
		a.ui.Print("%s", a.message(p.Offset, "stays as it is: "+reason(p)))
	}
}

// reason says which link stays as it is, and why.
func reason(p *rewriter.Place) string {
	err := p.Err
	if of, ok := errors.AsType[*resolver.Error](err); ok {
		err = of.Err
	}
	return fmt.Sprintf("%.200q (%s): %v", resolver.Redact(p.Ref), nameOf(p), err)
}

func nameOf(p *rewriter.Place) string { return strings.TrimSpace(p.Element + " " + p.Attr) }

// giveBase returns why links stay relative in a document, and what gives it a base.
func giveBase(k kind) string {
	give := "no base URL is known; give one with --url"
	if k == kindHTML {
		give += ", with a BASE in the document, or with --canonical if it has a canonical link"
	}
	return give
}

// endLinks says how many links stay as they are in a document of a kind, in one line for each
// reason.
func (a *about) endLinks(k kind) {
	relative, others := a.links.relative, a.links.unresolvable
	a.links.relative, a.links.unresolvable = staying{}, staying{}
	switch n := relative.count; {
	case n == 1:
		a.say(relative.where, "1 link stays relative because "+giveBase(k))
	case n > 1:
		a.say(relative.where, fmt.Sprintf("%d links stay relative because %s", n, giveBase(k)))
	}
	switch n := others.count; {
	case n == 1:
		a.say(others.where, "1 link has no absolute form: "+others.first)
	case n > 1:
		a.say(others.where, fmt.Sprintf("%d links have no absolute form, the first is %s; absolink list shows all", n, others.first))
	}
}

func (a *about) end() { a.Repeats.End(a.name) }
