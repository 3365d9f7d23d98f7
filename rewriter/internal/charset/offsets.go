package charset

import "slices"

// Offsets say where in the input the bytes of a text begin that was decoded from it:
// all bytes of a character where that does, with what precedes it and is nothing.
// They take little more than a byte for each byte of the text.
type Offsets struct {
	lengths []uint8 // of what each byte comes from in the input: 0 except for the last byte of a character
	jumps   []jump  // what lengths do not tell, in order
	sums    []int64 // sums[k] is the offset of the byte k*sumEvery
	next    int64   // that of what follows the text
}

// A jump is how much more than its length there is in the input before a byte.
type jump struct {
	at int
	by int64
}

const sumEvery = 256

// Add says that the text goes on with a character of n bytes, which is length bytes
// in the input.
func (o *Offsets) Add(n int, length int64) {
	for range n - 1 {
		o.append(0)
	}
	short := min(length, 255)
	o.append(uint8(short))
	if o.next += length; short < length {
		o.jumps = append(o.jumps, jump{len(o.lengths), length - short})
	}
}

// append appends a byte, where next is still the offset that it has.
func (o *Offsets) append(length uint8) {
	if len(o.lengths)%sumEvery == 0 {
		o.sums = append(o.sums, o.next)
	}
	o.lengths = append(o.lengths, length)
}

// At returns the offset of the i-th byte, or of what follows the last.
func (o *Offsets) At(i int) int64 {
	if i >= len(o.lengths) {
		return o.next
	}
	k := i / sumEvery
	offset := o.sums[k]
	for _, length := range o.lengths[k*sumEvery : i] {
		offset += int64(length)
	}
	from, _ := slices.BinarySearchFunc(o.jumps, k*sumEvery+1, jump.compare)
	for _, j := range o.jumps[from:] {
		if j.at > i {
			break
		}
		offset += j.by
	}
	return offset
}

func (j jump) compare(at int) int { return j.at - at }

// Drop takes the bytes from start to end out. The others keep their offsets.
func (o *Offsets) Drop(start, end int) {
	first, gap := o.At(0), o.At(end)-o.At(start)
	if start == 0 {
		first, gap = o.At(end), 0
	}
	jumps := o.jumps
	o.jumps = nil
	for _, j := range jumps {
		if j.at > end && gap > 0 {
			o.jumps, gap = append(o.jumps, jump{start, gap}), 0
		}
		switch {
		case j.at > end:
			o.jumps = append(o.jumps, jump{j.at - (end - start), j.by})
		case j.at <= start && start > 0:
			o.jumps = append(o.jumps, j)
		}
	}
	if gap > 0 {
		o.jumps = append(o.jumps, jump{start, gap})
	}
	o.lengths = append(o.lengths[:start], o.lengths[end:]...)
	o.sum(first)
}

// sum makes the sums, given the offset of the first byte.
func (o *Offsets) sum(offset int64) {
	o.sums = o.sums[:0]
	jumps := o.jumps
	for i, length := range o.lengths {
		for len(jumps) > 0 && jumps[0].at <= i {
			offset += jumps[0].by
			jumps = jumps[1:]
		}
		if i%sumEvery == 0 {
			o.sums = append(o.sums, offset)
		}
		offset += int64(length)
	}
}
