package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
)

// unifiedDiff returns what patch reads; nothing if both documents are the same. They have the
// same name there, so that patch does not take another file for one of them.
func unifiedDiff(name string, before, after []byte) []byte {
	name = diffName(console.InputName(name))
	_, hunks, _ := bytes.Cut(diff.Diff(name, before, name, after), []byte("\n")) // the first line would be a command
	return hunks
}

// A document and its rewriting may have so many bytes and lines together if they are to be
// compared. A line that is not empty takes more memory.
const (
	maxDiff      = 32 << 20
	maxDiffLines = 1 << 20          // that are not empty
	maxDiffAll   = 4 * maxDiffLines // lines
)

var errDiffSize = errors.New("has, with its rewriting, more than the 32 MiB or the million lines that --diff compares; write it to a file with -o and compare the two")

// A diffRoom is how many bytes and lines may still be held.
type diffRoom struct{ bytes, lines, all int }

func newDiffRoom() *diffRoom { return &diffRoom{maxDiff, maxDiffLines, maxDiffAll} }

// A held holds what is written, while there is room.
type held struct {
	bytes.Buffer
	room *diffRoom
	last byte // that was written
}

func (h *held) Write(p []byte) (int, error) {
	h.room.bytes -= len(p)
	for _, c := range p {
		if c == '\n' {
			h.room.all--
			if h.last != '\n' {
				h.room.lines--
			}
		}
		h.last = c
	}
	if min(h.room.bytes, h.room.lines, h.room.all) < 0 {
		return 0, errDiffSize
	}
	return h.Buffer.Write(p)
}

// diffName returns the name of a file as patch reads it. A tab ends a name with
// spaces. A name is put in quotes if it has a byte that could end it earlier, or that
// a terminal would obey.
func diffName(name string) string {
	name = filepath.ToSlash(name)
	var quoted listing.Buffer
	console.AddEscaped(&quoted, name, `\%03o`, `"\`)
	switch {
	case len(quoted.Bytes()) > len(name):
		return `"` + string(quoted.Bytes()) + `"`
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}
