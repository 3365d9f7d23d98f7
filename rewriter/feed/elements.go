package feed

import "bytes"

// XHTML is decoded to HTML that has the same places. What XML and HTML read differently
// is left out or written in HTML's way: comments, processing instructions, CDATA sections
// and the end of empty elements. Names lose their prefix. References are decoded in the
// text of elements that HTML takes literally.

// isVoid has the elements that have no end tag in HTML.
var isVoid = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "param": true, "source": true, "track": true, "wbr": true,
}

// isRaw has the elements whose text HTML takes literally.
var isRaw = map[string]bool{
	"script": true, "style": true, "iframe": true, "noembed": true, "noframes": true, "xmp": true,
}

// decodeStartTag decodes a start tag, and reports whether it belongs to this document.
func (d *document) decodeStartTag(tag []byte, pos int64) bool {
	d.warnings.malformed = false
	el := d.tracker.read(tag, pos)
	if el.hasBase && !d.fresh {
		d.tracker.leave(el)
		return false
	}
	d.fresh = false
	empty := isEmptyElement(tag)
	d.tracker.open(el)
	switch {
	case d.raw > 0, el.local == "plaintext":
		d.add(nil, pos, nothing)
	default:
		d.decodeTag(tag, pos, el, empty)
		if isRaw[el.local] && (el.voc == xhtml || el.voc == rss) && !empty {
			d.raw = d.tracker.depth()
		}
	}
	if empty {
		d.tracker.close(d.tracker.depth() - 1)
		d.ended = el.hasBase || d.tracker.depth() <= d.depth
	}
	return true
}

// decodeTag decodes a start tag. An empty element gets an end tag, unless HTML has none
// for it either.
func (d *document) decodeTag(tag []byte, pos int64, el element, empty bool) {
	name := tagName(tag)
	n := 1 + len(name)
	d.decodeName(tag[:n], pos, name, el.voc)
	end := len(tag)
	if empty && el.voc != foreign && !isVoid[el.local] {
		end -= len("/>")
	}
	d.decodeMarkup(tag[n:max(n, end)], pos+int64(n))
	if end < len(tag) {
		local := name[bytes.IndexByte(name, ':')+1:]
		d.add([]byte("></"+string(local)+">"), pos+int64(end), other)
	}
}

// decodeName decodes the beginning of a tag, up to the end of its name.
func (d *document) decodeName(b []byte, pos int64, name []byte, voc vocabulary) {
	i := bytes.IndexByte(name, ':') + 1
	if i == 0 || voc != xhtml && voc != foreign {
		d.add(b, pos, asMarkup)
		return
	}
	bracket := len(b) - len(name)
	d.add(b[:bracket], pos, asMarkup)
	d.add(nil, pos+int64(bracket), limits)
	d.add(name[i:], pos+int64(bracket+i), asMarkup)
}

// decodeEndTag decodes an end tag that closes the element at depth i; -1 is none.
func (d *document) decodeEndTag(i int, tag []byte, pos int64) {
	if i < 0 {
		d.warnings.addMalformed(pos, errEndTag)
		d.add(nil, pos, nothing)
		return
	}
	d.warnings.malformed = false
	var el element
	if i < len(d.tracker.stack) {
		el = d.tracker.stack[i]
	}
	d.tracker.close(i)
	switch {
	case d.raw > 0 && d.tracker.depth() >= d.raw, el.local == "plaintext":
		d.add(nil, pos, nothing)
	default:
		d.raw = 0
		name := tagName(tag)
		n := len("</") + len(name)
		d.decodeName(tag[:n], pos, name, el.voc)
		d.add(tag[n:], pos+int64(n), asMarkup)
	}
	d.ended = el.hasBase || d.tracker.depth() <= d.depth
}

// decodeMarkup decodes markup that HTML and XML read alike, except for references to
// unknown entities.
func (d *document) decodeMarkup(b []byte, pos int64) {
	done := 0
	for r := range references(b) {
		if r.char < 0 {
			d.add(b[done:r.start], pos+int64(done), asMarkup)
			d.add(b[r.start:r.end], pos+int64(r.start), entity)
			done = r.end
		}
	}
	d.add(b[done:], pos+int64(done), asMarkup)
}
