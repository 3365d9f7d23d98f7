package markup

import (
	"bytes"
	"slices"
)

// A formatted is an element in the list of active formatting elements, or a
// marker there (§13.2.4.3).
type formatted struct {
	openElement        // the id of a marker is 0
	attrs       uint64 // a hash of the attributes
	open        bool   // the element is on the stack
}

// maxFormatted bounds the list. When it is full, its first element is forgotten.
const maxFormatted = 64

// startFormatting follows the start tag of a formatting element.
func (tb *treeBuilder) startFormatting(el *Element, key, attrs uint64) {
	switch el.start {
	case startAnchor:
		if i := tb.active(keyA); i >= 0 {
			id := tb.list[i].id
			tb.adopt(keyA)
			tb.discard(id)
		}
		tb.reconstruct()
	case startNobr:
		tb.reconstruct()
		if tb.inScope(keyNobr, countNobr, scope) > 0 {
			tb.adopt(keyNobr)
			tb.reconstruct()
		}
	default:
		tb.reconstruct()
	}
	id := tb.newID()
	tb.push(openElement{key: key, kind: el.kind, count: el.count, id: id})
	tb.add(formatted{openElement: *tb.top(), attrs: attrs, open: true})
}

// add adds an element, or a marker, to the list. After the last marker, the list has at
// most three elements with the same name and attributes.
func (tb *treeBuilder) add(l formatted) {
	same, first := 0, 0
	for i := len(tb.list) - 1; i >= 0 && tb.list[i].id != 0; i-- {
		if tb.list[i].key == l.key && tb.list[i].attrs == l.attrs {
			same, first = same+1, i
		}
	}
	switch {
	case same >= 3:
		tb.list = slices.Delete(tb.list, first, first+1)
	case len(tb.list) == maxFormatted:
		tb.list = slices.Delete(tb.list, 0, 1)
	}
	tb.list = append(tb.list, l)
}

// clearToMarker removes the last marker, and the elements after it, from the list.
func (tb *treeBuilder) clearToMarker() {
	n := len(tb.list)
	for n > 0 && tb.list[n-1].id != 0 {
		n--
	}
	tb.list = tb.list[:max(n-1, 0)]
}

// listed returns the index in the list of the element with the id, or -1.
func (tb *treeBuilder) listed(id uint32) int {
	if id == 0 {
		return -1
	}
	for i := len(tb.list) - 1; i >= 0; i-- {
		if tb.list[i].id == id {
			return i
		}
	}
	return -1
}

// active returns the index in the list of the last element with the name, or -1. It
// looks only after the last marker.
func (tb *treeBuilder) active(key uint64) int {
	for i := len(tb.list) - 1; i >= 0 && tb.list[i].id != 0; i-- {
		if tb.list[i].key == key {
			return i
		}
	}
	return -1
}

// stacked returns the index on the stack of the element with the id, or 0.
func (tb *treeBuilder) stacked(id uint32) int {
	for n := len(tb.stack) - 1; n > 0; n-- {
		if tb.stack[n].id == id {
			return n
		}
	}
	return 0
}

// discard takes an element off the list and the stack.
func (tb *treeBuilder) discard(id uint32) {
	if i := tb.listed(id); i >= 0 {
		tb.list = slices.Delete(tb.list, i, i+1)
	}
	if n := tb.stacked(id); n > 0 {
		tb.remove(n)
	}
}

// pending reports whether there are active formatting elements to reconstruct. It is
// false while tags are only noted.
func (tb *treeBuilder) pending() bool {
	n := len(tb.list) - 1
	return tb.followed && n >= 0 && !tb.list[n].open && tb.list[n].id != 0
}

// reconstruct opens the active formatting elements that have been closed.
func (tb *treeBuilder) reconstruct() {
	if !tb.pending() {
		return
	}
	i := len(tb.list) - 1
	for i > 0 && tb.list[i-1].id != 0 && !tb.list[i-1].open {
		i--
	}
	for ; i < len(tb.list); i++ {
		l := &tb.list[i]
		l.id = tb.newID()
		l.open = true
		tb.push(l.openElement)
	}
}

// text follows text that is not raw text: it opens pending formatting elements.
func (tb *treeBuilder) text(raw []byte) {
	switch top := tb.top(); {
	case !tb.pending(), top.ns != NsHTML && top.point != htmlPoint && top.point != mathPoint:
	case top.kind&(isTable|isSection|isRow) != 0 && skipNothing(raw) == len(raw): // white space stays in the table
	case len(bytes.TrimLeft(raw, "\x00")) > 0:
		tb.reconstruct()
	}
}

// adopt is the adoption agency algorithm, for the end tag with the name (§13.2.6.4.7).
func (tb *treeBuilder) adopt(key uint64) {
	n := len(tb.stack) - 1
	if top := &tb.stack[n]; top.key == key && top.ns == NsHTML && tb.listed(top.id) < 0 {
		tb.pop(n)
		return
	}
	for range 8 {
		i := tb.active(key)
		if i < 0 {
			if n := tb.nearest(key); n > 0 {
				tb.pop(n)
			}
			return
		}
		n := tb.stacked(tb.list[i].id)
		if n == 0 {
			tb.list = slices.Delete(tb.list, i, i+1)
			return
		}
		if !tb.isInScope(n) {
			return
		}
		block := n + 1
		for block < len(tb.stack) && tb.stack[block].kind&special == 0 {
			block++
		}
		if block == len(tb.stack) {
			tb.pop(n)
			tb.list = slices.Delete(tb.list, i, i+1)
			return
		}
		tb.moveInto(n, block, i)
	}
}

// isInScope reports whether the element at n on the stack is in scope.
func (tb *treeBuilder) isInScope(n int) bool {
	for i := len(tb.stack) - 1; i > n; i-- {
		if tb.stack[i].kind&scope != 0 {
			return false
		}
	}
	return true
}

// moveInto moves a formatting element into the block: steps 4.11 to 4.20. The element
// stands at n on the stack and at i in the list. An element between it and
// the block stays open if it is in the list and among the three nearest to the block.
func (tb *treeBuilder) moveInto(n, block, i int) {
	after := -1 // the index in the list after which the element moves; -1 if it stays
	for inner, x := 1, block-1; x > n; inner, x = inner+1, x-1 {
		l := tb.listed(tb.stack[x].id)
		if l >= 0 && inner > 3 {
			tb.list = slices.Delete(tb.list, l, l+1)
			after, i = shifted(after, l), shifted(i, l)
			l = -1
		}
		if l < 0 {
			tb.remove(x)
			block--
		} else if after < 0 {
			after = l
		}
	}
	id := tb.newID()
	o, l := tb.stack[n], tb.list[i]
	o.id, l.id = id, id
	copy(tb.stack[n:block], tb.stack[n+1:block+1])
	tb.stack[block] = o
	if after < 0 {
		after = i - 1
	}
	tb.list = slices.Insert(slices.Delete(tb.list, i, i+1), shifted(after, i)+1, l)
}

// shifted returns the index that an element has after another is deleted.
func shifted(i, deleted int) int {
	if i > deleted {
		i--
	}
	return i
}
