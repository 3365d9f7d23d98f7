package charset

import "slices"

// Offsets say from where in the input the bytes of a decoded text come. All bytes of a
// character come from where the character begins in the input, or the escape sequences
// before it. Offsets take little more than one byte of memory for each byte of the text.
type Offsets struct {
	lengths []uint8 // for the last byte of each character its length in the input, up to 255; 0 for the others
	jumps   []jump  // the lengths that lengths cannot hold, in order
	sums    []int64 // sums[k] is the offset of the byte k*sumEvery
	next    int64   // the offset of what follows the text
}

// A jump says how many bytes of the input come before a byte of the text, in addition to
// those that lengths count.
type jump struct {
	at int   // the index of the byte
	by int64 // the number of bytes in the input
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

// append appends a byte of the text, whose offset is next.
func (o *Offsets) append(length uint8) {
	if len(o.lengths)%sumEvery == 0 {
		o.sums = append(o.sums, o.next)
	}
	o.lengths = append(o.lengths, length)
}

// At returns the offset of the byte at i. If there is none, it returns the offset of what
// follows the text.
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

// Drop removes the bytes from start to end. The other bytes keep their offsets.
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

// sum computes the sums anew. offset is the offset of the first byte.
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
