package mail

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"absolink/internal/media"
	"absolink/rewriter"
)

// A header has those fields of an entity that matter here.
type header struct {
	fields []field // in baseFields and readFields; nil once all of them have been used
	broken []field // in brokenFields, the first of each name, without values
	offset int64   // of the entity
	eol    string  // its line ends
}

type field struct {
	name, value string // the name as the tables spell it; the value in one line
	offset      int64
}

// readFields are the fields that describe the body. Their values are read, like the
// values of baseFields.
var readFields = []string{"Content-Type", "Content-Transfer-Encoding", "Content-Encoding", "Transfer-Encoding", "Content-Disposition"}

// brokenFields are the fields that a change in the body makes wrong.
var brokenFields = []string{"Content-MD5", "Content-Length", "Lines", "DKIM-Signature", "DomainKey-Signature", "ARC-Message-Signature"}

// maxValue is the length up to which the value of a field is parsed by its grammar. It is
// twice the length of a base URL, to leave room for encoded words.
const maxValue = media.MaxGrammar

var errNoBlank = errors.New("no empty line ends the header; the first line that is not a field begins the body")

// errMaxHeader is for an entity whose header is longer than MaxHeader.
func errMaxHeader(limit int) error {
	return &rewriter.LimitError{Field: "MaxHeader", Limit: int64(limit), Text: "the header of this entity is longer than may be held (MaxHeader); all of it stays as it is"}
}

// readHeader reads the header of an entity and passes it on, with the empty line that
// ends it. If the header is longer than MaxHeader, ok is false and nothing has been
// passed on. With startLine, the first line need not be a field.
func (w *walk) readHeader(startLine bool) (h header, ok bool) {
	in := &w.in
	h = header{offset: in.off, eol: "\r\n"}
	end, field := 0, -1 // in the window: where the next line begins, and the field that it may continue
	for {
		line, whole := w.headerLine(end)
		if !whole {
			return h, false
		}
		if end == 0 && len(line) > 1 && !bytes.HasSuffix(line, []byte("\r\n")) && line[len(line)-1] == '\n' {
			h.eol = "\n"
		}
		folded := len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
		blank := len(bytes.TrimRight(line, "\r\n")) == 0
		if folded && !blank && field >= 0 {
			end += len(line)
			continue
		}
		if field >= 0 {
			h.add(in.buf[field:end], in.off+int64(field))
			field = -1
		}
		switch {
		case len(line) > 0 && blank:
			in.pass(end + len(line))
			in.afterBlank = true
			return h, true
		case len(line) > 0 && isField(line):
			field = end
		case len(line) > 0 && end == 0 && (startLine || isEnvelope(line)):
		default: // the end of the entity, or a line that is not a field
			if len(line) > 0 {
				w.warn(in.off+int64(end), errNoBlank)
			}
			in.pass(end)
			return h, true
		}
		end += len(line)
	}
}

// headerLine returns the line at pos in the window. The line is empty at the end of the
// entity, and may be cut off at the end of the input. If the header is longer than
// MaxHeader, whole is false.
func (w *walk) headerLine(pos int) (line []byte, whole bool) {
	in := &w.in
	for searched := pos; ; {
		if pos > 0 || in.atLine {
			switch in.delimiter(in.buf[pos:], false) {
			case yes:
				return nil, true
			case unknown:
				if !in.fill() && in.Err() != nil {
					return nil, true
				}
				continue
			}
		}
		if i := bytes.IndexByte(in.buf[searched:], '\n'); i >= 0 && searched+i < w.maxHeader {
			return in.buf[pos : searched+i+1], true
		}
		searched = len(in.buf)
		if searched > w.maxHeader {
			return nil, false
		}
		if !in.fill() {
			return in.buf[pos:], true
		}
	}
}

// isField reports whether a line begins a field: a name and a colon (RFC 5322 §3.6.8),
// with white space between them as RFC 822 allowed.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	name = bytes.TrimRight(name, " \t")
	return ok && len(name) > 0 && !slices.ContainsFunc(name, func(c byte) bool { return c <= ' ' || c >= 0x7f })
}

// isEnvelope reports whether a line begins as the first line of a message in an mbox file
// does.
func isEnvelope(line []byte) bool {
	return bytes.HasPrefix(line, []byte("From ")) || bytes.HasPrefix(line, []byte(">From "))
}

// add adds a field, if it matters.
func (h *header) add(raw []byte, offset int64) {
	name, value, _ := bytes.Cut(raw, []byte(":"))
	name = bytes.TrimRight(name, " \t")
	if known := nameIn(baseFields, name); known != "" {
		h.fields = append(h.fields, field{known, unfoldURL(value), offset})
	} else if known := nameIn(readFields, name); known != "" && h.get(known) == "" {
		h.fields = append(h.fields, field{known, unfold(value), offset})
	} else if known := nameIn(brokenFields, name); known != "" && !slices.ContainsFunc(h.broken, func(f field) bool { return f.name == known }) {
		h.broken = append(h.broken, field{name: known, offset: offset})
	}
}

// nameIn returns the name of a field as the table spells it; "" if the table does not
// have it.
func nameIn(table []string, name []byte) string {
	for _, known := range table {
		if len(known) == len(name) && strings.EqualFold(known, string(name)) {
			return known
		}
	}
	return ""
}

// get returns the value of the first field of a name; "" if there is none.
func (h *header) get(name string) string {
	for _, f := range h.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// unfold returns the value of a field in one line.
func unfold(value []byte) string {
	return strings.TrimSpace(lineEnds.Replace(string(value)))
}

// unfoldURL returns the value of a field that holds a URL, in one line and without the
// white space around line ends, which folding adds (RFC 2557 §4.4.2).
func unfoldURL(value []byte) string {
	var url []byte
	for line := range bytes.Lines(value) {
		url = append(url, bytes.Trim(line, " \t\r\n")...)
	}
	return string(url)
}

var lineEnds = strings.NewReplacer("\r", "", "\n", "")

// contentType returns the media type of the body, in lower case, and its parameters;
// byDefault is the type if no field names one.
func (h *header) contentType(byDefault string) (mediaType string, params map[string]string) {
	value := h.get("Content-Type")
	if value == "" {
		return byDefault, nil
	}
	return media.MailContentType(value)
}

// encoding returns the transfer encoding in lower case; 7bit if the header gives none
// (RFC 2045 §6.1).
func (h *header) encoding() string {
	return cmp.Or(media.FirstWord(h.get("Content-Transfer-Encoding")), "7bit")
}

// isAttachment reports whether the entity is a file that was attached (RFC 2183 §2.2).
func (h *header) isAttachment() bool {
	return media.FirstWord(h.get("Content-Disposition")) == "attachment"
}

// httpCoding returns the field of a message of HTTP that names a coding of the body, and the
// coding; "" if the body is in no coding (RFC 9110 §8.4, RFC 9112 §6.1).
func (h *header) httpCoding() (name, coding string) {
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding"} {
		if coding := h.get(name); coding != "" && !strings.EqualFold(coding, "identity") {
			return name, coding
		}
	}
	return "", ""
}
