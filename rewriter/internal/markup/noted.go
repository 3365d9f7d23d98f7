package markup

import (
	"encoding/binary"
	"math"
)

// What foreign notes of a tag outside of svg and math: the key of its name, with
// isEnd for an end tag. After that of the start tag of a formatting element comes
// what stands for the attributes.
const isEnd = 1 << 63

// maxNoted bounds what is noted.
const maxNoted = 1 << 16

// Around svg and math, formatting goes on as around a br.
var (
	keyBr = HashName("br")
	br    = elements.Get(keyBr, []byte("br"))
)

// elementsByKey has the elements of which more is known than a key.
var elementsByKey = func() map[uint64]*Element {
	m := make(map[uint64]*Element)
	for i := range elements.Slots {
		if s := &elements.Slots[i]; s.Name != "" {
			m[keyOf(s.hash, []byte(s.Name))] = &s.value
		}
	}
	return m
}()

// inside is foreign.next where tags are not noted.
const inside = math.MaxInt

// tryNote notes a tag if there is room, and its name is its key.
func (f *treeBuilder) tryNote(t *Tag, end uint64) bool {
	next := f.next
	if uint(next) >= uint(len(f.noted)) || t.Name.End-t.Name.Start > exactHash {
		return false
	}
	f.noted[next] = t.Hash | end
	f.next = next + 1
	return true
}

// note notes a tag. There is room for what stands for its attributes, too.
func (f *treeBuilder) note(key uint64) {
	if f.next >= len(f.noted) {
		f.makeRoom()
	}
	f.noted[f.next] = key
	f.next++
}

func (f *treeBuilder) makeRoom() {
	if n := max(2*cap(f.noted), 1<<8); n <= maxNoted {
		f.noted = append(make([]uint64, 0, n), f.noted[:f.next]...)[:n-1]
		return
	}
	f.notes = f.next
	f.replay()
	f.next = 0
}

// noteStart is note for the start tag of an element.
func (f *treeBuilder) noteStart(el *Element, t *Tag, b []byte) {
	if el.start == startNothing {
		return
	}
	f.note(t.key(b))
	if el.hasAttrs() {
		f.noted[:cap(f.noted)][f.next] = t.attrsKey(el, b)
		f.next++
	}
}

// hasAttrs reports whether the attributes of an element make a difference.
func (el *Element) hasAttrs() bool { return el.start == startFormatting || el.start == startNobr }

// replay follows what is noted.
func (f *treeBuilder) replay() {
	f.followed, f.next = true, inside
	for noted := f.noted[:f.notes]; len(noted) > 0; noted = noted[1:] {
		key := noted[0] &^ isEnd
		el := elementsByKey[key]
		if el == nil {
			el = &unknown
		}
		attrs := uint64(0)
		switch {
		case noted[0] != key:
			f.endHTML(el, key)
			continue
		case el.hasAttrs():
			noted = noted[1:]
			attrs = noted[0]
		}
		f.startHTML(el, key, attrs)
	}
	f.followed, f.notes = false, 0
}

// follow follows what is noted, and puts what is open inside of svg and math onto
// the stack.
func (f *treeBuilder) follow() {
	if f.followed {
		return
	}
	f.replay()
	f.followed = true
	f.watched += len(f.stack)
	for _, o := range f.inner {
		f.push(o)
	}
	f.inner = f.inner[:0]
}

// rest goes back to noting tags where no svg or math is open any more.
func (f *treeBuilder) rest() {
	if f.foreign == 0 && len(f.inner) == 0 {
		f.followed, f.next = false, f.notes
	}
}

// key returns what stands for the tag's name among those of open elements.
func (t *Tag) key(b []byte) uint64 {
	if t.Name.Len() <= exactHash {
		return t.Hash
	}
	return keyOf(t.Hash, t.Name.Of(b))
}

// keyOf returns the key of a name with that hash. Equal names, in any case, have
// the same, and it is below isEnd.
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
