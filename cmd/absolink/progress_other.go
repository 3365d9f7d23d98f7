//go:build wasip1

package main

import (
	"io"
	"os"
	"sync/atomic"
)

// A progress is nothing: mpb is for systems with terminals.
type progress struct{}

func startProgress(*ui, []entry, bool) (end func()) { return func() {} }

func (*progress) add(int) {}

func (*progress) reading(r io.Reader) io.Reader { return r }

func (*progress) readingAt(r io.ReaderAt) io.ReaderAt { return r }

func terminal(any) *os.File { return nil }

// A line is never shown.
type line struct{}

func startLine(*ui, func() string) *line { return nil }

var shownLine atomic.Pointer[line]

func (*line) end() {}
