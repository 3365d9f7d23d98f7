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
	unmeasured int // up to this size, in bytes, a tag need not be measured
	most       int // MaxTag
	measured   int // how many attributes of the tag have been measured
	long       int // how many bytes their long values have
}

// An action is what has to be done with a tag before more of it is read.
type action uint8

const (
	hold   action = iota // nothing: the tag is held, and more of it is read
	stream               // the attribute has to be streamed
	skip                 // the tag is too long, and passes as it is
	elide                // the value in which the tag ends for now is streamed already, and goes on
)

// grow returns what has to be done with a tag that has size bytes so far, and the attribute
// that a stream or an elide is about. attrs are the complete attributes. value is the one in
// whose value the tag ends for now; nil if the tag ends elsewhere.
//
// mayStream reports whether a value need not be held; it can tell once the value has beginning
// bytes. After a stream, the attribute is marked Long, and grow is called again.
func (l *longTag) grow(attrs []markup.Attribute, value *markup.Attribute, size int, mayStream func(*markup.Attribute) bool) (action, *markup.Attribute) {
	for ; l.measured < len(attrs); l.measured++ {
		a := &attrs[l.measured]
		switch {
		case a.Long:
			l.long += a.Value.Len()
		case a.Value.Len() > longValue && mayStream(a):
			return l.orSkip(stream, int(a.Value.Start)), a // it is measured when it is Long
		}
	}
	switch {
	case value == nil:
	case value.Long:
		return elide, value
	case value.Value.Len() > longValue && mayStream(value):
		return l.orSkip(stream, int(value.Value.Start)), value
	case value.Value.Len() < beginning || mayStream(value): // it may become long, and does not count yet
		size = int(value.Value.Start)
	}
	return l.orSkip(hold, size), nil
}

// orSkip returns the action a, or skip if the tag's own size up to end is more than MaxTag. All
// long values before end have been measured.
func (l *longTag) orSkip(a action, end int) action {
	if end-l.long > l.most {
		return skip
	}
	return a
}

// next begins another tag.
func (l *longTag) next() { l.measured, l.long = 0, 0 }
