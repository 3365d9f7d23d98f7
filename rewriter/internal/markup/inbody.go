package markup

// The keys of the names that the rules in this file ask for.
var (
	keyA        = HashName("a")
	keyButton   = HashName("button")
	keyDd       = HashName("dd")
	keyDt       = HashName("dt")
	keyForm     = HashName("form")
	keyLi       = HashName("li")
	keyNobr     = HashName("nobr")
	keyOptgroup = HashName("optgroup")
	keyOption   = HashName("option")
	keyP        = HashName("p")
	keyRtc      = HashName("rtc")
	keyRuby     = HashName("ruby")
	keySelect   = HashName("select")
)

// startHTML follows a start tag that is read by the rules for HTML content
// (§13.2.6.4.7), other than svg and math.
func (f *treeBuilder) startHTML(el *Element, key, attrs uint64) {
	if f.top().mode == inTemplate {
		f.enterTemplate(el)
	}
	switch el.start {
	case startNothing:
		return
	case startVoid:
		f.reconstruct()
		return
	case startAnchor, startFormatting, startNobr:
		f.startFormatting(el, key, attrs)
		return
	case startTablePart, startColumn:
		f.startTablePart(el, key)
		return
	case startForm:
		f.startForm(el, key)
		return
	case startText, startTemplate:
	case startOther:
		f.reconstruct()
	case startBlock:
		f.closeP()
	default:
		if !f.prepare(el) {
			return
		}
	}
	f.insert(el, key)
}

// insert opens an element of HTML, and adds a marker to the list if the element has one.
func (f *treeBuilder) insert(el *Element, key uint64) {
	f.push(openElement{key: key, kind: el.kind, count: el.count})
	if el.kind&hasMarker != 0 {
		f.mark()
	}
	if el.start == startTemplate {
		f.top().mode = inTemplate
	}
}

// prepare closes the elements that the start tag of an element closes, and reports
// whether the element itself is then opened.
func (f *treeBuilder) prepare(el *Element) bool {
	switch el.start {
	case startHeading:
		f.closeP()
		if n := len(f.stack) - 1; f.stack[n].kind&isHeading != 0 {
			f.pop(n)
		}
		return true
	case startItem:
		f.closeItem(keyLi, keyLi)
		f.closeP()
		return true
	case startDefinition:
		f.closeItem(keyDd, keyDt)
		f.closeP()
		return true
	case startTable:
		return f.startTable()
	case startHr:
		f.closeP()
		if f.inSelect() {
			f.implyEndTags(0)
		}
		return false
	case startInput:
		f.closeSelect()
		f.reconstruct()
		return false
	case startRubyBase, startRubyText:
		if n := f.inScope(keyRuby, countRuby, scope); n > 0 && el.start == startRubyBase {
			f.implyEndTags(0)
		} else if n > 0 {
			f.implyEndTags(keyRtc)
		}
		return true
	}
	return f.prepareControl(el)
}

// prepareControl is prepare for the elements of forms, and xmp.
func (f *treeBuilder) prepareControl(el *Element) bool {
	switch el.start {
	case startXmp:
		f.closeP()
	case startButton:
		if f.inScope(keyButton, countButton, scope) > 0 {
			f.implyEndTags(0)
			f.pop(f.inScope(keyButton, countButton, scope))
		}
	case startSelect:
		if f.closeSelect() {
			return false
		}
	case startOption, startOptgroup:
		switch top := f.top(); {
		case f.inSelect() && el.start == startOption:
			f.implyEndTags(keyOptgroup)
		case f.inSelect():
			f.implyEndTags(0)
		case top.key == keyOption && top.ns == NsHTML:
			f.pop(len(f.stack) - 1)
		}
	}
	f.reconstruct()
	return true
}

// endHTML follows an end tag that is read by the rules for HTML content.
func (f *treeBuilder) endHTML(el *Element, key uint64) {
	n := 0
	switch el.end {
	case endOther:
		n = f.nearest(key)
	case endBlock:
		n = f.inScope(key, el.count, scope)
	case endP:
		f.closeP()
	case endItem:
		n = f.inScope(key, el.count, scope|listScope)
	case endHeading:
		n = f.headingInScope()
	case endForm:
		f.endForm()
	case endFormatting:
		f.adopt(key)
	case endBr:
		f.reconstruct()
	case endTablePart:
		f.endTablePart(key)
	case endTemplate:
		if f.counts[countTemplate] > 0 {
			n = len(f.stack) - 1
			for f.stack[n].kind&isTemplate == 0 {
				n--
			}
		}
	}
	if n > 0 {
		f.close(n)
	}
}

