package charset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Offsets are those that a list of them has, whatever is added and dropped.
func TestOffsets(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var o Offsets
		var want []int64
		next := int64(0)
		for range 300 {
			switch k := r.IntN(12); {
			case k > 2:
				n, length := 1+r.IntN(4), int64(1+r.IntN(4))
				if k == 3 {
					length = r.Int64N(2000)
				}
				for range n * r.IntN(40) {
					o.Add(1, 1)
					want = append(want, next)
					next++
				}
				o.Add(n, length)
				for range n {
					want = append(want, next)
				}
				next += length
			case k == 0:
				end := r.IntN(len(want) + 1)
				o.Drop(0, end)
				want = want[end:]
			default:
				start := r.IntN(len(want) + 1)
				end := start + r.IntN(len(want)-start+1)
				o.Drop(start, end)
				want = slices.Delete(slices.Clone(want), start, end)
			}
			for range 20 {
				i := r.IntN(len(want) + 2)
				w := next
				if i < len(want) {
					w = want[i]
				}
				if got := o.At(i); got != w {
					t.Fatalf("seed %d: byte %d of %d is at %d, want %d", seed, i, len(want), got, w)
				}
			}
		}
	}
}
