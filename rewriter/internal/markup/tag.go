package markup

import (
	"bytes"

	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charref"
)

// A Span is a half-open range of the bytes of a tag, which are counted from its "<".
// Spans are small because there are many.
type Span struct{ Start, End int32 }

// NewSpan returns the span of the bytes from start up to, not including, end.
func NewSpan(start, end int) Span { return Span{int32(start), int32(end)} }

// Of returns the bytes of the span in the tag b.
func (s Span) Of(b []byte) []byte { return b[s.Start:s.End] }

// Len returns how many bytes the span has.
func (s Span) Len() int { return int(s.End - s.Start) }

// An Attribute is where an attribute stands in its tag. The value is without
// its quotes.
type Attribute struct {
	Hash        uint64 // of the name
	Name, Value Span
	Index       int32            // of the name in Options.Wanted, or -1: the attribute does not count
	Notation    charref.Notation // of the value; one that is Valueless is empty, at the end of the name
	Long        bool             // the value is streamed: the window may have only a part of it
}

// A Tag is a start tag or an end tag, with the spans of its name and of the attributes
// that are wanted. A tag may be read in any number of pieces (HTML Standard §13.2.5.8 and
// §13.2.5.32 to §13.2.5.40).
type Tag struct {
	Start       int // in the window
	IsEnd       bool
	Hash        uint64 // of the name
	Name        Span
	Attrs       []Attribute
	SelfClosing bool

	Pos    int   // in the tag: the bytes before Pos have been read
	elided int64 // bytes before Pos that are no longer in the window
	step   tagStep
	cur    Attribute // the attribute that is being read
	skip   bool      // attributes are not listed: in an end tag, or after Skip

	lister
}

type tagStep uint8

const (
	tagName tagStep = iota
	beforeName
	attrName
	afterName
	beforeValue
	unquotedValue
	quotedValue
)

// Begin makes t ready for the tag at start in the window. Its name begins n bytes
// after start: one in a start tag, two in an end tag.
func (t *Tag) Begin(start, n int) {
	t.Start, t.Pos, t.Name = start, n, NewSpan(n, n)
	t.IsEnd = n == len("</")
	t.Hash, t.Attrs, t.SelfClosing, t.elided, t.step, t.skip = 0, t.Attrs[:0], false, 0, tagName, t.IsEnd
	t.number++
}

// Scan reads on in b, which begins at the tag's "<", and reports whether the tag has
// ended. If it has not, the next call reads on from Pos, in a b with more bytes.
func (t *Tag) Scan(b []byte) bool {
	if t.step == tagName && !t.scanName(b) {
		return false
	}
	if t.step == beforeName {
		if !t.skip {
			t.scanWhole(b)
		}
		if t.Pos < len(b) && b[t.Pos] == '>' {
			t.Pos++
			return true
		}
	}
	return t.scanAttributes(b)
}

// scanWhole reads attributes as long as they have one of the most common forms, white space
// and name="value" or name=value, and are whole. It also reads white space, and the slash of
// a "/>", that come before the end of the tag. What it leaves is read by scanAttributes.
func (t *Tag) scanWhole(b []byte) {
	i := t.Pos
	if i < len(b) && ascii.IsSpace(b[i]) {
		t.SelfClosing = false // a read may have ended at the slash
	}
	for i < len(b) && ascii.IsSpace(b[i]) {
		name := i + 1
		for name < len(b) && ascii.IsSpace(b[name]) {
			name++
		}
		end, h := name, uint64(0)
		for end < len(b) {
			c := attrNameByte[b[end]]
			if c == 0 {
				break
			}
			h = addToHash(h, c)
			end++
		}
		if end == name {
			i = name
			break
		}
		value := end + len(`="`)
		if value > len(b) || b[end] != '=' {
			break
		}
		if b[end+1] == '"' {
			n := bytes.IndexByte(b[value:], '"')
			if n < 0 {
				break
			}
			if t.mayList(h, n) {
				t.list(b, h, NewSpan(name, end), NewSpan(value, value+n), charref.DoubleQuoted, false)
			}
			i = value + n + 1
		} else {
			value--
			n := unquotedLen(b[value:])
			if n <= 0 || ascii.IsQuote(b[value]) {
				break
			}
			if t.mayList(h, n) {
				t.list(b, h, NewSpan(name, end), NewSpan(value, value+n), charref.Unquoted, false)
			}
			i = value + n
		}
	}
	if i+1 < len(b) && b[i] == '/' && b[i+1] == '>' {
		t.SelfClosing = true
		i++
	}
	t.Pos = i
}

