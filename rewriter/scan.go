package rewriter

// A span is half-open: the bytes from start up to, not including, end.
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// quoting is how an attribute value stands in its tag.
type quoting uint8

const (
	valueless    quoting = iota // <a href>: value is empty, at the end of the name
	unquoted                    // <a href=x>
	doubleQuoted                // <a href="x">
	singleQuoted                // <a href='x'>
)

// An attribute is where an attribute of a start tag stands. The value is
// without its quotes.
type attribute struct {
	name, value span
	quoting     quoting
}

// A startTag is a start tag with the spans of what is in it, counted from its
// "<". Duplicate attributes are all there.
type startTag struct {
	raw         []byte
	name        span
	attrs       []attribute
	selfClosing bool
}

// scan reads raw, the bytes of one start tag from "<" to ">" (HTML Standard
// §13.2.5.8 and §13.2.5.32 to §13.2.5.40).
func (t *startTag) scan(raw []byte) {
	t.raw, t.attrs, t.selfClosing = raw, t.attrs[:0], false
	i := 1
	for i < len(raw) && !isSpace(raw[i]) && raw[i] != '/' && raw[i] != '>' {
		i++
	}
	t.name = span{1, i}
	for {
		for i < len(raw) && (isSpace(raw[i]) || raw[i] == '/') {
			i++
		}
		if i >= len(raw) || raw[i] == '>' {
			t.selfClosing = i < len(raw) && raw[i-1] == '/' && (len(t.attrs) == 0 || t.attrs[len(t.attrs)-1].value.end < i)
			return
		}
		i = t.scanAttribute(i)
	}
}

// scanAttribute reads one attribute at i and returns where it ends.
func (t *startTag) scanAttribute(i int) int {
	raw := t.raw
	start := i
	for i++; i < len(raw) && !isSpace(raw[i]) && raw[i] != '/' && raw[i] != '>' && raw[i] != '='; {
		i++
	}
	a := attribute{name: span{start, i}, value: span{i, i}}
	j := skipSpace(raw, i)
	if j < len(raw) && raw[j] == '=' {
		j = skipSpace(raw, j+1)
		i, a.value, a.quoting = scanValue(raw, j)
	}
	t.attrs = append(t.attrs, a)
	return i
}

// scanValue reads an attribute value at i, after the "=" and white space.
func scanValue(raw []byte, i int) (end int, value span, q quoting) {
	switch {
	case i >= len(raw) || raw[i] == '>':
		return i, span{i, i}, unquoted
	case raw[i] == '"' || raw[i] == '\'':
		quote := raw[i]
		q = doubleQuoted
		if quote == '\'' {
			q = singleQuoted
		}
		start := i + 1
		for i = start; i < len(raw) && raw[i] != quote; {
			i++
		}
		return min(i+1, len(raw)), span{start, i}, q
	}
	start := i
	for i < len(raw) && !isSpace(raw[i]) && raw[i] != '>' {
		i++
	}
	return i, span{start, i}, unquoted
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// value returns the raw value of the first attribute of that lower-case name.
func (t *startTag) value(name string) (raw []byte, ok bool) {
	for _, a := range t.attrs {
		if equalFold(a.name.of(t.raw), name) {
			return a.value.of(t.raw), true
		}
	}
	return nil, false
}

// equalFold compares raw, its ASCII letters lowered, with a lower-case name.
func equalFold(raw []byte, name string) bool {
	if len(raw) != len(name) {
		return false
	}
	for i, c := range raw {
		if lower(c) != name[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

func appendLower(dst, name []byte) []byte {
	for _, c := range name {
		dst = append(dst, lower(c))
	}
	return dst
}

// hasFontAttr reports what makes a font element leave foreign content.
func (t *startTag) hasFontAttr() bool {
	for _, name := range []string{"color", "face", "size"} {
		if _, ok := t.value(name); ok {
			return true
		}
	}
	return false
}

// isHTMLAnnotation reports what makes annotation-xml an HTML integration
// point.
func (t *startTag) isHTMLAnnotation() bool {
	raw, _ := t.value("encoding")
	v := appendDecoded(nil, raw)
	return equalFold(v, "text/html") || equalFold(v, "application/xhtml+xml")
}
