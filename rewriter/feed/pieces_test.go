package feed

import (
	"math/rand/v2"
	"testing"

	"absolink/internal/test/soak"
)

// Packed pieces are found as in a plain list, also after the first of them are forgotten.
func TestPieces(t *testing.T) {
	for seed := range uint64(max(3, soak.N(20))) {
		r := rand.New(rand.NewPCG(seed, 1))
		ps := pieces{last: piece{nature: nothing}}
		all := []piece{{nature: nothing}}
		var at, pos, forgotten int64
		longest := []int64{2, 20, 100_000}[seed%3]
		for range 20_000 {
			p := piece{at: at, pos: pos, nature: nature(r.IntN(int(nothing) + 1)), raw: 1 + r.Int64N(longest)}
			switch {
			case p.isExact():
				p.html = p.raw
			case p.nature < limits:
				p.html = 1 + r.Int64N(longest)
			}
			ps.add(p.html, pos, p.nature)
			if last := &all[len(all)-1]; last.nature == p.nature && (p.isExact() || p.html+last.html == 0) {
				last.html, last.raw = last.html+p.html, last.raw+p.raw
			} else {
				all = append(all, p)
			}
			at, pos = at+p.html, pos+p.raw
			if r.IntN(100) == 0 && at > forgotten {
				forgotten += r.Int64N(at - forgotten)
				ps.forget(forgotten)
			}
		}
		i := 0
		for offset := forgotten; offset <= at; offset += 1 + r.Int64N(longest) {
			for i+1 < len(all) && all[i+1].at <= offset {
				i++
			}
			p, next := ps.find(offset, pos)
			if p != all[i] {
				t.Fatalf("seed %d: at %d is %+v, want %+v", seed, offset, p, all[i])
			}
			if i+1 < len(all) {
				if p, _ := ps.read(next, pos); p != all[i+1] {
					t.Fatalf("seed %d: after %d is %+v, want %+v", seed, offset, p, all[i+1])
				}
			}
		}
	}
}

// A reference takes one byte, and a piece is found without reading many others.
func TestPackedPieces(t *testing.T) {
	ps := pieces{last: piece{nature: nothing}}
	for i := range int64(64_000) {
		ps.add(1, 6*i, escape)
	}
	if n := ps.size(); n > 64_000*3/2 || len(ps.spots) < 64_000/spotEvery {
		t.Errorf("%d bytes, %d spots", n, len(ps.spots))
	}
}