// unquotedLen returns the length of the unquoted value that b begins with, or -1 if the
// value may go on after b. It is 0 if white space comes first.
func unquotedLen(b []byte) int {
	for i, c := range b {
		if c == '>' || ascii.IsSpace(c) {
			return i
		}
	}
	return -1
}

func (t *Tag) scanName(b []byte) bool {
	t.Pos, t.Hash = readTagName(b, t.Pos, t.Hash)
	if t.Pos == len(b) {
		return false
	}
	t.endName(t.Hash, t.Pos)
	return true
}

// readTagName reads on in the name of a tag from i on, and returns where the name ends, or
// the length of b, and the hash of the name. hash is of what comes before i.
func readTagName(b []byte, i int, hash uint64) (end int, _ uint64) {
	for i < len(b) && tagNameByte[b[i]] != 0 {
		hash = addToHash(hash, tagNameByte[b[i]])
		i++
	}
	return i, hash
}

// endName says that the name of the tag, which ends at end, has been read.
func (t *Tag) endName(hash uint64, end int) {
	t.Hash, t.Name.End, t.Pos, t.step = hash, int32(end), end, beforeName
}

func (t *Tag) scanAttributes(b []byte) bool {
	i, step := t.Pos, t.step
	// The attribute that is being read.
	hash, nameStart, nameEnd, start := t.cur.Hash, t.cur.Name.Start, t.cur.Name.End, t.cur.Value.Start
	notation, long := t.cur.Notation, t.cur.Long
	slash := t.SelfClosing // the last byte that was read is a slash
scan:
	for {
		var end int32 // of the value
		switch step {
		case beforeName:
			for ; i < len(b); i++ {
				if ascii.IsSpace(b[i]) {
					slash = false
				} else if b[i] == '/' {
					slash = true
				} else {
					break
				}
			}
			if i == len(b) {
				break scan
			}
			if b[i] == '>' {
				t.Pos, t.SelfClosing = i+1, slash
				return true
			}
			slash = false
			nameStart, hash = int32(i), addToHash(0, tagNameByte[b[i]]) // whatever the byte is
			notation, long = charref.Valueless, false
			i++
			step = attrName
			fallthrough
		case attrName:
			for _, c := range b[i:] {
				if c = attrNameByte[c]; c == 0 {
					break
				}
				hash = addToHash(hash, c)
				i++
			}
			if i == len(b) {
				break scan
			}
			nameEnd, start = int32(i), int32(i)
			step = afterName
			fallthrough
		case afterName:
			if i = ascii.SkipSpace(b, i); i == len(b) {
				break scan
			}
			if b[i] != '=' {
				end, step = start, beforeName
				break
			}
			i++
			step = beforeValue
			fallthrough
		case beforeValue:
			if i = ascii.SkipSpace(b, i); i == len(b) {
				break scan
			}
			switch b[i] {
			case '"':
				notation = charref.DoubleQuoted
			case '\'':
				notation = charref.SingleQuoted
			default: // also ">", which leaves the value empty
				notation, step, start = charref.Unquoted, unquotedValue, int32(i)
				continue
			}
			i++
			step, start = quotedValue, int32(i)
			fallthrough
		case quotedValue:
			quote := byte('"')
			if notation == charref.SingleQuoted {
				quote = '\''
			}
			n := bytes.IndexByte(b[i:], quote)
			if n < 0 {
				i = len(b)
				break scan
			}
			end = int32(i + n)
			i += n + 1
		case unquotedValue:
			for i < len(b) && b[i] != '>' && !ascii.IsSpace(b[i]) {
				i++
			}
			if i == len(b) {
				break scan
			}
			end = int32(i)
		}
		step = beforeName
		if !t.skip && (long || t.mayList(hash, int(end-start))) {
			t.list(b, hash, Span{nameStart, nameEnd}, Span{start, end}, notation, long)
		}
	}
	t.Pos, t.step, t.SelfClosing = i, step, slash
	t.cur = Attribute{Hash: hash, Name: Span{nameStart, nameEnd}, Value: Span{start, int32(i)}, Notation: notation, Long: long}
	return false
}

