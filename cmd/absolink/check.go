package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"absolink/rewriter"
	"absolink/rewriter/tree"
)

// A checkMode is what --check looks for. The value of the option may be left out.
type checkMode string

const (
	checkFiles     checkMode = "files"
	checkFragments checkMode = "fragments"
)

// Decode takes a value only where it stands after an equals sign: in --check SRC, SRC is
// an argument.
func (m *checkMode) Decode(ctx *kong.DecodeContext) error {
	*m = checkFiles
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch *m = checkMode(fmt.Sprint(ctx.Scan.Pop().Value)); *m {
	case checkFiles, checkFragments:
		return nil
	}
	return fmt.Errorf("it takes files, which is what --check alone means, or fragments; not %q", string(*m))
}

// IsBool says that the option needs no value.
func (*checkMode) IsBool() bool { return true }

// findings print the links that lead nowhere, file by file.
type findings struct {
	ui   *ui
	src  string
	json *bufio.Writer // nil for messages
	line []byte
	open map[string]*cursor // the files that are worked on, by their paths in the tree
}

// find has the dead links in a tree printed as they are found. end is called after the run.
func (c *treeCommand) find(ui *ui, t *tree.Rewriter) (end func()) {
	f := &findings{ui: ui, src: c.Src, open: map[string]*cursor{}}
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
	done := t.Done
	t.Done = func(file tree.File) {
		f.open[file.Path].close()
		delete(f.open, file.Path)
		if done != nil {
			done(file)
		}
	}
	return f.end
}

// print prints a link that leads to no file, or to a page without the anchor that
// fragment names.
func (f *findings) print(p *rewriter.Place, fragment string) {
	f.ui.code = exitNotDone
	name := filepath.Join(f.src, filepath.FromSlash(p.Document.Name))
	line, column := f.position(p, name)
	switch {
	case f.json != nil:
		f.line = appendFinding(f.line[:0], name, line, column, p, fragment)
		f.json.Write(f.line) // an error comes again in end
	case f.ui.quiet:
	default:
		why := "which is not in the tree"
		if fragment != "" {
			why = fmt.Sprintf("where no element has the id %q", fragment)
		}
		f.ui.print("%s:%d:%d: %s: %q leads to %s, %s", name, line, column, nameOf(p), p.Ref, p.URL, why)
	}
}

// appendFinding appends a line of JSON.
func appendFinding(b []byte, name string, line, column int64, p *rewriter.Place, fragment string) []byte {
	b = appendJSONString(append(b, `{"type":"missing","file":`...), name)
	b = strconv.AppendInt(append(b, `,"line":`...), line, 10)
	b = strconv.AppendInt(append(b, `,"column":`...), column, 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), p.Offset, 10)
	for _, field := range []struct{ key, value string }{
		{`,"element":`, p.Element}, {`,"attr":`, p.Attr}, {`,"ref":`, p.Ref}, {`,"url":`, withoutLogin(p.URL)}, {`,"fragment":`, fragment},
	} {
		if field.value != "" || field.key == `,"ref":` {
			b = appendJSONString(append(b, field.key...), field.value)
		}
	}
	return append(b, "}\n"...)
}

// end ends the list.
func (f *findings) end() {
	for _, c := range f.open {
		c.close()
	}
	if f.json != nil {
		if err := f.json.Flush(); err != nil {
			f.ui.cannotWriteOn(err)
		}
	}
}

// position returns the line and the column of a place.
func (f *findings) position(p *rewriter.Place, name string) (line, column int64) {
	c := f.open[p.Document.Name]
	if c == nil {
		c = openCursor(name)
		f.open[p.Document.Name] = c
	}
	return c.position(p.Offset)
}

// A cursor finds lines and columns in a file, both from 1. Columns count bytes. It reads
// the file once if the offsets that it is asked for are in ascending order.
type cursor struct {
	file           *os.File // nil where it cannot be opened
	in             *bufio.Reader
	at, line, from int64 // an offset, the line it is in, and where that line begins
}

func openCursor(name string) *cursor {
	nothing := &cursor{line: 1, in: bufio.NewReader(bytes.NewReader(nil))}
	if isDevice(name) { // for which opening might wait
		return nothing
	}
	f, err := os.Open(name)
	if err != nil {
		return nothing
	}
	return &cursor{file: f, line: 1, in: bufio.NewReaderSize(f, 32<<10)}
}

func (c *cursor) position(offset int64) (line, column int64) {
	if offset < c.at && c.file != nil {
		if _, err := c.file.Seek(0, io.SeekStart); err == nil {
			c.in.Reset(c.file)
			c.at, c.line, c.from = 0, 1, 0
		}
	}
	for c.at < offset {
		c.in.Peek(1)
		b, _ := c.in.Peek(int(min(int64(c.in.Buffered()), offset-c.at)))
		if len(b) == 0 {
			break
		}
		if n := bytes.Count(b, []byte("\n")); n > 0 {
			c.line += int64(n)
			c.from = c.at + int64(bytes.LastIndexByte(b, '\n')) + 1
		}
		c.at += int64(len(b))
		c.in.Discard(len(b))
	}
	return c.line, offset - c.from + 1
}

func (c *cursor) close() {
	if c != nil && c.file != nil {
		c.file.Close()
	}
}