// close closes the element at n on the stack, and everything in it.
func (f *treeBuilder) close(n int) {
	marker := f.stack[n].kind&hasMarker != 0
	f.pop(n)
	if marker {
		f.clearToMarker()
	}
}

// inScope returns the index of the nearest open element of HTML with the name. It is 0
// if there is none, or if an element of a kind in barrier is nearer. count is the counter
// for the name, which saves the search if no such element is open.
func (f *treeBuilder) inScope(key uint64, count counted, barrier kind) int {
	if count != notCounted && f.counts[count] == 0 {
		return 0
	}
	for n := len(f.stack) - 1; n > 0; n-- {
		switch o := &f.stack[n]; {
		case o.key == key && o.ns == NsHTML:
			return n
		case o.kind&barrier != 0:
			return 0
		}
	}
	return 0
}

// headingInScope is inScope for all headings.
func (f *treeBuilder) headingInScope() int {
	for n := len(f.stack) - 1; n > 0; n-- {
		switch o := &f.stack[n]; {
		case o.kind&isHeading != 0:
			return n
		case o.kind&scope != 0:
			return 0
		}
	}
	return 0
}

// nearest returns the index of the element that "any other end tag" closes, or 0.
func (f *treeBuilder) nearest(key uint64) int { return f.inScope(key, notCounted, special) }

// closeP closes a p in button scope.
func (f *treeBuilder) closeP() {
	if n := f.inScope(keyP, countP, scope|buttonScope); n > 0 {
		f.pop(n)
	}
}

// closeItem closes the nearest li, or dd or dt, unless it is open in an outer list.
func (f *treeBuilder) closeItem(key, or uint64) {
	for n := len(f.stack) - 1; n > 0; n-- {
		o := &f.stack[n]
		if (o.key == key || o.key == or) && o.ns == NsHTML {
			f.pop(n)
			return
		}
		if o.kind&special != 0 && o.kind&inItem == 0 {
			return
		}
	}
}

func (f *treeBuilder) inSelect() bool { return f.inScope(keySelect, countSelect, scope) > 0 }

// closeSelect closes a select in scope, and reports whether there is one.
func (f *treeBuilder) closeSelect() bool {
	n := f.inScope(keySelect, countSelect, scope)
	if n > 0 {
		f.pop(n)
	}
	return n > 0
}

// implyEndTags generates implied end tags, except for elements whose key is except
// (§13.2.6.3).
func (f *treeBuilder) implyEndTags(except uint64) {
	n := len(f.stack)
	for f.stack[n-1].kind&implied != 0 && f.stack[n-1].key != except {
		n--
	}
	f.pop(n)
}

// startForm follows the start tag of a form, and sets the form element pointer.
func (f *treeBuilder) startForm(el *Element, key uint64) {
	inTemplate := f.counts[countTemplate] > 0
	if f.form != 0 && !inTemplate {
		return
	}
	inTable := f.stack[f.context()].kind&(isTable|isSection|isRow) != 0
	if inTable && inTemplate {
		return
	}
	id := f.newID()
	if !inTemplate {
		f.form = id
	}
	if !inTable {
		f.closeP()
		f.push(openElement{key: key, kind: el.kind, id: id})
	}
}

// endForm follows the end tag of a form, and clears the form element pointer.
func (f *treeBuilder) endForm() {
	n := f.inScope(keyForm, notCounted, scope)
	if f.counts[countTemplate] > 0 {
		if n > 0 {
			f.pop(n)
		}
		return
	}
	if f.form > 0 && n > 0 {
		n = f.stacked(f.form)
	}
	if f.form > 0 && n > 0 && f.isInScope(n) {
		f.implyEndTags(0)
		f.remove(n)
	}
	f.form = 0
}

// newID returns an id that no other element has.
func (f *treeBuilder) newID() uint32 {
	f.lastID++
	return f.lastID
}
