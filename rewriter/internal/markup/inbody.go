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
func (tb *treeBuilder) startHTML(el *Element, key, attrs uint64) {
	if tb.top().mode == inTemplate {
		tb.enterTemplate(el)
	}
	switch el.start {
	case startNothing:
		return
	case startVoid:
		tb.reconstruct()
		return
	case startAnchor, startFormatting, startNobr:
		tb.startFormatting(el, key, attrs)
		return
	case startTablePart, startColumn:
		tb.startTablePart(el, key)
		return
	case startForm:
		tb.startForm(el, key)
		return
	case startText, startTemplate:
	case startOther:
		tb.reconstruct()
	case startBlock:
		tb.closeP()
	default:
		if !tb.prepare(el) {
			return
		}
	}
	tb.insert(el, key)
}

// insert opens an element of HTML, and adds a marker to the list if the element has one.
func (tb *treeBuilder) insert(el *Element, key uint64) {
	tb.push(openElement{key: key, kind: el.kind, count: el.count})
	if el.kind&hasMarker != 0 {
		tb.add(formatted{})
	}
	if el.start == startTemplate {
		tb.top().mode = inTemplate
	}
}

// prepare closes the elements that the start tag of an element closes, and reports
// whether the element itself is then opened.
func (tb *treeBuilder) prepare(el *Element) bool {
	switch el.start {
	case startHeading:
		tb.closeP()
		if n := len(tb.stack) - 1; tb.stack[n].kind&isHeading != 0 {
			tb.pop(n)
		}
		return true
	case startItem:
		tb.closeItem(keyLi, keyLi)
		tb.closeP()
		return true
	case startDefinition:
		tb.closeItem(keyDd, keyDt)
		tb.closeP()
		return true
	case startTable:
		return tb.startTable()
	case startHr:
		tb.closeP()
		if tb.inSelect() {
			tb.implyEndTags(0)
		}
		return false
	case startInput:
		tb.closeSelect()
		tb.reconstruct()
		return false
	case startRubyBase, startRubyText:
		if n := tb.inScope(keyRuby, countRuby, scope); n > 0 && el.start == startRubyBase {
			tb.implyEndTags(0)
		} else if n > 0 {
			tb.implyEndTags(keyRtc)
		}
		return true
	}
	return tb.prepareControl(el)
}

// prepareControl is prepare for the elements of forms, and xmp.
func (tb *treeBuilder) prepareControl(el *Element) bool {
	switch el.start {
	case startXmp:
		tb.closeP()
	case startButton:
		if tb.inScope(keyButton, countButton, scope) > 0 {
			tb.implyEndTags(0)
			tb.pop(tb.inScope(keyButton, countButton, scope))
		}
	case startSelect:
		if tb.closeSelect() {
			return false
		}
	case startOption, startOptgroup:
		switch top := tb.top(); {
		case tb.inSelect() && el.start == startOption:
			tb.implyEndTags(keyOptgroup)
		case tb.inSelect():
			tb.implyEndTags(0)
		case top.key == keyOption && top.ns == NsHTML:
			tb.pop(len(tb.stack) - 1)
		}
	}
	tb.reconstruct()
	return true
}

// endHTML follows an end tag that is read by the rules for HTML content.
func (tb *treeBuilder) endHTML(el *Element, key uint64) {
	n := 0
	switch el.end {
	case endOther:
		n = tb.nearest(key)
	case endBlock:
		n = tb.inScope(key, el.count, scope)
	case endP:
		tb.closeP()
	case endItem:
		n = tb.inScope(key, el.count, scope|listScope)
	case endHeading:
		n = tb.headingInScope()
	case endForm:
		tb.endForm()
	case endFormatting:
		tb.adopt(key)
	case endBr:
		tb.reconstruct()
	case endTablePart:
		tb.endTablePart(key)
	case endTemplate:
		if tb.counts[countTemplate] > 0 {
			n = len(tb.stack) - 1
			for tb.stack[n].kind&isTemplate == 0 {
				n--
			}
		}
	}
	if n > 0 {
		tb.close(n)
	}
}

