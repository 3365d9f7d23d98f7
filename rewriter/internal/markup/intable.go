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
func (f *treeBuilder) ignores(el *Element) bool {
	if !f.followed {
		return false
	}
	switch f.top().mode {
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
func (f *treeBuilder) enterTemplate(el *Element) {
	if el.kind&inHead != 0 && el.Atom != atom.Html && el.Atom != atom.Head && el.Atom != atom.Noscript {
		return
	}
	o := f.top()
	o.mode = byKind
	switch {
	case el.start == startColumn:
		o.mode = inColumns
		f.exacting++
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
func (f *treeBuilder) enterFrameset() {
	f.reset()
	f.follow()
	f.top().mode = inFrameset
	f.exacting++
}

// context returns the index of the open element that the insertion mode depends on: the
// nearest table, part of a table or template, or the root, whose mode is "in body".
func (f *treeBuilder) context() int {
	n := len(f.stack) - 1
	for f.stack[n].kind&(tableMode|tableScope) == 0 {
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
func (f *treeBuilder) startTablePart(el *Element, key uint64) {
	want := el.kind.parentDepth()
	for {
		n := f.context()
		in := f.stack[n].kind
		switch depth := in.depthIn(); {
		case depth == 0, depth > want && in&isTemplate != 0:
			return
		case depth > want:
			f.close(n)
		case depth < want:
			f.pop(n + 1)
			missing := [...]*Element{1: tbody, 2: tr}[depth]
			f.insert(missing, HashName(missing.Name))
		default:
			f.pop(n + 1)
			if el.kind&isColumn == 0 {
				f.insert(el, key)
			}
			return
		}
	}
}

// startTable prepares for a table, and reports whether the table is opened. Inside
// another table, but outside of its cells, it closes the other table.
func (f *treeBuilder) startTable() bool {
	for f.stack[f.context()].kind&(isRow|isSection|isTable) != 0 {
		n := f.tableInScope(keyTable, len(f.stack)-1)
		if n == 0 {
			return false
		}
		f.pop(n)
	}
	if f.counts[countP] > 0 && !f.document.isQuirky() {
		f.closeP()
	}
	return true
}

var keyTable = HashName("table")

// endTablePart follows the end tag of a table or of a part of a table. It closes the
// nearest such element, and everything in it. The end tag of a table closes a caption,
// row or section even where no table is open, as in a template.
func (f *treeBuilder) endTablePart(key uint64) {
	for {
		n := f.context()
		o := &f.stack[n]
		inPart := key == keyTable && o.kind&(isCaption|isRow|isSection) != 0 && o.kind&isTemplate == 0
		if !inPart && f.tableInScope(key, n) == 0 {
			return
		}
		done := o.key == key
		if f.close(n); done {
			return
		}
	}
}

// tableInScope returns the index of the nearest open element with the name in table
// scope, or 0. It looks from n down.
func (f *treeBuilder) tableInScope(key uint64, n int) int {
	for ; n > 0; n-- {
		switch o := &f.stack[n]; {
		case o.key == key && o.ns == NsHTML:
			return n
		case o.kind&tableScope != 0:
			return 0
		}
	}
	return 0
}