// Attr returns the first attribute with the name, which is in lower case, or nil if b has
// none. b begins at the tag's "<".
func (t *Tag) Attr(b []byte, name string) *Attribute {
	for i := range t.Attrs {
		a := &t.Attrs[i]
		if int(a.Value.End) > len(b) {
			break
		}
		if ascii.EqualFold(a.Name.Of(b), name) {
			return a
		}
	}
	return nil
}

// Value returns the raw value of the first attribute with the name, which is in lower
// case. b begins at the tag's "<".
func (t *Tag) Value(b []byte, name string) (raw []byte, ok bool) {
	if a := t.Attr(b, name); a != nil {
		return a.Value.Of(b), true
	}
	return nil, false
}

// tagNameByte and attrNameByte have the lower case of each byte that may be in a name,
// 0xff for NUL, and 0 for each byte that ends a name.
var tagNameByte, attrNameByte = func() (tag, attr [256]byte) {
	for i := range tag {
		c := byte(i)
		switch {
		case ascii.IsSpace(c) || c == '/' || c == '>':
		case c == 0:
			tag[i], attr[i] = 0xff, 0xff
		default:
			tag[i], attr[i] = ascii.Lower(c), ascii.Lower(c)
		}
	}
	attr['='] = 0
	return tag, attr
}()

// Size returns how many bytes of the tag have been read.
func (t *Tag) Size() int64 { return int64(t.Pos) + t.elided }

// Elided returns how many bytes of the tag were read and have left the window since.
func (t *Tag) Elided() int64 { return t.elided }

// Skip says that no attribute of the tag is wanted: none is listed, not even those
// that have been read.
func (t *Tag) Skip() { t.skip, t.Attrs = true, t.Attrs[:0] }

// IsSkipped reports whether the attributes are not listed: in an end tag, or after
// Skip.
func (t *Tag) IsSkipped() bool { return t.skip }

// InName reports whether the name of the tag is being read.
func (t *Tag) InName() bool { return t.step == tagName }

// InValue returns the attribute whose value is being read. The span of the value ends
// at Pos. ok is false if no value is being read.
func (t *Tag) InValue() (a *Attribute, ok bool) {
	if t.step != quotedValue && t.step != unquotedValue {
		return nil, false
	}
	t.cur.Value.End = int32(t.Pos)
	return &t.cur, true
}

// Make makes t a start tag with the name and without attributes, which Add adds. The
// bytes of such a tag begin with its name, without "<".
func (t *Tag) Make(name string) {
	*t = Tag{Hash: HashName(name), Name: NewSpan(0, len(name)), Pos: len(name), Attrs: t.Attrs[:0], lister: t.lister}
	t.number++
}

// Add adds an attribute after the others, whether it is wanted or not. b has the tag.
func (t *Tag) Add(b []byte, name, value Span) {
	hash := HashName(string(name.Of(b)))
	t.Pos = int(value.End)
	t.Attrs = append(t.Attrs, Attribute{Hash: hash, Name: name, Value: value, Index: t.index(hash, name.Of(b))})
}

// RuleName returns the name by which rules know the element that the tag makes: the
// name of the tag, or img for image, which the tree construction turns into img.
func (t *Tag) RuleName(b []byte, ns Namespace) (hash uint64, name []byte) {
	if t.Hash == hashImage && ns == NsHTML {
		return hashImg, img
	}
	return t.Hash, t.Name.Of(b)
}

var (
	img       = []byte("img")
	hashImg   = HashName("img")
	hashImage = HashName("image")

	hashTemplate = HashName("template")
)
