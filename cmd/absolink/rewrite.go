package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"absolink/resolver"
	"absolink/rewriter"
)

type rewriteCommand struct {
	URL           *string          `name:"url" placeholder:"URL" help:"The URL that the documents were retrieved from: the base of relative links where a document embeds none."`
	Profile       resolver.Profile `placeholder:"PROFILE" default:"rfc1808" help:"The standard to resolve by: rfc1808 (the default), rfc3986 or whatwg, which is what browsers do."`
	KeepFragments bool             `help:"Leave links alone that are a fragment and nothing else, as in <a href=\"#top\">."`
	Hold          int              `placeholder:"BYTES" default:"16777216" help:"How much of a HEAD may be held back while it is not known whether a BASE follows (16 MiB)."`

	Output  *string `short:"o" placeholder:"FILE" xor:"to" help:"Write to FILE instead of standard output, which is -."`
	InPlace bool    `short:"w" name:"in-place" xor:"to" help:"Rewrite the files themselves. Each is replaced whole or not at all."`
	Quiet   bool    `short:"q" help:"Print no warnings."`
	Strict  bool    `help:"Exit with 3 where there are warnings."`

	Files []string `arg:"" optional:"" name:"FILE" help:"HTML documents. Without any, or where one is -, standard input. One that has the name of a command, or begins with -, goes after --."`
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
	case c.Hold <= 0:
		return errors.New("--hold takes a number of bytes above 0")
	}
	return nil
}

// toStdout holds without -o as well; --in-place goes before it.
func (c *rewriteCommand) toStdout() bool {
	return c.Output == nil || *c.Output == "-"
}

func (c *rewriteCommand) Run(ui *ui) error {
	ui.quiet, ui.strict = c.Quiet, c.Strict
	var outer *resolver.Base
	if c.URL != nil {
		var err error
		if outer, err = resolver.ParseBase(*c.URL, c.Profile); err != nil {
			ui.errorf("--url: %v", err)
			return nil
		}
	}
	files := c.Files
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if err := c.rewriteFile(ui, name, outer); err != nil {
			ui.errorf("%s", c.describe(name, err))
		}
	}
	return nil
}

// describe puts the name of the file that err is about first, and the offset
// where there is one.
func (c *rewriteCommand) describe(name string, err error) string {
	var e *rewriter.Error
	var pathError *fs.PathError
	switch {
	case errors.As(err, &e) && e.Op == "read":
		return fmt.Sprintf("%s:%d: cannot read on: %v", inputName(name), e.Offset, cause(e.Err))
	case errors.As(err, &e):
		return fmt.Sprintf("%s:%d: cannot write on: %v", c.outputName(name), e.Offset, cause(e.Err))
	case errors.As(err, &pathError):
		return fmt.Sprintf("%s: cannot %s: %v", pathError.Path, pathError.Op, pathError.Err)
	}
	return fmt.Sprintf("%s: %v", inputName(name), err)
}

func inputName(name string) string {
	if name == "-" {
		return "<stdin>"
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
	if name == "-" {
		return c.rewrite(ui, name, io.NopCloser(ui.stdin), outer)
	}
	if err := c.accept(name); err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.rewrite(ui, name, f, outer)
}

// accept refuses what opens and is no document. A pipe may be read, but in
// place it must not even be opened, which would wait for a writer.
func (c *rewriteCommand) accept(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return cannot("open", name, err)
	case info.IsDir():
		return errors.New("is a directory; name the files in it")
	case c.InPlace && !info.Mode().IsRegular():
		return errors.New("is no regular file and cannot be rewritten in place; leave --in-place out")
	}
	return nil
}

// rewrite writes one document to where it belongs.
func (c *rewriteCommand) rewrite(ui *ui, name string, src io.ReadCloser, outer *resolver.Base) error {
	switch {
	case c.InPlace:
		return replaceFile(name, func(w io.Writer) (changed bool, err error) {
			result, err := c.copy(ui, name, w, src, outer)
			return result.Rewritten > 0, err
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

// copy is one run, with its warnings. It closes src, which may be the file that
// is replaced next: Windows replaces none that is open.
func (c *rewriteCommand) copy(ui *ui, name string, dst io.Writer, src io.ReadCloser, outer *resolver.Base) (rewriter.Result, error) {
	defer src.Close()
	name = inputName(name)
	firstLeft := int64(-1)
	rw := &rewriter.Rewriter{
		Profile:       c.Profile,
		KeepFragments: c.KeepFragments,
		Hold:          c.Hold,
		Warn: func(offset int64, err error) {
			hint := ""
			if errors.Is(err, rewriter.ErrHold) {
				hint = " (--hold raises the limit)"
			}
			ui.warnf("%s:%d: %v%s", name, offset, err, hint)
		},
		Unresolvable: func(p *rewriter.Place) {
			switch {
			case !errors.Is(p.Err, rewriter.ErrNoBase):
				ui.warnf("%s:%d: %s %s stays as it is: %v", name, p.Offset, p.Element, p.Attr, p.Err)
			case firstLeft < 0:
				firstLeft = p.Offset
			}
		},
	}
	result, err := rw.Rewrite(dst, src, outer)
	if err == nil && firstLeft >= 0 {
		ui.warnf("%s:%d: no base URL is known, relative links stay from here on; give one with --url", name, firstLeft)
	}
	return result, err
}
