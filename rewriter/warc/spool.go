package warc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"sync"
)

const (
	spillSize  = 2 << 20       // above it, bytes wait in a file
	keptSize   = 1 << 20       // what a worker keeps from one page to the next
	memorySize = 3 * spillSize // of all spools of a run,
	workerSize = spillSize     // and more for each worker, with what it keeps
)

// A memory is what the spools of a run may hold.
type memory struct {
	dir  string // of temporary files
	mu   sync.Mutex
	free int
	wake chan struct{}
	pool [32]sync.Pool // *[]byte, by the logarithm of their size
}

func newMemory(dir string, workers int) *memory {
	return &memory{dir: dir, free: memorySize + workers*workerSize, wake: make(chan struct{}, 1)}
}

// try takes n bytes if there are as many.
func (m *memory) try(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > m.free {
		return false
	}
	m.free -= n
	return true
}

// wait takes n bytes when there are as many. One goroutine alone may wait, and
// not for more than others will give back.
func (m *memory) wait(ctx context.Context, n int) error {
	for !m.try(n) {
		select {
		case <-m.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (m *memory) give(n int) {
	m.mu.Lock()
	m.free += n
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// bytes returns an empty slice whose capacity is a power of two, n at least.
func (m *memory) bytes(n int) []byte {
	class := bits.Len(uint(n - 1))
	if b, ok := m.pool[class].Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 1<<class)
}

func (m *memory) recycle(b []byte) {
	if cap(b) > 0 {
		b = b[:0]
		m.pool[bits.Len(uint(cap(b)-1))].Put(&b)
	}
}

// A spool holds bytes, in memory or, where there are many, in a temporary file.
type spool struct {
	*memory
	mem   []byte
	file  *os.File
	size  int64
	limit int64 // of what is written; 0 is none
}

const minSpool = 4 << 10

// grown returns the size of the memory for n bytes.
func grown(n int) int { return 1 << bits.Len(uint(max(n, minSpool)-1)) }

// newSpool returns a spool for n bytes or more, when there is memory for them.
func newSpool(ctx context.Context, m *memory, n int64) (*spool, error) {
	s := &spool{memory: m}
	if n > spillSize {
		return s, s.spill()
	}
	size := grown(int(n))
	if err := m.wait(ctx, size); err != nil {
		return s, err
	}
	s.mem = m.bytes(size)
	return s, nil
}

// expect makes room for n bytes, if that is easy.
func (s *spool) expect(n int64) {
	if size := grown(int(min(n, spillSize))); size > cap(s.mem) && n <= spillSize && s.try(size-cap(s.mem)) {
		s.mem = append(s.bytes(size), s.mem...)
	}
}

func (s *spool) Write(p []byte) (int, error) {
	if s.limit > 0 && int64(len(p)) > s.limit-s.size {
		return 0, tooLong(s.limit)
	}
	s.size += int64(len(p))
	if s.file == nil && len(s.mem)+len(p) > cap(s.mem) {
		if err := s.grow(len(s.mem) + len(p)); err != nil {
			return 0, err
		}
	}
	if s.file != nil {
		n, err := s.file.Write(p)
		return n, s.failed(err)
	}
	s.mem = append(s.mem, p...)
	return len(p), nil
}

// grow makes room for n bytes in all.
func (s *spool) grow(n int) error {
	size := grown(n)
	if n > spillSize || !s.try(size-cap(s.mem)) {
		return s.spill()
	}
	old := s.mem
	s.mem = append(s.bytes(size), old...)
	s.recycle(old)
	return nil
}

// spill moves what there is to a file.
func (s *spool) spill() error {
	f, err := os.CreateTemp(s.dir, ".absolink-*")
	if err != nil {
		return s.failed(err)
	}
	os.Remove(f.Name()) // where that is refused as it is open, drop does it
	s.file = f
	_, err = f.Write(s.mem)
	s.forget()
	return s.failed(err)
}

// failed says of what an error is that of the temporary file, whose name is of no
// use to anybody.
func (s *spool) failed(err error) error {
	var e *fs.PathError
	if !errors.As(err, &e) {
		return err
	}
	dir := s.dir
	if dir == "" {
		dir = os.TempDir()
	}
	return &fs.PathError{Op: "write a temporary file there", Path: dir, Err: e.Err}
}

func (s *spool) forget() {
	s.give(cap(s.mem))
	s.recycle(s.mem)
	s.mem = nil
}

// readFrom reads n bytes, or fewer where r has no more.
func (s *spool) readFrom(r io.Reader, n int64) error {
	if s.file != nil {
		n, err := io.CopyN(s.file, r, n)
		s.size += n
		return s.failed(err)
	}
	b := s.mem[:n]
	got, err := io.ReadFull(r, b)
	s.mem, s.size = b[:got], int64(got)
	return err
}

// reader returns all that was written, a *bytes.Reader where that is in memory.
func (s *spool) reader() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.mem)
	}
	return io.NewSectionReader(s.file, 0, s.size)
}

// reset empties the spool, and keeps some of its memory.
func (s *spool) reset() {
	if s.file != nil || cap(s.mem) > keptSize {
		s.drop()
	}
	s.mem, s.size = s.mem[:0], 0
}

// drop frees what it holds. It may be nil.
func (s *spool) drop() {
	if s == nil {
		return
	}
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
		s.file = nil
	}
	s.forget()
}
