package mail

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"absolink/rewriter"
)

const (
	windowSize = 64 << 10

	// maxLine is up to which length a line may be a delimiter: a boundary has no
	// more than 70 characters (RFC 2046 §5.1.1), and white space may follow.
	maxLine = 1000
)

// An output is where the message goes. Its first error stays.
type output struct {
	dst *bufio.Writer // nil is nowhere
	n   int64
	err error
}

func (o *output) write(b []byte) {
	if o.dst == nil || o.err != nil {
		return
	}
	n, err := o.dst.Write(b)
	o.n += int64(n)
	o.fail(err)
}

func (o *output) writeString(s string) {
	for i := range len(s) {
		o.writeByte(s[i])
	}
}

func (o *output) writeByte(b byte) {
	if o.dst == nil || o.err != nil {
		return
	}
	err := o.dst.WriteByte(b)
	if err == nil {
		o.n++
	}
	o.fail(err)
}

func (o *output) flush() {
	if o.dst != nil && o.err == nil {
		o.fail(o.dst.Flush())
	}
}

func (o *output) fail(err error) {
	if err != nil {
		o.err = &rewriter.Error{Op: "write", Offset: o.n - int64(o.dst.Buffered()), Err: err}
	}
}

// An input is read line by line where lines matter, and else as it comes. Its
// window is buf; the first byte of it is the next to go.
type input struct {
	src    io.Reader
	out    *output
	memory []byte // buf is a part of it
	buf    []byte
	off    int64 // of buf[0]
	eof    bool
	err    error // of r, but io.EOF; eof is set too

	atLine     bool // a line begins at buf[0]
	afterBlank bool // and an empty line, or nothing, is before it

	mbox   bool     // lines that begin messages end what is before
	bounds []string // delimiters of the multiparts around, with their "--"
	found  found
}

// A found is what ends an entity: the line at lead.
type found struct {
	level int // in bounds; fromLine and atEOF else
	close bool
	lead  int // the length of the line end before, which belongs to it (RFC 2046 §5.1.1)
	line  int // its length with the line end after it
}

const (
	fromLine = -1
	atEOF    = -2
)

// fill reads more. It reports whether there is.
func (in *input) fill() bool {
	if in.eof {
		return false
	}
	if cap(in.buf)-len(in.buf) < windowSize/4 {
		if len(in.buf) > len(in.memory)/2 {
			in.memory = make([]byte, max(windowSize, 2*len(in.memory)))
		}
		if in.memory == nil {
			in.memory = make([]byte, windowSize)
		}
		in.buf = in.memory[:copy(in.memory, in.buf)]
	}
	in.out.flush()
	for range 100 {
		n, err := in.src.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf = in.buf[:len(in.buf)+n]
		if err != nil {
			in.eof = true
			if err != io.EOF {
				in.err = &rewriter.Error{Op: "read", Offset: in.off + int64(len(in.buf)), Err: err}
			}
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	in.eof = true
	in.err = &rewriter.Error{Op: "read", Offset: in.off + int64(len(in.buf)), Err: io.ErrNoProgress}
	return false
}

// skip goes past n bytes.
func (in *input) skip(n int) {
	if n > 0 {
		in.atLine, in.afterBlank = in.buf[n-1] == '\n', false
		in.buf = in.buf[n:]
		in.off += int64(n)
	}
}

// pass goes past n bytes and writes them.
func (in *input) pass(n int) {
	in.out.write(in.buf[:n])
	in.skip(n)
}

// passBody writes what is left of a body.
func (in *input) passBody() {
	for n := in.body(); n > 0; n = in.body() {
		in.pass(n)
	}
}

// body returns how many bytes from here on belong to the body of an entity for
// sure. It is 0 at the end of it, and found then says what that is.
func (in *input) body() int {
	for {
		if len(in.buf) == 0 && !in.fill() {
			in.found = found{level: atEOF}
			return 0
		}
		if n, ok := in.bodyIn(in.buf); ok {
			return n
		}
		if !in.fill() {
			n, _ := in.bodyIn(in.buf)
			return n
		}
	}
}

// bodyIn looks for the end of the body in the window. It is not ok if more has to
// be read.
func (in *input) bodyIn(w []byte) (n int, ok bool) {
	if len(in.bounds) == 0 && !in.mbox {
		return len(w), true
	}
	line := -1 // where one begins
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
	if n = len(w); w[n-1] == '\r' && !in.eof {
		n--
	}
	return n, n > 0
}

type answer uint8

const (
	no answer = iota
	yes
	unknown // until more is read
)

// delimiter says whether a line that begins here ends an entity. in.found is set
// where it does, but for its lead, which becomes 0.
func (in *input) delimiter(w []byte, afterBlank bool) answer {
	in.found = found{}
	if len(w) == 0 {
		if in.eof {
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

// boundary says so of a line that begins with a hyphen. The innermost multipart
// counts.
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
			in.found = found{level: level, close: len(rest) > 0, line: len(line)}
			return yes
		}
	}
	return no
}

// line returns the line that w begins with, with its end, or as much as matters:
// one that is longer is whole as well, and no delimiter.
func (in *input) line(w []byte) (line []byte, whole bool) {
	if i := bytes.IndexByte(w[:min(len(w), maxLine)], '\n'); i >= 0 {
		return w[:i+1], true
	}
	if len(w) >= maxLine {
		return nil, true
	}
	return w, in.eof
}

// from says so of a line after an empty one that begins with F, in an mbox file.
func (in *input) from(w []byte) answer {
	line, whole := in.line(w)
	const from = "From "
	switch n := min(len(from), len(line)); {
	case string(line[:n]) != from[:n]:
		return no
	case !whole:
		return unknown
	case isFrom(line):
		in.found = found{level: fromLine, line: len(line)}
		return yes
	}
	return no
}

// isFrom reports whether a line begins a message in an mbox file (RFC 4155): who
// sent it and when. Text that begins with the word has no time with a year.
func isFrom(line []byte) bool { return fromPattern.Match(line) }

var fromPattern = regexp.MustCompile(`^From .*[0-9]:[0-9][0-9].* [0-9]{4}\b`)
