package passage

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"absolink/internal/test/soak"
)

// A Trail has the bytes that were added and not forgotten, however they come and are asked
// for, and little more memory.
func TestTrail(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		const start = 1000
		var trail Trail
		trail.Reset(start)
		all := make([]byte, start)
		from := int64(start)
		most := []int{10, 10_000, 5 * Size}[seed%3]
		for range soak.N(2_000) {
			b := make([]byte, r.IntN(most))
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			trail.Append(b)
			if all = append(all, b...); len(all) > 64*Size {
				break
			}
			from += r.Int64N(int64(len(all)) - from + 1)
			trail.Forget(from)
			if trail.End() != int64(len(all)) || trail.Start() > from || from-trail.Start() > Size {
				t.Fatalf("seed %d: %d to %d, want %d to %d", seed, trail.Start(), trail.End(), from, len(all))
			}
			for range 5 {
				at := trail.Start() + r.Int64N(trail.End()-trail.Start()+1)
				n := r.IntN(2*Size + 1)
				got := trail.View(at, n)
				if len(got) < min(n, len(all)-int(at)) || !bytes.HasPrefix(all[at:], got) {
					t.Fatalf("seed %d: %d bytes at %d of %d to %d", seed, len(got), at, trail.Start(), trail.End())
				}
			}
			if held := 0; most < Size {
				for _, c := range trail.chunks {
					held += cap(c)
				}
				if held > int(trail.End()-trail.Start())+2*Size {
					t.Fatalf("seed %d: %d bytes held of %d", seed, held, trail.End()-trail.Start())
				}
			}
		}
	}
}
