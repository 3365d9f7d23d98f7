package mail

import (
	"bytes"
	"regexp"

	"absolink/internal/passage"
)

// maxLine is above the length of every delimiter line: a boundary has at most 70
// characters (RFC 2046 §5.1.1), and white space may follow it.
const maxLine = 1000

// An input is what is read, through a window. It is read line by line if lines matter,
// and otherwise in whatever pieces src gives.
type input struct {
	passage.Input
	out    *passage.Output
	memory []byte // buf is a part of it
	buf    []byte // the window: read, and neither passed on nor skipped
	off    int64  // of buf[0] in the input

	atLine     bool // a line begins at buf[0]
	afterBlank bool // and it is the first line, or comes after an empty one

	mbox   bool     // a line that begins a message ends the one before
	bounds []string // the delimiters of the open multiparts, with their "--"
	found  bodyEnd
}

// A bodyEnd describes what ends an entity: a delimiter line, or the end of the input.
type bodyEnd struct {
	level int  // an index in bounds, or fromLine or atEOF
	close bool // the delimiter closes its multipart
	lead  int  // the length of the line end before the line, which belongs to it (RFC 2046 §5.1.1)
	line  int  // the length of the line with its own line end
}

const (
	fromLine = -1
	atEOF    = -2
)

// fill reads more into the window, and reports whether there was any.
func (in *input) fill() bool {
	if in.Ended {
		return false
	}
	if cap(in.buf)-len(in.buf) < passage.Size/4 {
		if len(in.buf) > len(in.memory)/2 {
			in.memory = make([]byte, max(passage.Size, 2*len(in.memory)))
		}
		if in.memory == nil {
			in.memory = make([]byte, passage.Size)
		}
		in.buf = in.memory[:copy(in.memory, in.buf)]
	}
	in.out.Flush()
	var more bool
	in.buf, more = in.Append(in.buf, in.off)
	return more
}

// skip goes past n bytes.
func (in *input) skip(n int) {
	if n > 0 {
		in.atLine, in.afterBlank = in.buf[n-1] == '\n', false
		in.buf = in.buf[n:]
		in.off += int64(n)
	}
}

// pass goes past n bytes, and writes them.
func (in *input) pass(n int) {
	in.out.Put(in.buf[:n])
	in.skip(n)
}

// passBody passes what is left of a body.
func (in *input) passBody() {
	for n := in.body(); n > 0; n = in.body() {
		in.pass(n)
	}
}

// body returns how many bytes of the window certainly belong to the body of an entity.
// At the end of the body it returns 0, and found describes that end.
func (in *input) body() int {
	for {
		if len(in.buf) == 0 && !in.fill() {
			in.found = bodyEnd{level: atEOF}
			return 0
		}
		if n, ok := in.bodyIn(in.buf); ok {
			return n
		}
		if !in.fill() {
			if in.Err() != nil { // what follows decides what the window is
				in.found = bodyEnd{level: atEOF}
				return 0
			}
			n, _ := in.bodyIn(in.buf)
			return n
		}
	}
}

// final reports whether the input ends where the window does. Where reading has failed, it
// would go on.
func (in *input) final() bool { return in.Ended && in.Err() == nil }

// bodyIn looks for the end of the body in the window w. If ok is false, more has to be
// read.
func (in *input) bodyIn(w []byte) (n int, ok bool) {
	if len(in.bounds) == 0 && !in.mbox {
		return len(w), true
	}
	line := -1 // where the current line begins; -1 is not in w
	if in.atLine {
		line = 0
		if is := in.delimiter(w, in.afterBlank); is != no {
			in.found.lead = 0
			return 0, is == yes
		}
	}
	for i := 0; ; i++ {
		end := bytes.IndexByte(w[i:], '\n')
		if end < 0 {
			break
		}
		i += end
		end = i
		if end > 0 && w[end-1] == '\r' {
			end--
		}
		switch is := in.delimiter(w[i+1:], end == line); {
		case is == no:
			line = i + 1
			continue
		case is == yes && end == 0:
			in.found.lead = i + 1
		}
		return end, end > 0 || in.found.lead > 0
	}
	if n = len(w); w[n-1] == '\r' && !in.final() {
		n--
	}
	return n, n > 0
}

type answer uint8

const (
	no answer = iota
	yes
	unknown // more has to be read
)

// delimiter says whether the line that w begins with ends an entity. If so it sets
// in.found, except for lead, which becomes 0.
func (in *input) delimiter(w []byte, afterBlank bool) answer {
	in.found = bodyEnd{}
	if len(w) == 0 {
		if in.final() {
			return no
		}
		return unknown
	}
	switch {
	case w[0] == '-' && len(in.bounds) > 0:
		return in.boundary(w)
	case w[0] == 'F' && in.mbox && afterBlank:
		return in.from(w)
	}
	return no
}

// boundary is delimiter for a line that begins with a hyphen. Of the multiparts with the
// same boundary the innermost counts.
func (in *input) boundary(w []byte) answer {
	line, whole := in.line(w)
	for level := len(in.bounds) - 1; level >= 0; level-- {
		b := in.bounds[level]
		n := min(len(b), len(line))
		if string(line[:n]) != b[:n] {
			continue
		}
		if !whole {
			return unknown
		}
		rest := bytes.TrimRight(line[n:], " \t\r\n")
		if n == len(b) && (len(rest) == 0 || string(rest) == "--") {
			in.found = bodyEnd{level: level, close: len(rest) > 0, line: len(line)}
			return yes
		}
	}
	return no
}

// line returns the line that w begins with, and its line end. whole says that the line
// does not go on. A line that is too long for a delimiter is returned empty, and whole.
func (in *input) line(w []byte) (line []byte, whole bool) {
	if i := bytes.IndexByte(w[:min(len(w), maxLine)], '\n'); i >= 0 {
		return w[:i+1], true
	}
	if len(w) >= maxLine {
		return nil, true
	}
	return w, in.final()
}

// from is delimiter for a line that begins with F, after an empty one in an mbox file.
func (in *input) from(w []byte) answer {
	line, whole := in.line(w)
	const from = "From "
	switch n := min(len(from), len(line)); {
	case string(line[:n]) != from[:n]:
		return no
	case !whole:
		return unknown
	case isFrom(line):
		in.found = bodyEnd{level: fromLine, line: len(line)}
		return yes
	}
	return no
}

// isFrom reports whether a line begins a message in an mbox file (RFC 4155): it says who
// sent the message, and when. Text that begins with "From " has no time and year.
func isFrom(line []byte) bool { return fromPattern.Match(line) }

var fromPattern = regexp.MustCompile(`^From .*[0-9]:[0-9][0-9].* [0-9]{4}\b`)
