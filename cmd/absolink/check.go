package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/internal/listing"
	"absolink/rewriter"
	"absolink/rewriter/tree"
)

// A checkMode is what --check looks for. The value of the option may be left out.
type checkMode string

const (
	checkFiles     checkMode = "files"
	checkFragments checkMode = "fragments"
)

// Decode takes the value of the option.
func (m *checkMode) Decode(ctx *kong.DecodeContext) (err error) {
	*m, err = optionalValue(ctx, "--check", checkFiles, checkFragments)
	return err
}

// optionalValue returns the value of an option that means alone where it has none. It
// takes a value only where it stands after an equals sign: in --check SRC, SRC is an
// argument.
func optionalValue[T ~string](ctx *kong.DecodeContext, option string, alone, other T) (T, error) {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return alone, nil
	}
	switch value := T(fmt.Sprint(ctx.Scan.Pop().Value)); value {
	case alone, other:
		return value, nil
	default:
		return "", fmt.Errorf("it takes %s, which is what %s alone means, or %s; not %q", alone, option, other, string(value))
	}
}

// IsBool says that the option needs no value.
func (*checkMode) IsBool() bool { return true }

// findings print the links that lead nowhere.
type findings struct {
	ui    *ui
	files *treeFiles
	json  *bufio.Writer // nil for messages
	line  []byte
}

// find has the dead links in a tree printed as they are found, with --check. end is called
// after the run.
func (c *treeCommand) find(ui *ui, t *tree.Rewriter, files *treeFiles) (end func()) {
	if c.Check == "" {
		return func() {}
	}
	f := &findings{ui: ui, files: files}
	if c.JSON {
		f.json = bufio.NewWriter(ui.stdout)
	}
	t.Missing = func(p *rewriter.Place) { f.print(p, "") }
	if c.Check == checkFragments {
		t.MissingAnchor = func(p *rewriter.Place) {
			_, fragment, _ := strings.Cut(p.URL, "#")
			f.print(p, fragment)
		}
	}
	return f.end
}

// print prints a link that leads to no file, or to a page without the anchor that
// fragment names.
func (f *findings) print(p *rewriter.Place, fragment string) {
	f.ui.code = exitNotDone
	page := f.files.of(f.files.name(p.Document.Name))
	switch {
	case f.json != nil:
		line, column, _ := page.lines.position(p.Offset)
		f.line = appendFinding(f.line[:0], page.name, line, column, p, fragment)
		f.json.Write(f.line) // an error comes again in end
	case f.ui.quiet:
	default:
		why := "which is not in the tree"
		if fragment != "" {
			why = fmt.Sprintf("where no element has the id %q", fragment)
		}
		f.ui.print("%s", page.message(p.Offset, fmt.Sprintf("%s: %q leads to %s, %s", nameOf(p), p.Ref, p.URL, why)))
	}
}

// appendFinding appends a line of JSON. A line of 0 is not known, and left out.
func appendFinding(b []byte, name string, line, column int64, p *rewriter.Place, fragment string) []byte {
	b = listing.AppendString(append(b, `{"type":"missing","file":`...), name)
	if line > 0 {
		b = strconv.AppendInt(append(b, `,"line":`...), line, 10)
		b = strconv.AppendInt(append(b, `,"column":`...), column, 10)
	}
	b = strconv.AppendInt(append(b, `,"offset":`...), p.Offset, 10)
	for _, field := range []struct{ key, value string }{
		{`,"element":`, p.Element}, {`,"attr":`, p.Attr}, {`,"ref":`, p.Ref}, {`,"url":`, listing.WithoutLogin(p.URL)}, {`,"fragment":`, fragment},
	} {
		if field.value != "" || field.key == `,"ref":` {
			b = listing.AppendString(append(b, field.key...), field.value)
		}
	}
	return append(b, "}\n"...)
}

// end ends the list.
func (f *findings) end() {
	if f.json == nil {
		return
	}
	if err := f.json.Flush(); err != nil {
		f.ui.cannotWriteOn(err)
	}
}
