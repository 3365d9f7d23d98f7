package idna

const (
	nonJoiner = 0x200C // ZERO WIDTH NON-JOINER
	joiner    = 0x200D // ZERO WIDTH JOINER
)

// validJoiners checks the ContextJ rules: RFC 5892 appendix A.1 and A.2.
func validJoiners(label []rune) bool {
	for i, r := range label {
		if r != nonJoiner && r != joiner {
			continue
		}
		if i > 0 && classOf(label[i-1]).ccc == virama {
			continue
		}
		if r == joiner || !joinedAround(label, i) {
			return false
		}
	}
	return true
}

// joinedAround reports whether the letters on both sides of i would join. Transparent
// characters between them do not count. The non-joiner itself is not transparent, so no
// character of a label is looked at more than twice.
func joinedAround(label []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && classOf(label[before]).joining == transparent {
		before--
	}
	for after < len(label) && classOf(label[after]).joining == transparent {
		after++
	}
	return before >= 0 && classOf(label[before]).joining&joinsNext != 0 &&
		after < len(label) && classOf(label[after]).joining&joinsPrevious != 0
}

// A direction is what the Bidi rule asks of a label.
type direction struct {
	first bidi // of its first character
	last  bidi // of its last character that is not a nonspacing mark
	all   bidi // of all
}

func directionOf(label []rune) direction {
	d := direction{first: classOf(label[0]).bidi}
	for _, r := range label {
		b := classOf(r).bidi
		d.all |= b
		if b != bidiNSM {
			d.last = b
		}
	}
	return d
}

// bidiBoth are the classes that labels of both directions may have.
const bidiBoth = bidiEN | bidiNSM | bidiNeutral

// ruled checks the Bidi rule: RFC 5893 §2.
func (d direction) ruled() bool {
	switch d.first { // 1
	case bidiR:
		return d.all&^(bidiR|bidiAN|bidiBoth) == 0 && // 2
			d.last&(bidiR|bidiEN|bidiAN) != 0 && // 3
			d.all&(bidiEN|bidiAN) != bidiEN|bidiAN // 4
	case bidiL:
		return d.all&^(bidiL|bidiBoth) == 0 && // 5
			d.last&(bidiL|bidiEN) != 0 // 6
	}
	return false
}
