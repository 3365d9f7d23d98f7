package idna

import (
	"slices"
	"unicode/utf8"
)

// The parameters of RFC 3492 §5.
const (
	base        = 36
	tMin        = 1
	tMax        = 26
	skew        = 38
	damp        = 700
	initialBias = 72
)

// threshold returns the lowest digit that, at position k/base, is not the last.
func threshold(k, bias int) int {
	return min(max(k-bias, tMin), tMax)
}

// adapt returns the next bias: RFC 3492 §6.1.
func adapt(delta int64, points int, first bool) int {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / int64(points)
	k := 0
	for delta > (base-tMin)*tMax/2 {
		delta /= base - tMin
		k += base
	}
	return k + int((base-tMin+1)*delta/(delta+skew))
}

// An insertion says that a code point was put into the label, and before which other.
type insertion struct {
	at int32
	r  rune
}

// appendDecoded appends the code points that label, without its prefix, stands for, and
// reports whether it can be decoded: RFC 3492 §6.2. Label must have no upper-case letter.
func appendDecoded(dst, label []rune) ([]rune, bool) {
	basic, digits := cutBasic(label)
	if !isBasic(basic) {
		return dst, false
	}
	var buffer [short]insertion
	insertions, ok := appendInsertions(slices.Grow(buffer[:0], len(digits)), len(basic), digits)
	if !ok {
		return dst, false
	}
	return appendInserted(dst, basic, insertions), true
}

// cutBasic splits label at its last delimiter, if something stands before it.
func cutBasic(label []rune) (basic, digits []rune) {
	for i := len(label) - 1; i > 0; i-- {
		if label[i] == '-' {
			return label[:i], label[i+1:]
		}
	}
	return nil, label
}

// appendInsertions appends the insertions that digits say, into a label of length
// code points. It reports whether digits are complete and say no number above U+10FFFF.
func appendInsertions(dst []insertion, length int, digits []rune) ([]insertion, bool) {
	n, i, bias := int64(utf8.RuneSelf), int64(0), initialBias
	for len(digits) > 0 {
		delta, size := number(digits, bias, (utf8.MaxRune+1)*int64(length+1))
		if size == 0 {
			return dst, false
		}
		digits = digits[size:]
		length++
		bias = adapt(delta, length, len(dst) == 0)
		i += delta
		n, i = n+i/int64(length), i%int64(length)
		if n > utf8.MaxRune {
			return dst, false
		}
		dst = append(dst, insertion{int32(i), rune(n)})
		i++
	}
	return dst, true
}

// number returns the number at the start of digits, and how many of them it takes: none
// if it is not complete, or above limit.
func number(digits []rune, bias int, limit int64) (value int64, size int) {
	weight := int64(1)
	for j, r := range digits {
		d, ok := digitValue(r)
		value += int64(d) * weight
		if !ok || value > limit {
			return 0, 0
		}
		t := threshold((j+1)*base, bias)
		if d < t {
			return value, j + 1
		}
		weight *= int64(base - t)
	}
	return 0, 0
}

func digitValue(r rune) (int, bool) {
	switch {
	case 'a' <= r && r <= 'z':
		return int(r - 'a'), true
	case '0' <= r && r <= '9':
		return int(r-'0') + 26, true
	}
	return 0, false
}

// appendInserted appends basic with the insertions made. They are taken from the last to
// the first: each has its place among the places that are still free. So all are known
// in O(n log n), where moving what stands behind each would be quadratic.
func appendInserted(dst, basic []rune, insertions []insertion) []rune {
	var buffer [short + 1]int32
	n := len(basic) + len(insertions)
	free := ranks(slices.Grow(buffer[:0], n+1)[:n+1])
	free.fill()
	start := len(dst)
	dst = slices.Grow(dst, n)[:start+n]
	label := dst[start:]
	clear(label)
	for _, in := range slices.Backward(insertions) {
		label[free.take(int(in.at))] = in.r
	}
	for i := range label {
		if label[i] == 0 {
			label[i], basic = basic[0], basic[1:]
		}
	}
	return dst
}

// appendEncoded appends the form of label as RFC 3492 §6.3 encodes it, without prefix.
// Code points are taken in their order, and the places of the lower ones are counted in
// a tree: O(n log n). The algorithm of the standard looks at the whole label for each
// different code point.
func appendEncoded(dst []byte, label []rune) []byte {
	start := len(dst)
	dst = appendBasic(dst, label)
	basic := len(dst) - start
	if basic > 0 {
		dst = append(dst, '-')
	}
	var treeBuffer [short + 1]int32
	var buffer [short]place
	lower := ranks(slices.Grow(treeBuffer[:0], len(label)+1)[:len(label)+1])
	clear(lower)
	places := appendPlaces(slices.Grow(buffer[:0], len(label)), label, lower)
	n, delta, bias, done := rune(utf8.RuneSelf), int64(0), initialBias, basic
	for len(places) > 0 {
		r := places[0].rune()
		delta += int64(r-n) * int64(done+1)
		same, from := 0, 0
		for ; same < len(places) && places[same].rune() == r; same++ {
			at := places[same].at()
			delta += int64(lower.below(at) - lower.below(from))
			dst = appendNumber(dst, delta, bias)
			bias = adapt(delta, done+1, done == basic)
			delta, from = 0, at+1
			done++
		}
		delta = int64(lower.below(len(label))-lower.below(from)) + 1
		for _, p := range places[:same] {
			lower.add(p.at())
		}
		n, places = r+1, places[same:]
	}
	return dst
}

// A place is a code point that is not basic, and where it stands in the label, in the
// low 32 bits. Places in their order are in the order of the code points.
type place uint64

func (p place) rune() rune { return rune(p >> 32) }
func (p place) at() int    { return int(uint32(p)) }

// appendPlaces appends the places of the code points beyond ASCII in label, sorted. It
// adds the places of the basic code points to basic.
func appendPlaces(dst []place, label []rune, basic ranks) []place {
	for i, r := range label {
		if r < utf8.RuneSelf {
			basic.add(i)
		} else {
			dst = append(dst, place(r)<<32|place(i))
		}
	}
	slices.Sort(dst)
	return dst
}

func appendNumber(dst []byte, value int64, bias int) []byte {
	for k := base; ; k += base {
		t := int64(threshold(k, bias))
		if value < t {
			return append(dst, alphabet[value])
		}
		dst = append(dst, alphabet[t+(value-t)%(base-t)])
		value = (value - t) / (base - t)
	}
}

// alphabet has the digits of RFC 3492 §5, in their order.
const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

// appendBasic appends the code points of label that are ASCII.
func appendBasic(dst []byte, label []rune) []byte {
	for _, r := range label {
		if r < utf8.RuneSelf {
			dst = append(dst, byte(r))
		}
	}
	return dst
}
