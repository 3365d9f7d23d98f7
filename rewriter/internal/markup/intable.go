package markup

import "golang.org/x/net/html/atom"

// A mode is what an open element says of the insertion mode in it, where its kind does
// not say enough.
type mode uint8

const (
	byKind     mode = iota
	inTemplate      // in a template: "in template", until a start tag chooses another mode
	inColumns       // in a template: "in column group"
	inFrameset      // in the root: "in frameset", and the modes after it
)

// isExacting reports whether tags are not noted while the element is open.
func (o *openElement) isExacting() bool { return o.ns != NsHTML || o.mode >= inColumns }

// ignores reports whether the insertion mode is one in which start tags of every kind are
// ignored, and the start tag of el is among them. Other modes ignore only tags whose
// content is markup anyway.
func (tb *treeBuilder) ignores(el *Element) bool {
	if !tb.followed {
		return false
	}
	switch tb.top().mode {
	case inColumns:
		return el.start != startColumn && el.start != startTemplate
	case inFrameset:
		return el.Atom != atom.Noframes
	}
	return false
}

// enterTemplate chooses the insertion mode of the innermost template at a start tag in it
// (§13.2.6.4.22). It gives the template the kind of the element in which that mode is
// used.
func (tb *treeBuilder) enterTemplate(el *Element) {
	if el.kind&inHead != 0 && el.Atom != atom.Html && el.Atom != atom.Head && el.Atom != atom.Noscript {
		return
	}
	o := tb.top()
	o.mode = byKind
	switch {
	case el.start == startColumn:
		o.mode = inColumns
		tb.exacting++
	case el.kind&(isCaption|isSection) != 0, el.Atom == atom.Colgroup:
		o.kind |= isTable
	case el.kind&isRow != 0:
		o.kind |= isSection
	case el.kind&isCell != 0:
		o.kind |= isRow
	}
}

// enterFrameset begins anew with a frameset in the place of the body. From there on, only
// noframes has content that matters.
func (tb *treeBuilder) enterFrameset() {
	tb.reset()
	tb.follow()
	tb.top().mode = inFrameset
	tb.exacting++
}

// context returns the index of the open element that the insertion mode depends on: the
// nearest table, part of a table or template, or the root, whose mode is "in body".
func (tb *treeBuilder) context() int {
	n := len(tb.stack) - 1
	for tb.stack[n].kind&(tableMode|tableScope) == 0 {
		n--
	}
	return n
}

// depthIn returns how deep in a table the content of an element of the kind stands: 1 in
// the table itself, 4 in a cell or caption, and 0 outside.
func (k kind) depthIn() int {
	switch {
	case k&(isCell|isCaption) != 0:
		return 4
	case k&isRow != 0:
		return 3
	case k&isSection != 0:
		return 2
	case k&isTable != 0:
		return 1
	}
	return 0
}

// parentDepth returns depthIn of the element in which an element of the kind stands.
func (k kind) parentDepth() int {
	switch {
	case k&isCell != 0:
		return 3
	case k&isRow != 0:
		return 2
	}
	return 1
}

var (
	tbody = elements.Get(HashName("tbody"), []byte("tbody"))
	tr    = elements.Get(HashName("tr"), []byte("tr"))
)

// startTablePart follows the start tag of a part of a table (§13.2.6.4.9, §13.2.6.4.11
// to §13.2.6.4.15). It closes the elements that are deeper in the table than the part
// may be, and opens the elements that are missing around the part.
func (tb *treeBuilder) startTablePart(el *Element, key uint64) {
	want := el.kind.parentDepth()
	for {
		n := tb.context()
		in := tb.stack[n].kind
		switch depth := in.depthIn(); {
		case depth == 0, depth > want && in&isTemplate != 0:
			return
		case depth > want:
			tb.close(n)
		case depth < want:
			tb.pop(n + 1)
			missing := [...]*Element{1: tbody, 2: tr}[depth]
			tb.insert(missing, HashName(missing.Name))
		default:
			tb.pop(n + 1)
			if el.kind&isColumn == 0 {
				tb.insert(el, key)
			}
			return
		}
	}
}

// startTable prepares for a table, and reports whether the table is opened. Inside
// another table, but outside of its cells, it closes the other table.
func (tb *treeBuilder) startTable() bool {
	for tb.stack[tb.context()].kind&(isRow|isSection|isTable) != 0 {
		n := tb.inScope(keyTable, notCounted, tableScope)
		if n == 0 {
			return false
		}
		tb.pop(n)
	}
	if tb.counts[countP] > 0 && !tb.document.isQuirky() {
		tb.closeP()
	}
	return true
}

var keyTable = HashName("table")

// endTablePart follows the end tag of a table or of a part of a table. It closes the
// nearest such element, and everything in it. The end tag of a table closes a caption,
// row or section even where no table is open, as in a template.
func (tb *treeBuilder) endTablePart(key uint64) {
	for {
		n := tb.context()
		o := &tb.stack[n]
		inPart := key == keyTable && o.kind&(isCaption|isRow|isSection) != 0 && o.kind&isTemplate == 0
		if !inPart && tb.inScopeFrom(n, key, tableScope) == 0 {
			return
		}
		done := o.key == key
		if tb.close(n); done {
			return
		}
	}
}
