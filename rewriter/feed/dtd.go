package feed

// A dtd is what is read of a document type declaration: whether it may give elements an
// xml:base by default. It is not parsed: what comes after the name xml:base and before the
// next ">" is a default if it has a literal, and neither #IMPLIED nor #REQUIRED stands before
// that (XML 1.0 §3.3.2). Nothing is expanded.
type dtd struct {
	hasBase bool

	matched int  // how many bytes of xmlBase have just been read
	named   bool // xml:base has been read, and no default of it so far
	hash    bool // the last byte was a "#"
}

const xmlBase = "xml:base"

// read reads on in the declaration, outside of comments and processing instructions.
func (d *dtd) read(b []byte) {
	for _, c := range b {
		switch {
		case d.named && (c == '"' || c == '\''):
			d.hasBase = true
		case d.named && (c == '>' || d.hash && (c == 'I' || c == 'R')):
			d.named = false
		}
		d.hash = c == '#'
		if c != xmlBase[d.matched] {
			d.matched = 0
		}
		if c == xmlBase[d.matched] {
			d.matched++
		}
		if d.matched == len(xmlBase) {
			d.matched, d.named = 0, true
		}
	}
}
