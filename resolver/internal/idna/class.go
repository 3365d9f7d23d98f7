package idna

import (
	"slices"
	"strings"
)

// A class is what code points of one kind have in common, as far as domains need it.
// Only the kind and the shift of a code point that is not valid are known.
type class struct {
	kind      kind
	mark      bool // General_Category=Mark
	unsettled bool // it may change with what is before it, by normalization
	joining   joining
	ccc       uint8 // Canonical_Combining_Class
	bidi      bidi  // Bidi_Class
	shift     rune  // what is to be added, if the kind is shifted
}

// A kind is the status of a code point in the IDNA mapping table. The statuses valid and
// deviation are one kind; the status mapped is two, shifted and listed.
type kind uint8

const (
	disallowed kind = iota
	ignored
	valid
	shifted // mapped to one code point at a distance that many have
	listed  // mapped to what mapping says
)

// A joining is what matters of a Joining_Type, as a set.
type joining uint8

const (
	joinsNext     joining = 1 << iota // L or D
	joinsPrevious                     // R or D
	transparent                       // T
)

// A bidi is a Bidi_Class, as a set of one element. Classes that the Bidi rule treats alike
// are the same element.
type bidi uint8

const (
	bidiL bidi = 1 << iota
	bidiR      // or AL
	bidiAN
	bidiEN
	bidiNSM
	bidiNeutral // ES, CS, ET, ON or BN
	bidiOther   // in no label of a Bidi domain name
)

// virama is the Canonical_Combining_Class of the code points after which joiners may stand.
const virama = 9

// classBits is the size of an index of classes. Each of the runs is the first of code
// points of one class, shifted left by classBits, with the index of the class.
const classBits = 11

// classOf returns the class of r, which must be from 0 to U+10FFFF.
func classOf(r rune) *class {
	low, high := 0, len(runs)
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if rune(runs[middle]>>classBits) <= r {
			low = middle
		} else {
			high = middle
		}
	}
	return &classes[runs[low]&(1<<classBits-1)]
}

// mapping returns what r is mapped to. Its kind must be listed.
func mapping(r rune) string {
	i, ok := slices.BinarySearchFunc(blocks[:], r, func(b block, r rune) int { return int(b.start - r) })
	if !ok {
		i--
	}
	text, rest, _ := strings.Cut(texts[blocks[i].at:], mappingEnd)
	for range r - blocks[i].start {
		text, rest, _ = strings.Cut(rest, mappingEnd)
	}
	return text
}

// mappingEnd stands after every mapping. No code point is mapped to it.
const mappingEnd = "X"

// A block is a range of up to 8 code points that are listed. Their mappings stand in
// texts from at on.
type block struct {
	start rune
	at    uint16
}
