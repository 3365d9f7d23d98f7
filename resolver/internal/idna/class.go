package idna

import (
	_ "embed"
	"encoding/binary"
	"sync"
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
	runs := runsOnce()
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
	text := mappings.at(mappings.last(2, uint32(r)) + 1)
	return texts[text>>8:][:text&0xff]
}

// runsOnce returns data/runs in an array, which is searched in two thirds of the time. The
// array is made for the first domain that needs it.
var runsOnce = sync.OnceValue(func() *[runCount]uint32 {
	var runs [runCount]uint32
	for i := range runs {
		runs[i] = runData.at(i)
	}
	return &runs
})

// The tables are data. All are rows of numbers, sorted.
var (
	//go:embed data/runs
	runData numbers // see classBits
	//go:embed data/mappings
	mappings numbers // rows of a code point that is listed, and where its mapping is in texts: index<<8 and length
	//go:embed data/texts
	texts string
	//go:embed data/compositions
	compositions numbers // rows of a code point, one after it, and what they compose to; all three are valid
	//go:embed data/decompositions
	decompositions numbers // the same rows, with the composite first
)

// numbers are of 32 bits, in little-endian order.
type numbers string

func (n numbers) at(i int) uint32 {
	return binary.LittleEndian.Uint32([]byte(n[4*i:][:4]))
}

// last returns the index of the last row that begins with most or less, or of the first row.
// A row has width numbers.
func (n numbers) last(width int, most uint32) int {
	low, high := 0, len(n)/(4*width)
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if n.at(middle*width) <= most {
			low = middle
		} else {
			high = middle
		}
	}
	return low * width
}
