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

// appendDecoded appends the code points that label, without its prefix, stands for, and
// reports whether it can be decoded: RFC 3492 §6.2. Label must have no upper-case letter.
// It has at most maxEncoded code points, so that moving them to insert one costs little.
func appendDecoded(dst, label []rune) ([]rune, bool) {
	basic, digits := cutBasic(label)
	if !isBasic(basic) {
		return dst, false
	}
	start := len(dst)
	dst = append(dst, basic...)
	n, i, bias := int64(utf8.RuneSelf), int64(0), initialBias
	for first := true; len(digits) > 0; first = false {
		points := len(dst) - start + 1
		delta, size := number(digits, bias, (utf8.MaxRune+1)*int64(points))
		if size == 0 {
			return dst, false
		}
		digits = digits[size:]
		bias = adapt(delta, points, first)
		i += delta
		n, i = n+i/int64(points), i%int64(points)
		if n > utf8.MaxRune {
			return dst, false
		}
		dst = slices.Insert(dst, start+int(i), rune(n))
		i++
	}
	return dst, true
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

// appendEncoded appends the form of label as RFC 3492 §6.3 encodes it, without prefix. It
// takes the code points in their order, and keeps the places of the lower ones sorted. The
// algorithm of the standard looks at the whole label for each different code point. A label has
// at most maxEncoded code points, so that inserting costs little.
func appendEncoded(dst []byte, label []rune) []byte {
	start := len(dst)
	dst = appendBasic(dst, label)
	basic := len(dst) - start
	if basic > 0 {
		dst = append(dst, '-')
	}
	var placesBuffer [short]place
	var lowerBuffer [short]int32 // where the code points that are encoded stand
	places, lower := slices.Grow(placesBuffer[:0], len(label)), slices.Grow(lowerBuffer[:0], len(label))
	for i, r := range label {
		if r < utf8.RuneSelf {
			lower = append(lower, int32(i))
		} else {
			places = append(places, place(r)<<32|place(i))
		}
	}
	slices.Sort(places)
	n, i, bias := rune(utf8.RuneSelf), 0, initialBias
	for _, p := range places {
		points := len(lower) + 1
		at, _ := slices.BinarySearch(lower, p.at())
		delta := int64(p.rune()-n)*int64(points) + int64(at-i)
		dst = appendNumber(dst, delta, bias)
		bias = adapt(delta, points, len(lower) == basic)
		lower = slices.Insert(lower, at, p.at())
		n, i = p.rune(), at+1
	}
	return dst
}

// A place is a code point that is not basic, and where it stands in the label, in the
// low 32 bits. Places in their order are in the order of the code points.
type place uint64

func (p place) rune() rune { return rune(p >> 32) }
func (p place) at() int32  { return int32(p) }

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
