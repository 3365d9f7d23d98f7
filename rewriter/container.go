package rewriter

import (
	"math"

	"absolink/resolver"
)

// ForContainer returns a clone of rw for the documents in a container. In the clone, a limit
// that is 0 has the value of its default. A nil rw stands for a new Rewriter. The error is the
// error of Validate, or says that outer, which may be nil, is of another profile.
func (rw *Rewriter) ForContainer(outer *resolver.Base) (*Rewriter, error) {
	frozen, err := rw.freeze()
	if err != nil {
		return nil, err
	}
	c := frozen.withLimits()
	return c, c.checkProfile(outer)
}

// HoldEncoded returns how many bytes of the encoded form of a document may be held, for an
// adapter that passes the encoded form on as it is where nothing changes. Each byte of the
// document takes up to perByte bytes there. The limit leaves room for all that may be held
// of the document, so it is reached only by a form that takes more. tooLong is the error to
// report then. The limits must have their values, as in the result of ForContainer.
func (rw *Rewriter) HoldEncoded(perByte int) (limit int, tooLong *LimitError) {
	tooLong = &LimitError{"Hold", int64(rw.Hold), "more of this document follows in its encoded form than may be held (Hold of the HTML); it stays as it is from here on"}
	most := math.MaxInt/perByte - heldAlways
	return perByte * (heldAlways + min(most, max(rw.Hold, 2*min(rw.MaxTag, most/2)))), tooLong
}

// heldAlways is more than may be held of a document whatever Hold and MaxTag are: the start
// that shows its encoding, and the 8 KiB in which the text of a link is looked for. The rest
// of a window, which is longer, is passed on after each read.
const heldAlways = 16 << 10
