package warc

import (
	"bytes"
	"strings"
)

// A head is a first line and the fields after it: that of a WARC record, or of
// an HTTP message in one. Lines may end with a line feed alone, values be folded,
// the empty line at the end be missing.
type head struct {
	raw    []byte // as it stands, with the empty line
	first  string
	fields []field
}

type field struct {
	name, value string
	start, end  int // of its lines in raw
}

// headEnd returns the length of the head that b begins with, with the empty line
// that ends it, or -1 where that is not in b. What is before from has none.
func headEnd(b []byte, from int) int {
	for i := max(from-3, 0); ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		i += n + 1
		switch {
		case i < len(b) && b[i] == '\n':
			return i + 1
		case i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n':
			return i + 2
		}
	}
}

// parseHead reads a head. What is neither a field nor a fold of one belongs to no
// field.
func parseHead(raw []byte) head {
	h := head{raw: raw}
	line, pos := nextLine(raw, 0)
	h.first = string(bytes.TrimSpace(line))
	for pos < len(raw) {
		start := pos
		line, pos = nextLine(raw, pos)
		text := bytes.TrimSpace(line)
		switch {
		case len(text) == 0:
		case (line[0] == ' ' || line[0] == '\t') && len(h.fields) > 0:
			f := &h.fields[len(h.fields)-1]
			f.value = strings.TrimSpace(f.value + " " + string(text))
			f.end = pos
		default:
			if name, value, ok := bytes.Cut(text, []byte(":")); ok {
				h.fields = append(h.fields, field{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value)), start, pos})
			}
		}
	}
	return h
}

// nextLine returns the line at pos, without its end, and where the next begins.
func nextLine(b []byte, pos int) (line []byte, next int) {
	if i := bytes.IndexByte(b[pos:], '\n'); i >= 0 {
		return b[pos : pos+i], pos + i + 1
	}
	return b[pos:], len(b)
}

// get returns the value of the first field of a name, in any case.
func (h *head) get(name string) string {
	for i := range h.fields {
		if len(h.fields[i].name) == len(name) && strings.EqualFold(h.fields[i].name, name) {
			return h.fields[i].value
		}
	}
	return ""
}

// all returns the values of all fields of a name, with commas between: a list.
func (h *head) all(name string) string {
	var values []string
	for i := range h.fields {
		if strings.EqualFold(h.fields[i].name, name) {
			values = append(values, h.fields[i].value)
		}
	}
	return strings.Join(values, ", ")
}

// edit returns the head with fields changed: change says by the name in lower
// case what the value is to be, or that the field goes. What does not change
// keeps its bytes. The empty line at the end is there in any case.
func (h *head) edit(change func(name, value string) (string, bool)) []byte {
	var b []byte
	done := 0
	for _, f := range h.fields {
		value, stays := change(strings.ToLower(f.name), f.value)
		if stays && value == f.value {
			continue
		}
		b = append(b, h.raw[done:f.start]...)
		if stays {
			b = append(append(append(b, f.name...), ": "...), value...)
			b = append(b, lineEnd(h.raw[:f.end])...)
		}
		done = f.end
	}
	b = append(b, h.raw[done:]...)
	for headEnd(b, 0) < 0 {
		b = append(b, "\r\n"...)
	}
	return b
}

// lineEnd returns what the last line of raw ends with.
func lineEnd(raw []byte) string {
	if bytes.HasSuffix(raw, []byte("\n")) && !bytes.HasSuffix(raw, []byte("\r\n")) {
		return "\n"
	}
	return "\r\n"
}
