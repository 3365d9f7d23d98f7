package markup

import "slices"

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
func (f *treeBuilder) startFormatting(el *Element, key, attrs uint64) {
	switch el.start {
	case startAnchor:
		if i := f.active(keyA); i >= 0 {
			id := f.list[i].id
			f.adopt(keyA)
			f.discard(id)
		}
		f.reconstruct()
	case startNobr:
		f.reconstruct()
		if f.inScope(keyNobr, countNobr, scope) > 0 {
			f.adopt(keyNobr)
			f.reconstruct()
		}
	default:
		f.reconstruct()
	}
	id := f.newID()
	f.push(openElement{key: key, kind: el.kind, count: el.count, id: id})
	f.add(formatted{openElement: *f.top(), attrs: attrs, open: true})
}

// add adds an element to the list. After the last marker, the list has at most three
// elements with the same name and attributes.
func (f *treeBuilder) add(l formatted) {
	same, first := 0, 0
	for i := len(f.list) - 1; i >= 0 && f.list[i].id != 0; i-- {
		if f.list[i].key == l.key && f.list[i].attrs == l.attrs {
			same, first = same+1, i
		}
	}
	switch {
	case same >= 3:
		f.list = slices.Delete(f.list, first, first+1)
	case len(f.list) == maxFormatted:
		f.list = slices.Delete(f.list, 0, 1)
	}
	f.list = append(f.list, l)
}

// mark adds a marker to the list.
func (f *treeBuilder) mark() {
	if len(f.list) == maxFormatted {
		f.list = slices.Delete(f.list, 0, 1)
	}
	f.list = append(f.list, formatted{})
}

// clearToMarker removes the last marker, and the elements after it, from the list.
func (f *treeBuilder) clearToMarker() {
	n := len(f.list)
	for n > 0 && f.list[n-1].id != 0 {
		n--
	}
	f.list = f.list[:max(n-1, 0)]
}

// listed returns the index in the list of the element with the id, or -1.
func (f *treeBuilder) listed(id uint32) int {
	if id == 0 {
		return -1
	}
	for i := len(f.list) - 1; i >= 0; i-- {
		if f.list[i].id == id {
			return i
		}
	}
	return -1
}

// active returns the index in the list of the last element with the name, or -1. It
// looks only after the last marker.
func (f *treeBuilder) active(key uint64) int {
	for i := len(f.list) - 1; i >= 0 && f.list[i].id != 0; i-- {
		if f.list[i].key == key {
			return i
		}
	}
	return -1
}

// stacked returns the index on the stack of the element with the id, or 0.
func (f *treeBuilder) stacked(id uint32) int {
	for n := len(f.stack) - 1; n > 0; n-- {
		if f.stack[n].id == id {
			return n
		}
	}
	return 0
}

// discard takes an element off the list and the stack.
func (f *treeBuilder) discard(id uint32) {
	if i := f.listed(id); i >= 0 {
		f.list = slices.Delete(f.list, i, i+1)
	}
	if n := f.stacked(id); n > 0 {
		f.remove(n)
	}
}

// pending reports whether there are active formatting elements to reconstruct. It is
// false while tags are only noted.
func (f *treeBuilder) pending() bool {
	n := len(f.list) - 1
	return f.followed && n >= 0 && !f.list[n].open && f.list[n].id != 0
}

// reconstruct opens the active formatting elements that have been closed.
func (f *treeBuilder) reconstruct() {
	if !f.pending() {
		return
	}
	i := len(f.list) - 1
	for i > 0 && f.list[i-1].id != 0 && !f.list[i-1].open {
		i--
	}
	for ; i < len(f.list); i++ {
		l := &f.list[i]
		l.id = f.newID()
		l.open = true
		f.push(l.openElement)
	}
}

// text follows text that is not raw text: it opens pending formatting elements.
func (f *treeBuilder) text(raw []byte) {
	switch top := f.top(); {
	case !f.pending(), top.ns != NsHTML && top.point != htmlPoint && top.point != mathPoint:
	case top.kind&(isTable|isSection|isRow) != 0 && skipNothing(raw) == len(raw): // white space stays in the table
	case len(raw) > 0 && !isNUL(raw):
		f.reconstruct()
	}
}

func isNUL(raw []byte) bool {
	return !slices.ContainsFunc(raw, func(c byte) bool { return c != 0 })
}

// adopt is the adoption agency algorithm, for the end tag with the name (§13.2.6.4.7).
func (f *treeBuilder) adopt(key uint64) {
	n := len(f.stack) - 1
	if top := &f.stack[n]; top.key == key && top.ns == NsHTML && f.listed(top.id) < 0 {
		f.pop(n)
		return
	}
	for range 8 {
		i := f.active(key)
		if i < 0 {
			if n := f.nearest(key); n > 0 {
				f.pop(n)
			}
			return
		}
		n := f.stacked(f.list[i].id)
		if n == 0 {
			f.list = slices.Delete(f.list, i, i+1)
			return
		}
		if !f.isInScope(n) {
			return
		}
		block := n + 1
		for block < len(f.stack) && f.stack[block].kind&special == 0 {
			block++
		}
		if block == len(f.stack) {
			f.pop(n)
			f.list = slices.Delete(f.list, i, i+1)
			return
		}
		f.moveInto(n, block, i)
	}
}

// isInScope reports whether the element at n on the stack is in scope.
func (f *treeBuilder) isInScope(n int) bool {
	for i := len(f.stack) - 1; i > n; i-- {
		if f.stack[i].kind&scope != 0 {
			return false
		}
	}
	return true
}

// moveInto moves a formatting element into the block: steps 4.11 to 4.20. The element
// stands at n on the stack and at i in the list. An element between it and
// the block stays open if it is in the list and among the three nearest to the block.
func (f *treeBuilder) moveInto(n, block, i int) {
	after := -1 // the index in the list after which the element moves; -1 if it stays
	for inner, x := 1, block-1; x > n; inner, x = inner+1, x-1 {
		l := f.listed(f.stack[x].id)
		if l >= 0 && inner > 3 {
			f.list = slices.Delete(f.list, l, l+1)
			after, i = shifted(after, l), shifted(i, l)
			l = -1
		}
		if l < 0 {
			f.remove(x)
			block--
		} else if after < 0 {
			after = l
		}
	}
	id := f.newID()
	o, l := f.stack[n], f.list[i]
	o.id, l.id = id, id
	copy(f.stack[n:block], f.stack[n+1:block+1])
	f.stack[block] = o
	switch {
	case after < 0:
		f.list[i] = l
	case after < i:
		copy(f.list[after+2:i+1], f.list[after+1:i])
		f.list[after+1] = l
	default:
		copy(f.list[i:after], f.list[i+1:after+1])
		f.list[after] = l
	}
}

// shifted returns the index that an element has after another is deleted.
func shifted(i, deleted int) int {
	if i > deleted {
		i--
	}
	return i
}
