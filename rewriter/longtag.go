package rewriter

import (
	"absolink/rewriter/internal/markup"
)

// A longTag measures a tag, which may come in pieces. A value is long if it is longer than
// longValue and need not be held. A long value is streamed, and does not count towards the
// tag's own size, which is at most MaxTag.
//
// A tag that comes in pieces has to become the same as one that comes at once. So in both
// cases a tag is looked at in parts, each up to a long value.
type longTag struct {
	unmeasured int // a tag of this size or less is not long
	most       int // MaxTag
	measured   int // how many attributes have been measured
	long       int // the bytes of long values among them
}

// An action is what has to be done with a tag before more of it is read.
type action uint8

const (
	hold   action = iota // nothing
	stream               // the attribute may be streamed
	skip                 // the tag is too long, and passes as it is
	elide                // the value in which the tag ends for now is streamed
)

// grow returns what has to be done with a tag that has size bytes. The tag ends for now in
// value; where it ends elsewhere, value is nil. mayStream reports whether a value need not be
// held. grow is called again when an attribute is streamed.
func (l *longTag) grow(attrs []markup.Attribute, value *markup.Attribute, size int, mayStream func(*markup.Attribute) bool) (action, *markup.Attribute) {
	for ; l.measured < len(attrs); l.measured++ {
		a := &attrs[l.measured]
		switch {
		case a.Long:
			l.long += a.Value.Len()
		case a.Value.Len() > longValue && mayStream(a):
			return l.unless(stream, int(a.Value.Start)), a
		}
	}
	switch {
	case value == nil:
	case value.Long:
		return elide, value
	case value.Value.Len() > longValue && mayStream(value):
		return l.unless(stream, int(value.Value.Start)), value
	case value.Value.Len() < beginning || mayStream(value): // it may become long
		size = int(value.Value.Start)
	}
	return l.unless(hold, size), nil
}

// unless returns an action, or skip if the tag's own size up to end is more than MaxTag.
func (l *longTag) unless(a action, end int) action {
	if end-l.long > l.most {
		return skip
	}
	return a
}

// next begins another tag.
func (l *longTag) next() { l.measured, l.long = 0, 0 }
