package view

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"absolink/cmd/absolink/internal/console"
	"absolink/internal/listing"
)

// UnifiedDiff returns what patch reads; nothing if both documents are the same. They have the
// same name there, so that patch does not take another file for one of them.
func UnifiedDiff(name string, before, after []byte) []byte {
	name = DiffName(console.InputName(name))
	_, hunks, _ := bytes.Cut(diff.Diff(name, before, name, after), []byte("\n")) // the first line would be a command
	return hunks
}

// A document and its rewriting may have so many bytes and lines together if they are to be
// compared. A line that is not empty takes more memory.
const (
	MaxDiff      = 32 << 20
	MaxDiffLines = 1 << 20          // that are not empty
	MaxDiffAll   = 4 * MaxDiffLines // lines
)

// ErrDiffSize says that two documents are too large to be compared.
var ErrDiffSize = errors.New("has, with its rewriting, more than the 32 MiB or the million lines that --diff compares; write it to a file with -o and compare the two")

// A Room is how many bytes and lines may still be Held.
type Room struct{ bytes, lines, all int }

// NewRoom returns the room of one comparison.
func NewRoom() *Room { return &Room{MaxDiff, MaxDiffLines, MaxDiffAll} }

// A Held holds what is written, while there is room.
type Held struct {
	bytes.Buffer
	Room *Room
	last byte // that was written
}

func (h *Held) Write(p []byte) (int, error) {
	h.Room.bytes -= len(p)
	for _, c := range p {
		if c == '\n' {
			h.Room.all--
			if h.last != '\n' {
				h.Room.lines--
			}
		}
		h.last = c
	}
	if min(h.Room.bytes, h.Room.lines, h.Room.all) < 0 {
		return 0, ErrDiffSize
	}
	return h.Buffer.Write(p)
}

// DiffName returns the name of a file as patch reads it. A tab ends a name with
// spaces. A name is put in quotes if it has a byte that could end it earlier, or that
// a terminal would obey.
func DiffName(name string) string {
	name = filepath.ToSlash(name)
	var quoted listing.Buffer
	listing.AddEscaped(&quoted, name, `\%03o`, `"\`)
	switch {
	case len(quoted.Bytes()) > len(name):
		return `"` + string(quoted.Bytes()) + `"`
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}