// close closes the element at n on the stack, and everything in it.
func (tb *treeBuilder) close(n int) {
	marker := tb.stack[n].kind&hasMarker != 0
	tb.pop(n)
	if marker {
		tb.clearToMarker()
	}
}

// inScope returns the index of the nearest open element of HTML with the name. It is 0
// if there is none, or if an element of a kind in barrier is nearer. count is the counter
// for the name, which saves the search if no such element is open.
func (tb *treeBuilder) inScope(key uint64, count counted, barrier kind) int {
	if count != notCounted && tb.counts[count] == 0 {
		return 0
	}
	return tb.inScopeFrom(len(tb.stack)-1, key, barrier)
}

// inScopeFrom is inScope for the elements from n down.
func (tb *treeBuilder) inScopeFrom(n int, key uint64, barrier kind) int {
	for ; n > 0; n-- {
		switch o := &tb.stack[n]; {
		case o.key == key && o.ns == NsHTML:
			return n
		case o.kind&barrier != 0:
			return 0
		}
	}
	return 0
}

// headingInScope is inScope for all headings.
func (tb *treeBuilder) headingInScope() int {
	for n := len(tb.stack) - 1; n > 0; n-- {
		switch o := &tb.stack[n]; {
		case o.kind&isHeading != 0:
			return n
		case o.kind&scope != 0:
			return 0
		}
	}
	return 0
}

// nearest returns the index of the element that "any other end tag" closes, or 0.
func (tb *treeBuilder) nearest(key uint64) int { return tb.inScope(key, notCounted, special) }

// closeP closes a p in button scope.
func (tb *treeBuilder) closeP() {
	if n := tb.inScope(keyP, countP, scope|buttonScope); n > 0 {
		tb.pop(n)
	}
}

// closeItem closes the nearest li, or dd or dt, unless it is open in an outer list.
func (tb *treeBuilder) closeItem(key, or uint64) {
	for n := len(tb.stack) - 1; n > 0; n-- {
		o := &tb.stack[n]
		if (o.key == key || o.key == or) && o.ns == NsHTML {
			tb.pop(n)
			return
		}
		if o.kind&special != 0 && o.kind&inItem == 0 {
			return
		}
	}
}

func (tb *treeBuilder) inSelect() bool { return tb.inScope(keySelect, countSelect, scope) > 0 }

// closeSelect closes a select in scope, and reports whether there is one.
func (tb *treeBuilder) closeSelect() bool {
	n := tb.inScope(keySelect, countSelect, scope)
	if n > 0 {
		tb.pop(n)
	}
	return n > 0
}

// implyEndTags generates implied end tags, except for elements whose key is except
// (§13.2.6.3).
func (tb *treeBuilder) implyEndTags(except uint64) {
	n := len(tb.stack)
	for tb.stack[n-1].kind&implied != 0 && tb.stack[n-1].key != except {
		n--
	}
	tb.pop(n)
}

// startForm follows the start tag of a form, and sets the form element pointer.
func (tb *treeBuilder) startForm(el *Element, key uint64) {
	inTemplate := tb.counts[countTemplate] > 0
	if tb.form != 0 && !inTemplate {
		return
	}
	inTable := tb.stack[tb.context()].kind&(isTable|isSection|isRow) != 0
	if inTable && inTemplate {
		return
	}
	id := tb.newID()
	if !inTemplate {
		tb.form = id
	}
	if !inTable {
		tb.closeP()
		tb.push(openElement{key: key, kind: el.kind, id: id})
	}
}

// endForm follows the end tag of a form, and clears the form element pointer.
func (tb *treeBuilder) endForm() {
	n := tb.inScope(keyForm, notCounted, scope)
	if tb.counts[countTemplate] > 0 {
		if n > 0 {
			tb.pop(n)
		}
		return
	}
	if tb.form > 0 && n > 0 {
		n = tb.stacked(tb.form)
	}
	if tb.form > 0 && n > 0 && tb.isInScope(n) {
		tb.implyEndTags(0)
		tb.remove(n)
	}
	tb.form = 0
}

// newID returns an id that no other element has.
func (tb *treeBuilder) newID() uint32 {
	tb.lastID++
	return tb.lastID
}
