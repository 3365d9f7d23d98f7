package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"absolink/internal/listing"
	"absolink/resolver"
	"absolink/rewriter"
)

// diff prints, as a unified diff, what rewriting would change in one document. It
// prints nothing where nothing would change.
func (c *rewriteCommand) diff(ui *ui, name string, src *input, outer *resolver.Base) error {
	room := maxDiff
	before, after := held{room: &room}, held{room: &room}
	var d difference
	c.visit = d.visit
	src.Reader = io.TeeReader(src.Reader, &before)
	result, err := c.copy(ui, name, &after, src, outer)
	if errors.Is(err, errDiffSize) {
		return errDiffSize
	}
	if err != nil || !isChange(result) {
		return err
	}
	ui.warned() // the diff says why
	d.before, d.after, d.whole = before.Bytes(), after.Bytes(), src.kind.isContainer()
	out := bufio.NewWriter(ui.stdout)
	d.print(out, diffName(inputName(name)))
	if err := out.Flush(); err != nil {
		ui.cannotWriteOn(err)
	}
	return nil
}

// maxDiff is how many bytes a document and its rewriting may have together if they
// are to be compared.
const maxDiff = 32 << 20

var errDiffSize = errors.New("is, with its rewriting, longer than the 32 MiB that --diff compares; write it to a file with -o and compare the two")

// A held holds what is written, while there is room.
type held struct {
	bytes.Buffer
	room *int
}

func (h *held) Write(p []byte) (int, error) {
	if *h.room -= len(p); *h.room < 0 {
		return 0, errDiffSize
	}
	return h.Buffer.Write(p)
}

