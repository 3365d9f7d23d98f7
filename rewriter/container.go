package rewriter

import (
	"math"

	"absolink/resolver"
)

// ForContainer returns a clone of rw for the documents in a container. Fields that stand for
// a default have its value. A nil rw stands for a new Rewriter. The error is the error of
// Validate, or says that outer, which may be nil, is of another profile.
func (rw *Rewriter) ForContainer(outer *resolver.Base) (*Rewriter, error) {
	frozen, err := rw.freeze()
	if err != nil {
		return nil, err
	}
	c := frozen.withDefaults()
	return c, c.checkProfile(outer)
}

// HoldEncoded returns how many bytes an adapter may hold of the encoded form of a document,
// and of what says where its parts stand, until the base is known: four times what Hold and
// MaxTag allow. The document itself is held up to Hold, as everywhere. tooLong is the error
// to report where the encoded form is longer. All fields must have their values, as in the
// result of ForContainer.
func (rw *Rewriter) HoldEncoded() (limit int, tooLong *LimitError) {
	const times = 4 // quoted-printable takes three bytes for one, and most text in XML less
	tooLong = &LimitError{"Hold", int64(rw.Hold), "more of this document follows in its encoded form than may be held (Hold of the HTML); it stays as it is from here on"}
	return times * (min(rw.Hold, math.MaxInt/16) + min(rw.MaxTag, math.MaxInt/16)), tooLong
}
