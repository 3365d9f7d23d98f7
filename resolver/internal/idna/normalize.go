package idna

import "slices"

// Hangul syllables, which are not in compositions, are composed by their numbers: the
// Unicode Standard §3.12.
const (
	hangulL, countL = 0x1100, 19 // leading consonants
	hangulV, countV = 0x1161, 21 // vowels
	hangulT, countT = 0x11A7, 28 // trailing consonants; the first stands for none
	hangul          = 0xAC00     // syllables
)

// needsNFC reports whether text, of valid code points, may differ from its Normalization
// Form C.
func needsNFC(text []rune) bool {
	return slices.ContainsFunc(text, func(r rune) bool { return classOf(r).unsettled })
}

// appendNFC appends the Normalization Form C of text, of valid code points. The two may
// overlap if dst is text[:0].
func appendNFC(dst, text []rune) []rune {
	var buffer [2 * short]ordered
	full := slices.Grow(buffer[:0], len(text))
	for _, r := range text {
		full = appendDecomposition(full, r)
	}
	sortMarks(full)
	return appendComposed(dst, full)
}

// An ordered is a code point with its combining class in the bits above it.
type ordered uint32

func (o ordered) rune() rune { return rune(o & 0x1FFFFF) }
func (o ordered) ccc() uint8 { return uint8(o >> 21) }

// appendDecomposition appends the full canonical decomposition of r.
func appendDecomposition(dst []ordered, r rune) []ordered {
	if s := r - hangul; 0 <= s && s < countL*countV*countT {
		dst = append(dst, ordered(hangulL+s/(countV*countT)), ordered(hangulV+s/countT%countV))
		if t := s % countT; t > 0 {
			dst = append(dst, ordered(hangulT+t))
		}
		return dst
	}
	if i := decompositions.last(3, uint32(r)); decompositions.at(i) == uint32(r) {
		dst = appendDecomposition(dst, rune(decompositions.at(i+1)))
		return appendDecomposition(dst, rune(decompositions.at(i+2)))
	}
	return append(dst, ordered(classOf(r).ccc)<<21|ordered(r))
}

// sortMarks puts each run of marks into the Canonical Order.
func sortMarks(text []ordered) {
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && text[i].ccc() > 0 {
			i++
		}
		slices.SortStableFunc(text[start:i], func(a, b ordered) int { return int(a.ccc()) - int(b.ccc()) })
	}
}

// appendComposed appends text with every character composed with the last starter
// before it, if nothing blocks it and there is such a composition.
func appendComposed(dst []rune, text []ordered) []rune {
	starter, last := -1, uint8(0)
	for _, o := range text {
		if starter >= 0 && (starter == len(dst)-1 || last < o.ccc()) {
			if c, ok := compose(dst[starter], o.rune()); ok {
				dst[starter] = c
				continue
			}
		}
		if o.ccc() == 0 {
			starter = len(dst)
		}
		last = o.ccc()
		dst = append(dst, o.rune())
	}
	return dst
}

func compose(first, second rune) (rune, bool) {
	l, v := first-hangulL, second-hangulV
	if 0 <= l && l < countL && 0 <= v && v < countV {
		return hangul + (l*countV+v)*countT, true
	}
	s, t := first-hangul, second-hangulT
	if 0 <= s && s < countL*countV*countT && s%countT == 0 && 0 < t && t < countT {
		return first + t, true
	}
	for i := compositions.last(3, uint32(first)); i >= 0 && compositions.at(i) == uint32(first); i -= 3 {
		if compositions.at(i+1) == uint32(second) {
			return rune(compositions.at(i + 2)), true
		}
	}
	return 0, false
}
