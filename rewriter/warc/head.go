package warc

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// A head is the first line and the fields of a WARC record, or of an HTTP message
// in one. Lines may end with a line feed alone, values may be folded, and the empty
// line at the end may be missing. The fields are found anew each time, so that a
// head takes no more memory than its bytes, however many fields it has.
type head struct {
	raw   []byte // as it is in the archive, with the empty line
	first string // the first line
}

// A field is raw[start:end]: a line with a colon, and the folded lines after it.
type field struct {
	raw        []byte
	start, end int
	colon      int // where in raw the first colon is
}

func (f field) name() []byte { return bytes.TrimSpace(f.raw[f.start:f.colon]) }

// value returns the value, unfolded.
func (f field) value() string {
	var value []byte
	for line := range bytes.Lines(f.raw[f.colon+1 : f.end]) {
		line = bytes.TrimSpace(line)
		if len(value) == 0 {
			value = slices.Clip(line) // what is appended is not written into the head
		} else if len(line) > 0 {
			value = append(append(value, ' '), line...)
		}
	}
	return string(value)
}

// doubleReturn is what some programs write for the empty line, and for other line ends.
const doubleReturn = "\r\r\n"

// headEnd returns the length of the head that b begins with, the empty line at its
// end included, or -1 where that line is not in b. A line that begins with stop ends
// the search; stopped then says that the head has no end. The caller knows that the
// head does not end in b[:from].
func headEnd(b []byte, from int, stop string) (n int, stopped bool) {
	const emptyLine = "\n" + doubleReturn
	for i := max(from-max(len(emptyLine), len(stop)), 0); ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1, false
		}
		i += n + 1
		switch next := b[i:]; {
		case len(next) > 0 && next[0] == '\n':
			return i + 1, false
		case len(next) > 1 && next[0] == '\r' && next[1] == '\n':
			return i + 2, false
		case len(next) > 2 && string(next[:3]) == doubleReturn:
			return i + 3, false
		case stop != "" && len(next) >= len(stop) && string(next[:len(stop)]) == stop:
			return -1, true
		}
	}
}

// newHead returns the head in raw. A line without a colon that is not folded belongs
// to no field.
func newHead(raw []byte) head {
	line, _ := nextLine(raw, 0)
	return head{raw: raw, first: string(bytes.TrimSpace(line))}
}

// nextLine returns the line at pos, without its line feed, and where the next line
// begins.
func nextLine(b []byte, pos int) (line []byte, next int) {
	if i := bytes.IndexByte(b[pos:], '\n'); i >= 0 {
		return b[pos : pos+i], pos + i + 1
	}
	return b[pos:], len(b)
}

// fields yields the fields in their order.
func (h *head) fields(yield func(f field) bool) {
	_, pos := nextLine(h.raw, 0)
	for pos < len(h.raw) {
		start := pos
		line, next := nextLine(h.raw, pos)
		for pos = next; pos < len(h.raw) && (h.raw[pos] == ' ' || h.raw[pos] == '\t'); {
			_, pos = nextLine(h.raw, pos)
		}
		i := bytes.IndexByte(line, ':')
		if i >= 0 && !yield(field{raw: h.raw, start: start, end: pos, colon: start + i}) {
			return
		}
	}
}

// get returns the value of the first field with a name, in upper or lower case.
func (h *head) get(name string) string {
	for f := range h.fields {
		if is(f.name(), name) {
			return f.value()
		}
	}
	return ""
}

// status returns the status of an HTTP response, which stands after the version in the
// first line; 0 where no number of three digits does.
func (h *head) status() int {
	if fields := strings.Fields(h.first); len(fields) > 1 && len(fields[1]) == 3 {
		if n, err := strconv.ParseUint(fields[1], 10, 16); err == nil {
			return int(n)
		}
	}
	return 0
}

// values returns the values of all fields with a name.
func (h *head) values(name string) (values []string) {
	for f := range h.fields {
		if is(f.name(), name) {
			values = append(values, f.value())
		}
	}
	return values
}

// all returns the values of all fields with a name as one list, with commas between
// them.
func (h *head) all(name string) string { return strings.Join(h.values(name), ", ") }

// is reports whether name is this one, in upper or lower case.
func is(name []byte, this string) bool {
	return len(name) == len(this) && strings.EqualFold(string(name), this)
}

// edit returns the head with its fields changed. change is called with the name of
// each field, in lower case, and returns its new value and whether the field stays.
// Fields that do not change keep their bytes. The result always has the empty line.
func (h *head) edit(change func(name, value string) (newValue string, stays bool)) []byte {
	var b []byte
	done := 0
	for f := range h.fields {
		had := f.value()
		value, stays := change(strings.ToLower(string(f.name())), had)
		if stays && value == had {
			continue
		}
		b = append(b, h.raw[done:f.start]...)
		if stays {
			b = append(append(append(b, f.name()...), ": "...), value...)
			b = append(b, lineEnd(h.raw[:f.end])...)
		}
		done = f.end
	}
	b = append(b, h.raw[done:]...)
	for !endsHead(b) {
		b = append(b, "\r\n"...)
	}
	return b
}

func endsHead(b []byte) bool {
	return bytes.HasSuffix(b, []byte("\n\n")) || bytes.HasSuffix(b, []byte("\n\r\n")) || bytes.HasSuffix(b, []byte("\n"+doubleReturn))
}

// lineEnd returns how the last line of raw ends.
func lineEnd(raw []byte) string {
	if bytes.HasSuffix(raw, []byte("\n")) && !bytes.HasSuffix(raw, []byte("\r\n")) {
		return "\n"
	}
	return "\r\n"
}
