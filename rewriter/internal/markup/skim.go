package markup

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// skim goes over text and common tags in the window b without a token for each: it does no
// more with the tree builder than open and close would. A common tag has attributes that
// scanWhole reads. skim returns true after a start tag with listed attributes. Otherwise it
// leaves the next markup to the scanner, or the start tag that it has begun.
func (c *Context) skim(b []byte) bool {
	return c.maySkim() && (c.skimForeign(b) || c.skimHTML(b))
}

// maySkim reports whether text and tags without attributes may be passed over: nobody wants
// them, and no such tag is a LongTag. Text is wanted in two cases. Before head is done, maySkim
// is false. While formatting elements are pending, it may be true, but skim goes over nothing,
// because the tree builder neither notes tags nor has inner elements.
func (c *Context) maySkim() bool {
	return c.scan.state == inData && c.headDone && !c.raw && !c.wantTag && c.options.LongTag >= int64(len("<>")+exactHash)
}

// skimHTML is skim while tags are noted. There a common tag has a short name.
func (c *Context) skimHTML(b []byte) bool {
	s, t, tb := &c.scan, &c.scan.tag, c.builder
	i, next, room := s.pos, tb.next, len(tb.noted)
	noted := tb.noted[:cap(tb.noted)] // after room there is room for one more
	for next < room && i < len(b) {
		if b[i] != '<' {
			n := bytes.IndexByte(b[i:], '<')
			if n < 0 {
				break
			}
			i += n
		}
		start, mark := i+len("<"), uint64(0)
		if start < len(b) && b[start] == '/' {
			start, mark = i+len("</"), isEnd
		}
		if start >= len(b) || !ascii.IsLetter(b[start]) {
			break
		}
		j, hash := readTagName(b, start, 0)
		if j == len(b) || j-start > exactHash || b[j] != '>' && mark != 0 {
			break
		}
		if mark == 0 && mayNeedTree(hash) {
			el := elementOf(hash, b[start:j])
			if b[j] == '>' && el.start == startFormatting {
				noted[next] = hash
				next, hash = next+1, 0 // the hash of no attributes follows
			} else if el.needsTree() {
				break
			}
		}
		if b[j] != '>' {
			if j = c.tagEnd(b, i, j, hash); j < 0 {
				break
			}
			if len(t.Attrs) > 0 {
				t.Pos++
				noted[next] = hash
				s.pos, tb.next = j+1, next+1
				c.skimmed(elementOf(hash, t.Name.Of(b[i:])), NsHTML)
				return true
			}
		}
		noted[next] = hash | mark
		i, next = j+1, next+1
	}
	s.pos, tb.next = i, next
	return false
}

// skimForeign is skim in svg and math, as long as the inner elements say enough. There a
// common start tag has a name that is not in elements, and a common end tag closes the
// current node.
func (c *Context) skimForeign(b []byte) bool {
	s, t, tb := &c.scan, &c.scan.tag, c.builder
	for len(tb.inner) > 0 && len(tb.inner) < maxOpen {
		n := bytes.IndexByte(b[s.pos:], '<')
		if n < 0 {
			break
		}
		i, top := s.pos+n, &tb.inner[len(tb.inner)-1]
		start := i + len("<")
		isEnd := start < len(b) && b[start] == '/'
		if isEnd {
			start++
		}
		if start >= len(b) || !ascii.IsLetter(b[start]) {
			break
		}
		j, hash := readTagName(b, start, 0)
		if j == len(b) {
			break
		}
		key := keyOf(hash, b[start:j])
		if isEnd && b[j] == '>' && key == top.key {
			s.pos = j + 1
			tb.popTo(len(tb.inner) - 1)
			s.cdata = len(tb.inner) > 0
			continue
		}
		if isEnd || top.point != noPoint || elements.Get(hash, b[start:j]) != nil {
			break
		}
		s.pos = i
		if j = c.tagEnd(b, i, j, hash); j < 0 {
			break
		}
		t.Pos++
		s.pos = j + 1
		ns := top.ns
		if !t.SelfClosing {
			tb.inner = append(tb.inner, openElement{key: key, ns: ns})
		}
		if len(t.Attrs) > 0 {
			c.skimmed(&unknown, ns)
			return true
		}
	}
	return false
}

// tagEnd reads the attributes of the start tag at i in the window b, whose name ends at j, and
// returns where its ">" is. If the tag is not common, or is a LongTag, tagEnd leaves it to the
// scanner, and returns -1.
func (c *Context) tagEnd(b []byte, i, j int, hash uint64) int {
	s := &c.scan
	s.tag.Begin(i, len("<"))
	s.tag.endName(hash, j-i)
	s.tag.scanWhole(b[i:])
	if j = i + s.tag.Pos; j < len(b) && b[j] == '>' && int64(s.tag.Pos) < c.options.LongTag {
		return j
	}
	s.state = inTag
	return -1
}

// skimmed makes the start tag of an element the last token.
func (c *Context) skimmed(el *Element, ns Namespace) {
	c.element, c.ns, c.counts, c.changed, c.wanted = el, ns, false, false, false
}

// needsTree reports whether more follows from a start tag of the element, outside of svg
// and math, than that its name is noted.
func (el *Element) needsTree() bool { return el.start > startPlain || el.kind&rawText != 0 }

// mayNeedTree reports whether an element with a name of this hash may need the tree. It is
// quick, and false for most elements that do not.
func mayNeedTree(hash uint64) bool { return treeNames[hash*hashMix>>(64-treeBits)] }

const treeBits = 10

var treeNames = func() (may [1 << treeBits]bool) {
	for i := range elements.Slots {
		if s := &elements.Slots[i]; s.Name != "" && s.value.needsTree() {
			may[s.hash*hashMix>>(64-treeBits)] = true
		}
	}
	return may
}()
