package markup

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
)

// skim reads on in the window b as long as tags are only noted and nobody asks for them: text,
// and tags of the common form, with short names and with attributes that scanWhole reads. It
// reports whether it has followed a start tag with listed attributes. Otherwise it stops before
// markup of another kind, or in a start tag that the scanner reads to its end.
func (c *Context) skim(b []byte) bool {
	if !c.maySkim() {
		return false
	}
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
		start, end := i+len("<"), uint64(0)
		if start < len(b) && b[start] == '/' {
			start, end = i+len("</"), isEnd
		}
		if start >= len(b) || !ascii.IsLetter(b[start]) {
			break
		}
		j, hash := readTagName(b, start, 0)
		if j == len(b) || j-start > exactHash || b[j] != '>' && end != 0 {
			break
		}
		if end == 0 && mayNeedTree(hash) {
			el := elementOf(hash, b[start:j])
			if b[j] == '>' && el.start == startFormatting {
				noted[next] = hash
				next, hash = next+1, 0 // the hash of no attributes follows
			} else if el.needsTree() {
				break
			}
		}
		if b[j] != '>' {
			t.Begin(i, len("<"))
			t.endName(hash, j-i)
			t.scanWhole(b[i:])
			j = i + t.Pos
			if j == len(b) || b[j] != '>' || int64(t.Pos) >= c.options.LongTag {
				s.state = inTag
				break
			}
			if len(t.Attrs) > 0 {
				t.Pos++
				noted[next] = hash
				s.pos, tb.next = j+1, next+1
				c.element, c.ns, c.counts, c.changed, c.wanted = elementOf(hash, t.Name.Of(b[i:])), NsHTML, false, false, false
				return true
			}
		}
		noted[next] = hash | end
		i, next = j+1, next+1
	}
	s.pos, tb.next = i, next
	return false
}

// maySkim reports whether nobody asks for text and for tags without attributes. Of these, none
// may be a LongTag.
func (c *Context) maySkim() bool {
	return c.scan.state == inData && c.headDone && !c.scan.wantText && !c.raw && !c.wantTag && !c.noscript.open &&
		c.options.LongTag >= int64(len("<>")+exactHash)
}

// needsTree reports whether more follows from a start tag of the element, outside of svg
// and math, than that its name is noted.
func (el *Element) needsTree() bool { return el.start > startPlain || el.kind&rawText != 0 }

// mayNeedTree reports whether an element with a name of this hash may need the tree. It is
// quick, and false for most elements that do not.
func mayNeedTree(hash uint64) bool { return treeNames[hash*hashMix>>(64-10)] }

var treeNames = func() (may [1 << 10]bool) {
	for i := range elements.Slots {
		if s := &elements.Slots[i]; s.Name != "" && s.value.needsTree() {
			may[s.hash*hashMix>>(64-10)] = true
		}
	}
	return may
}()
