package main

import (
	"bufio"
	"errors"
	"strings"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
)

// progressOf is console.StartProgress for a run over entries.
func progressOf(ui *console.UI, entries []input.Entry, writes bool) (end func()) {
	if len(entries) == 0 {
		return func() {}
	}
	return console.StartProgress(ui, len(entries), entries[0].Name, writes)
}

// maxLine is how long a line of a manifest may be: longer than the longest path and
// the longest base URL together.
const maxLine = 64 << 10

// readManifest returns the entries of the manifest. Each entry takes the memory of its
// line and 40 bytes. check says why an entry does not fit the command. If a line is
// wrong, the result is not ok, and readManifest has named the first few such lines.
func (o *batchOptions) readManifest(ui *console.UI, check func(input.Entry) error) (entries []input.Entry, ok bool) {
	f, err := openFile(ui, o.Manifest)
	if err != nil {
		ui.Errorf("%s", input.Describe(o.Manifest, "", err))
		return nil, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	wrong, number := 0, 0
	for lines.Scan() {
		number++
		line := strings.TrimRight(lines.Text(), "\r")
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // a byte order mark
		}
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := parseEntry(line, check)
		if err == nil && e.Name == "-" && o.Manifest == "-" {
			err = errors.New("standard input is the list itself; name another FILE")
		}
		if err != nil {
			if wrong++; wrong <= console.FewOfKind {
				ui.Usagef("%s:%d:1: %v", console.InputName(o.Manifest), number, err)
			}
		}
		if wrong == 0 {
			e.Line = number
			entries = append(entries, e)
		}
	}
	if wrong > console.FewOfKind {
		ui.Print("%s: %d more lines are wrong", console.InputName(o.Manifest), wrong-console.FewOfKind)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		ui.Usagef("%s:%d:1: the line is longer than %d KiB; give one FILE per line", console.InputName(o.Manifest), number+1, maxLine>>10)
		return nil, false
	case err != nil:
		ui.Errorf("%s: cannot read further: %v", console.InputName(o.Manifest), console.Cause(err))
		return nil, false
	}
	return entries, wrong == 0
}

// parseEntry reads a line of a manifest: a FILE, and after a tab the URL that it was
// retrieved from, which may be left out.
func parseEntry(line string, check func(input.Entry) error) (input.Entry, error) {
	name, url, _ := strings.Cut(line, "\t")
	switch {
	case strings.ContainsRune(line, 0):
		return input.Entry{}, errors.New("the line has a NUL byte, which no name has; write the list as UTF-8, with a line for each FILE")
	case name == "":
		return input.Entry{}, errors.New("no FILE comes before the tab")
	case strings.Contains(url, "\t"):
		return input.Entry{}, errors.New("the line has more than two columns; give a FILE, a tab, and the URL that the FILE was retrieved from")
	}
	e := input.Entry{Name: name, URL: url}
	return e, check(e)
}
