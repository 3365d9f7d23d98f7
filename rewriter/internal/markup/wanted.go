package markup

import (
	"encoding/binary"
	"slices"

	"absolink/rewriter/internal/charref"
)

// Wanted are the names of the attributes that somebody reads, each with an index.
type Wanted struct {
	NameTable[int32]
	count int
}

// TreeAttrs are the attributes that tree construction reads, besides those of formatting
// elements.
var TreeAttrs = []string{"type", "encoding", "color", "face", "size"}

// NewWanted returns the attributes with these names, which are in lower case and have
// their indices in names, and the attributes that tree construction reads.
func NewWanted(names []string) *Wanted {
	w := &Wanted{NameTable: *NewNameTable[int32](len(names) + len(TreeAttrs))}
	for _, name := range slices.Concat(names, TreeAttrs) {
		if w.Get(HashName(name), []byte(name)) == nil {
			*w.At(name) = int32(w.count)
			w.count++
		}
	}
	return w
}

// A lister lists the attributes of tags. A tag has room for so many that only those are
// listed which matter to somebody: the first of each name that is wanted, and those with
// long values, which part the tag.
type lister struct {
	wanted *Wanted // nil lists every attribute, and none counts
	long   int64   // the length up to which a value is not long: Options.LongTag

	number uint64   // of the tag
	seen   []uint64 // by index: the last tag that had the attribute

	sums bool   // attributes are not listed: sum is wanted
	sum  uint64 // a hash of the attributes, whatever their order
}

// reset makes l ready for another document.
func (l *lister) reset(o *Options) {
	if l.wanted != o.Wanted {
		*l = lister{wanted: o.Wanted}
	}
	if l.wanted != nil && l.seen == nil {
		l.seen = make([]uint64, l.wanted.count)
	}
	l.long = o.LongTag
}

// mayList reports whether list has to be called for an attribute whose value has n bytes.
// It is quick, and false for most attributes.
func (l *lister) mayList(hash uint64, n int) bool {
	return l.wanted == nil || l.wanted.MayHave(hash) || int64(n) > l.long
}

// index returns the index of a name in wanted, or -1 if the name is not wanted or came
// before in the tag.
func (l *lister) index(hash uint64, name []byte) int32 {
	if l.wanted == nil {
		return -1
	}
	i := l.wanted.Get(hash, name)
	if i == nil || l.seen[*i] == l.number {
		return -1
	}
	l.seen[*i] = l.number
	return *i
}

// list lists an attribute of the tag b after the others, if it matters.
func (t *Tag) list(b []byte, hash uint64, name, value Span, notation charref.Notation, long bool) {
	index := t.index(hash, name.Of(b))
	switch {
	case t.sums:
		t.sum += attributeKey(hash, value.Of(b))
		return
	case index < 0 && t.wanted != nil && !long && int64(value.Len()) <= t.long:
		return
	}
	n := len(t.Attrs)
	if n == cap(t.Attrs) {
		t.Attrs = slices.Grow(t.Attrs, 1)
	}
	t.Attrs = t.Attrs[:n+1]
	a := &t.Attrs[n] // set field by field: to copy a struct whose parts were just stored is slow
	a.Hash, a.Name, a.Value, a.Index, a.Notation, a.Long = hash, name, value, index, notation, long
}

// attrsKey returns a hash of the attributes of an element, whatever their order, or 0 if
// they make no difference: such as those of a long tag, of which the window may have only
// a part. b begins at the tag's "<".
func (t *Tag) attrsKey(el *Element, b []byte) uint64 {
	if !el.hasAttrs() || b[t.Name.End] == '>' || t.Size() > t.long {
		return 0
	}
	all := Tag{lister: lister{sums: true}}
	all.Begin(0, int(t.Name.Start))
	all.Scan(b[:t.Pos])
	return all.sum
}

// attributeKey returns a hash of an attribute.
func attributeKey(name uint64, value []byte) uint64 {
	h := name
	for v := value; len(v) > 0; v = v[min(len(v), 8):] {
		var word [8]byte
		copy(word[:], v)
		h = (h ^ binary.LittleEndian.Uint64(word[:])) * hashMix
		h ^= h >> 32
	}
	return h*hashMix + uint64(len(value))
}
