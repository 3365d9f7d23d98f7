package warc

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"
)

// Whatever is written, a spool has it, holds no memory that it does not count, and holds
// none once it is a file.
func TestSpool(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	text := bytes.Repeat([]byte("0123456789abcdefg"), spillSize/8)
	for n := range 20 {
		m := newMemory(t.TempDir(), 1)
		all := m.free
		s, err := newSpool(context.Background(), m, int64(rnd.IntN(spillSize+spillSize/4)))
		if err != nil {
			t.Fatal(err)
		}
		others := rnd.IntN(m.free)
		m.free -= others
		for range 2 {
			written := 0
			for range 1 + rnd.IntN(4) {
				length := min(rnd.IntN(spillSize>>rnd.IntN(3)), len(text)-written)
				if _, err := s.Write(text[written : written+length]); err != nil {
					t.Fatal(err)
				}
				written += length
				if m.free+cap(s.mem)+others != all || s.file != nil && cap(s.mem) > 0 {
					t.Errorf("%d: of %d bytes, %d are free and others have %d; the spool has %d, and a file: %t", n, all, m.free, others, cap(s.mem), s.file != nil)
				}
			}
			if got, err := io.ReadAll(s.reader()); err != nil || s.size != int64(written) || !bytes.Equal(got, text[:written]) {
				t.Errorf("%d: %d bytes, %d of %d are read, %v", n, s.size, len(got), written, err)
			}
			if s.reset(); s.size != 0 || cap(s.mem) > keptSize {
				t.Errorf("%d: after reset, the spool holds %d bytes in %d", n, s.size, cap(s.mem))
			}
		}
		if s.drop(); m.free+others != all {
			t.Errorf("%d: after drop, %d of %d bytes are free", n, m.free+others, all)
		}
	}
}
