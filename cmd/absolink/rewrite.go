package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
)

type rewriteCommand struct {
	documentOptions

	Output  *string `short:"o" placeholder:"FILE" xor:"to" help:"Write to FILE instead of standard output, which is -."`
	InPlace bool    `short:"w" name:"in-place" xor:"to" help:"Rewrite the files themselves. Each is replaced whole or not at all."`
	Diff    bool    `xor:"to" help:"Write no document, but what would change in it, as a unified diff that patch -p0 applies."`
	Report  bool    `xor:"to" help:"Write no document, but how many URLs there are by place, scheme and host in all FILEs, and what becomes of them."`

	report report                      `kong:"-"`
	visit  func(*rewriter.Place) error `kong:"-"` // if not nil, sees each place
	end    func(*rewriter.Document)    `kong:"-"` // if not nil, sees each document
}

// Validate refuses what no single option can.
func (c *rewriteCommand) Validate() error {
	switch {
	case c.InPlace && len(c.Files) == 0:
		return errors.New("--in-place needs the FILEs to rewrite")
	case c.Output != nil && *c.Output == "":
		return errors.New("--output has an empty name; give it a FILE, or - for standard output")
	case !c.toStdout() && len(c.Files) > 1:
		return errors.New("--output takes one FILE; --in-place rewrites several")
	}
	return c.documentOptions.Validate()
}

// toStdout holds without -o as well; --in-place goes before it.
func (c *rewriteCommand) toStdout() bool {
	return c.Output == nil || *c.Output == "-"
}

func (c *rewriteCommand) Run(ui *ui) error {
	ui.quiet, ui.strict = c.Quiet, c.Strict
	outer, ok := c.outerBase(ui)
	if !ok {
		return nil
	}
	for _, name := range c.names() {
		if err := c.rewriteFile(ui, name, outer); err != nil {
			ui.errorf("%s", describe(name, c.outputName(name), err))
		}
	}
	if c.Report {
		c.report.print(ui)
	}
	return nil
}

// describe puts the name of the file that err is about first, and the offset
// where there is one.
func describe(name, output string, err error) string {
	var e *rewriter.Error
	var pathError *fs.PathError
	switch {
	case errors.As(err, &e) && e.Op == "read":
		return fmt.Sprintf("%s:%d: cannot read on: %s", inputName(name), e.Offset, cannotReadOn(e.Err))
	case errors.As(err, &e) && e.Op == "visit": // which prints
		return fmt.Sprintf("%s: cannot write on: %v", output, cause(e.Err))
	case errors.As(err, &e):
		return fmt.Sprintf("%s:%d: cannot write on: %v", output, e.Offset, cause(e.Err))
	case errors.As(err, &pathError) && pathError.Path == os.TempDir():
		return fmt.Sprintf("%s: cannot write a temporary file in %s: %v (TMPDIR names another directory)", inputName(name), pathError.Path, pathError.Err)
	case errors.As(err, &pathError):
		return fmt.Sprintf("%s: cannot %s: %v", pathError.Path, pathError.Op, pathError.Err)
	}
	return fmt.Sprintf("%s: %v", inputName(name), err)
}

func inputName(name string) string {
	switch {
	case name == "-":
		return "<stdin>"
	case isURL(name):
		return withoutLogin(name)
	}
	return name
}

func (c *rewriteCommand) outputName(input string) string {
	switch {
	case c.InPlace:
		return input
	case c.toStdout():
		return "<stdout>"
	}
	return *c.Output
}

func (c *rewriteCommand) rewriteFile(ui *ui, name string, outer *resolver.Base) error {
	if name == "-" && c.InPlace {
		return errors.New("cannot be rewritten in place; leave --in-place out")
	}
	if c.InPlace && isURL(name) {
		return errors.New("is on the web and cannot be rewritten in place; leave --in-place out")
	}
	if info, err := os.Stat(name); c.InPlace && err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		// A pipe must not even be opened, which would wait for a writer.
		return errors.New("is not a regular file and cannot be rewritten in place; leave --in-place out")
	}
	in, outer, err := c.open(context.Background(), ui, name, outer)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.InPlace { // it is the file that a link leads to that is rewritten
		if in.name, _, err = target(name); err != nil {
			return err
		}
	}
	return c.rewrite(ui, name, in, outer)
}

// rewrite writes one document, or what is to be known of it, to where that
// belongs.
func (c *rewriteCommand) rewrite(ui *ui, name string, src *input, outer *resolver.Base) error {
	switch {
	case c.Diff:
		return c.diff(ui, name, src, outer)
	case c.Report:
		c.visit, c.end = c.report.visit, c.report.document
		_, err := c.copy(ui, name, nil, src, outer)
		return err
	case c.InPlace:
		return replaceFile(name, func(w io.Writer) (changed bool, err error) {
			result, err := c.copy(ui, name, w, src, outer)
			return result.Rewritten+result.Removed > 0, err
		})
	case c.toStdout():
		_, err := c.copy(ui, name, ui.stdout, src, outer)
		return err
	case isDevice(*c.Output):
		f, err := os.OpenFile(*c.Output, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = c.copy(ui, name, f, src, outer)
		return errors.Join(err, f.Close())
	}
	return replaceFile(*c.Output, func(w io.Writer) (changed bool, err error) {
		_, err = c.copy(ui, name, w, src, outer)
		return true, err
	})
}

// isDevice holds for devices, pipes and whatever else cannot be replaced by a
// file.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

// errNoBase is what is said once of a document whose relative links stay.
var errNoBase = errors.New("no base URL is known, relative links stay from here on; give one with --url, with a BASE in the document, or with --canonical if the document has one")

// stays says why a place stays as it is.
func stays(p *rewriter.Place) error { return fmt.Errorf("%s stays as it is: %w", nameOf(p), p.Err) }

// nameOf is what a message calls a place.
func nameOf(p *rewriter.Place) string { return strings.TrimSpace(p.Element + " " + p.Attr) }

// copy is one run, with its warnings. It closes src, which may be the file that
// is replaced next: Windows replaces none that is open.
func (c *rewriteCommand) copy(ui *ui, name string, dst io.Writer, src *input, outer *resolver.Base) (rewriter.Result, error) {
	defer src.Close()
	about := ui.about(name)
	defer about.end()
	firstLeft := int64(-1)
	rw := c.rewriter()
	rw.Visit = c.visit
	rw.Warn = about.warn
	rw.Unresolvable = func(p *rewriter.Place) {
		switch {
		case !errors.Is(p.Err, rewriter.ErrNoBase):
			about.warn(p.Offset, stays(p))
		case firstLeft < 0:
			firstLeft = p.Offset
		}
	}
	run := c.rewriting(src, rw, c.end)
	result, err := run.Rewrite(dst, src.Reader, outer)
	if err == nil && firstLeft >= 0 {
		about.warn(firstLeft, errNoBase)
	}
	return result, err
}
