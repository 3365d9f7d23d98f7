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
	unmeasured int // up to this size, in bytes, a tag need not be measured: the engine looks
	maxTag     int // in bytes
	measured   int // how many attributes of the tag have been measured
	long       int // how many bytes of the long values of those are in the window
}

// An action is what has to be done with a tag before more of it is read.
type action uint8

const (
	hold   action = iota // hold the tag, and read more of it if there is more
	stream               // begin to stream the value of the attribute
	skip                 // pass the tag as it is: it is too long
	elide                // go on streaming the value
)

// grow returns what has to be done with a tag, as far as it is in the window. With stream and
// elide, grow also returns the attribute whose value is meant.
//
// attrs are the complete attributes of the tag. If the tag breaks off in the value of another
// attribute, open is that attribute; otherwise open is nil. size is the number of bytes of the
// tag in the window. Bytes that were elided count neither in size nor in Value.Start.
//
// mayStream reports whether a value need not be held; it can tell from enoughToTell bytes on.
// After stream, the caller marks the attribute Long and calls grow again.
func (l *longTag) grow(attrs []markup.Attribute, open *markup.Attribute, size int, mayStream func(*markup.Attribute) bool) (action, *markup.Attribute) {
	for ; l.measured < len(attrs); l.measured++ {
		a := &attrs[l.measured]
		switch {
		case a.Long:
			l.long += a.Value.Len()
		case a.Value.Len() > longValue && mayStream(a):
			return l.orSkip(stream, int(a.Value.Start)), a // the next call measures it: it is Long then
		}
	}
	switch {
	case open == nil:
	case open.Long:
		return elide, open // stream has checked the size before it
	case open.Value.Len() > longValue && mayStream(open):
		return l.orSkip(stream, int(open.Value.Start)), open
	case open.Value.Len() < enoughToTell || mayStream(open): // it may become long, and does not count yet
		size = int(open.Value.Start)
	}
	return l.orSkip(hold, size), nil
}

// orSkip returns the action a, or skip if the tag's own size up to end is more than MaxTag. All
// long values before end have been measured.
func (l *longTag) orSkip(a action, end int) action {
	if end-l.long > l.maxTag {
		return skip
	}
	return a
}

// next begins another tag.
func (l *longTag) next() { l.measured, l.long = 0, 0 }

// longValue is how long a value may be that is held though it need not be.
var longValue = 64 << 10

// enoughToTell is how many bytes of a value tell whether it is an absolute URL.
const enoughToTell = 1 << 10