// diffName returns the name of a file as patch reads it. A tab ends a name with
// spaces. A name is put in quotes if it has a byte that could end it earlier, or that
// a terminal would obey.
func diffName(name string) string {
	name = filepath.ToSlash(name)
	var quoted strings.Builder
	for i, size := 0, 0; i < len(name); i += size {
		var c rune
		c, size = utf8.DecodeRuneInString(name[i:])
		if !listing.IsHidden(c) && c != '"' && c != '\\' && (c != utf8.RuneError || size > 1) {
			quoted.WriteString(name[i : i+size])
			continue
		}
		for _, octet := range []byte(name[i : i+size]) {
			fmt.Fprintf(&quoted, `\%03o`, octet)
		}
	}
	switch {
	case quoted.Len() > len(name):
		return `"` + quoted.String() + `"`
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}

// A difference is the difference between a document and its rewriting.
type difference struct {
	before, after []byte
	joins         []join
	whole         bool     // it is a container, in which a transfer encoding may break lines anew
	changes       []change // of a container, once next was called
}

// A join is a reference with line breaks, in difference.before. Its absolute form has
// none, so that the lines from start to end become one line.
type join struct{ start, end int }

// visit gathers the joins.
func (d *difference) visit(p *rewriter.Place) error {
	if p.URL != "" && p.URL != p.Ref && strings.Contains(p.Raw, "\n") {
		d.joins = append(d.joins, join{int(p.Offset), int(p.Offset) + len(p.Raw)})
	}
	return nil
}

// contextLines is how many unchanged lines are printed before and after a change.
const contextLines = 3

// print prints the diff. Both documents have the same name in it, so that patch does
// not take another file for one of them.
func (d *difference) print(w *bufio.Writer, name string) {
	fmt.Fprintf(w, "--- %s\n+++ %[1]s\n", name)
	for c, ok := d.next(change{}); ok; {
		first, last := c, c
		for c, ok = d.next(last); ok && c.before.line-last.beforeEnd.line <= 2*contextLines; c, ok = d.next(last) {
			last = c
		}
		d.printHunk(w, first, last)
	}
}

// printHunk prints the changes from first to last, and the unchanged lines between and
// around them.
func (d *difference) printHunk(w *bufio.Writer, first, last change) {
	from, to := first.before, last.beforeEnd
	for range contextLines {
		from, to = from.back(d.before), to.next(d.before)
	}
	afterFrom := first.after.line - (first.before.line - from.line)
	afterTo := last.afterEnd.line + (to.line - last.beforeEnd.line)
	fmt.Fprintf(w, "@@ -%d,%d +%d,%d @@\n", from.line+1, to.line-from.line, afterFrom+1, afterTo-afterFrom)
	for c := first; ; c, _ = d.next(c) {
		printLines(w, ' ', d.before[from.offset:c.before.offset])
		printLines(w, '-', d.before[c.before.offset:c.beforeEnd.offset])
		printLines(w, '+', d.after[c.after.offset:c.afterEnd.offset])
		from = c.beforeEnd
		if c == last {
			break
		}
	}
	printLines(w, ' ', d.before[from.offset:to.offset])
}

// printLines prints the lines of a text, with a mark before each.
func printLines(w *bufio.Writer, mark byte, text []byte) {
	for len(text) > 0 {
		line := firstLine(text)
		w.WriteByte(mark)
		w.Write(line)
		if line[len(line)-1] != '\n' {
			w.WriteString("\n\\ No newline at end of file\n")
		}
		text = text[len(line):]
	}
}

// A change is lines of a document, and the lines that stand in their place in its
// rewriting.
type change struct{ before, beforeEnd, after, afterEnd point }

// next returns the first change after c, if there is one.
func (d *difference) next(c change) (_ change, ok bool) {
	if d.whole {
		return d.nextLines(c)
	}
	before, after := d.before[c.beforeEnd.offset:], d.after[c.afterEnd.offset:]
	n := samePrefix(before, after)
	if n == len(before) && n == len(after) {
		return c, false
	}
	n = bytes.LastIndexByte(before[:n], '\n') + 1
	lines := bytes.Count(before[:n], []byte("\n"))
	c.before = point{c.beforeEnd.offset + n, c.beforeEnd.line + lines}
	c.after = point{c.afterEnd.offset + n, c.afterEnd.line + lines}
	c.beforeEnd, c.afterEnd = c.before, c.after
	for !bytes.Equal(firstLine(d.before[c.beforeEnd.offset:]), firstLine(d.after[c.afterEnd.offset:])) {
		c.beforeEnd, c.afterEnd = d.nextJoined(c.beforeEnd), c.afterEnd.next(d.after)
	}
	return c, true
}

// nextLines is next for a container.
func (d *difference) nextLines(c change) (_ change, ok bool) {
	if d.changes == nil {
		d.changes = lineChanges(d.before, d.after)
	}
	i := 0
	if c != (change{}) {
		i, _ = slices.BinarySearchFunc(d.changes, c.beforeEnd.line, func(next change, line int) int { return next.before.line - line })
		for i < len(d.changes) && d.changes[i].after.line < c.afterEnd.line {
			i++
		}
	}
	if i == len(d.changes) {
		return c, false
	}
	return d.changes[i], true
}

// samePrefix returns the length of what both texts begin with.
func samePrefix(a, b []byte) (n int) {
	const block = 64
	for limit := min(len(a), len(b)) - block; n <= limit && bytes.Equal(a[n:n+block], b[n:n+block]); {
		n += block
	}
	for limit := min(len(a), len(b)); n < limit && a[n] == b[n]; {
		n++
	}
	return n
}

// nextJoined returns the end of the lines from p on that become one line.
func (d *difference) nextJoined(p point) point {
	i := sort.Search(len(d.joins), func(i int) bool { return d.joins[i].start >= p.offset })
	p = p.next(d.before)
	for ; i < len(d.joins) && d.joins[i].start < p.offset; i++ {
		for p.offset <= d.joins[i].end && p.offset < len(d.before) {
			p = p.next(d.before)
		}
	}
	return p
}

// A point is where a line of a text begins, or where the text ends.
type point struct {
	offset int
	line   int // how many lines are before it
}

// next returns the beginning of the next line; after the last line, the end of the
// text.
func (p point) next(text []byte) point {
	line := firstLine(text[p.offset:])
	return point{p.offset + len(line), p.line + min(len(line), 1)}
}

// back returns the point where the line before p begins, or p where p is the beginning
// of the text.
func (p point) back(text []byte) point {
	if p.offset == 0 {
		return p
	}
	return point{bytes.LastIndexByte(text[:p.offset-1], '\n') + 1, p.line - 1}
}

// firstLine returns the first line with its line feed, if it has one.
func firstLine(text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}
