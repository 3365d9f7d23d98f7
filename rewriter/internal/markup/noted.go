package markup

import (
	"encoding/binary"
	"math"
)

// isEnd marks end tags in treeBuilder.noted. A tag is noted there as the key of its
// name. After the start tag of a formatting element follows a hash of its attributes.
const isEnd = 1 << 63

// maxNoted is how many numbers may be noted before they are followed.
const maxNoted = 1 << 16

// svg and math open formatting elements again, as br does: they are noted as a br.
var (
	keyBr = HashName("br")
	br    = elements.Get(keyBr, []byte("br"))
)

// elementsByKey has the elements whose names are in the table elements.
var elementsByKey = func() map[uint64]*Element {
	m := make(map[uint64]*Element)
	for i := range elements.Slots {
		if s := &elements.Slots[i]; s.Name != "" {
			m[keyOf(s.hash, []byte(s.Name))] = &s.value
		}
	}
	return m
}()

// inside is the value of treeBuilder.next while no tags are noted.
const inside = math.MaxInt

// tryNote notes a tag if there is room for it and its name is so short that the hash is
// the key. It reports whether it did.
func (tb *treeBuilder) tryNote(t *Tag, end uint64) bool {
	next := tb.next
	if uint(next) >= uint(len(tb.noted)) || t.Name.End-t.Name.Start > exactHash {
		return false
	}
	tb.noted[next] = t.Hash | end
	tb.next = next + 1
	return true
}

// note notes a tag. There is room for the hash of its attributes after it.
func (tb *treeBuilder) note(key uint64) {
	if tb.next >= len(tb.noted) {
		tb.makeRoom()
	}
	tb.noted[tb.next] = key
	tb.next++
}

// makeRoom makes room for more tags. If there are too many, it follows them instead.
func (tb *treeBuilder) makeRoom() {
	if n := max(2*cap(tb.noted), 1<<8); n <= maxNoted {
		tb.noted = append(make([]uint64, 0, n), tb.noted[:tb.next]...)[:n-1]
		return
	}
	tb.notes = tb.next
	tb.replay()
	tb.next = 0
}

// noteStart is note for the start tag of an element. In a template, even a tag that opens
// nothing may choose the insertion mode. A col may choose the mode in which tags are
// ignored, so noteStart follows the noted tags then.
func (tb *treeBuilder) noteStart(el *Element, t *Tag, b []byte) {
	inTemplate := tb.templates || tb.counts[countTemplate] > 0
	if el.start == startNothing && !inTemplate {
		return
	}
	tb.note(t.key(b))
	switch {
	case el.hasAttrs():
		tb.noted[:cap(tb.noted)][tb.next] = t.attrsKey(el, b)
		tb.next++
	case el.start == startTemplate:
		tb.templates = true
	case el.start == startColumn && inTemplate:
		tb.notes = tb.next
		tb.follow()
		tb.rest()
	}
}

// hasAttrs reports whether the attributes of an element tell it from another element in
// the list of active formatting elements.
func (el *Element) hasAttrs() bool { return el.start == startFormatting || el.start == startNobr }

// replay follows the noted tags.
func (tb *treeBuilder) replay() {
	tb.followed, tb.next = true, inside
	for noted := tb.noted[:tb.notes]; len(noted) > 0; noted = noted[1:] {
		key := noted[0] &^ isEnd
		el := elementsByKey[key]
		if el == nil {
			el = &unknown
		}
		attrs := uint64(0)
		switch {
		case noted[0] != key:
			tb.endHTML(el, key)
			continue
		case el.hasAttrs():
			noted = noted[1:]
			attrs = noted[0]
		}
		tb.startHTML(el, key, attrs)
	}
	tb.followed, tb.notes, tb.templates = false, 0, false
}

// follow follows the noted tags, and then puts the open elements in svg and math onto
// the stack.
func (tb *treeBuilder) follow() {
	if tb.followed {
		return
	}
	tb.replay()
	tb.followed = true
	for _, o := range tb.inner {
		tb.push(o)
	}
	tb.inner = tb.inner[:0]
}

// rest goes back to noting tags if no open element is exacting any more.
func (tb *treeBuilder) rest() {
	if tb.exacting == 0 && len(tb.inner) == 0 {
		tb.followed, tb.next = false, tb.notes
	}
}

// key returns the number that stands for the tag's name among the open elements.
func (t *Tag) key(b []byte) uint64 {
	if t.Name.Len() <= exactHash {
		return t.Hash
	}
	return keyOf(t.Hash, t.Name.Of(b))
}

// keyOf returns the key of a name with the hash. Names that differ only in case have
// the same key. A key is less than isEnd.
func keyOf(hash uint64, name []byte) uint64 {
	if len(name) <= exactHash {
		return hash
	}
	for ; len(name) >= 8; name = name[8:] {
		const lower = 0x2020202020202020
		hash = (hash ^ (binary.LittleEndian.Uint64(name) | lower)) * hashMix
		hash ^= hash >> 32
	}
	return hash &^ isEnd
}
