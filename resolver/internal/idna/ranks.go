package idna

import "math/bits"

// ranks is a set of numbers from 0 to len-2 that counts, and finds by rank, in
// logarithmic time: a Fenwick tree. Element i is how many of the i&-i numbers below i
// are in the set. Element 0 is not used.
type ranks []int32

// fill makes the set have all numbers.
func (t ranks) fill() {
	for i := range t {
		t[i] = int32(i & -i)
	}
}

// add puts n, which is not there, into the set.
func (t ranks) add(n int) {
	for i := n + 1; i < len(t); i += i & -i {
		t[i]++
	}
}

// below returns how many numbers below n are in the set.
func (t ranks) below(n int) int {
	count := 0
	for i := n; i > 0; i -= i & -i {
		count += int(t[i])
	}
	return count
}

// take removes a number, below which there are rank others in the set, and returns it.
// The set must have more than rank numbers.
func (t ranks) take(rank int) int {
	n := 0
	for step := 1 << bits.Len(uint(len(t)-1)); step > 0; step >>= 1 {
		if next := n + step; next < len(t) && int(t[next]) <= rank {
			n, rank = next, rank-int(t[next])
		}
	}
	for i := n + 1; i < len(t); i += i & -i {
		t[i]--
	}
	return n
}
