package rewriter

import "absolink/resolver"

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

// HoldEncoded divides Hold between a document and its encoded form, for an adapter that
// holds both until the base is known. Each byte of the document takes up to perByte bytes
// in the encoded form. Hold becomes what the document may take. HoldEncoded returns how many
// bytes of the encoded form may be held, and the error to report where it is longer.
// All fields must have their values, as in the result of ForContainer.
func (rw *Rewriter) HoldEncoded(perByte int) (limit int, tooLong *LimitError) {
	half := rw.Hold / 2
	tooLong = &LimitError{"Hold", int64(rw.Hold), "more of this document follows in its encoded form than may be held (Hold of the HTML); it stays as it is from here on"}
	rw.Hold = max(1, half/perByte)
	return half + 4*rw.MaxTag, tooLong
}
