//go:build wasip1

package console

import (
	"io"
	"os"
)

// A Progress is nothing: mpb is for systems with terminals.
type Progress struct{}

func StartProgress(*UI, int, string, bool) (end func()) { return func() {} }

func (*Progress) Add(int) {}

func (*Progress) Reading(r io.Reader) io.Reader { return r }

func (*Progress) ReadingAt(r io.ReaderAt) io.ReaderAt { return r }

func Terminal(any) *os.File { return nil }

// A line is never shown.
type line struct{}

func startLine(*UI, func() string) *line { return nil }

func (*line) end() {}

func EndLine() {}
