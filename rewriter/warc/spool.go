package warc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"sync"
)

const (
	spillSize  = 2 << 20       // a spool of more bytes is a file
	keptSize   = 1 << 20       // how much memory a worker keeps from one page to the next
	memorySize = 3 * spillSize // of all spools of a run
	workerSize = spillSize     // added to memorySize for each worker; keptSize is part of it
)

// A memory counts, and bounds, the bytes that the spools of a run hold.
type memory struct {
	dir  string // of temporary files
	mu   sync.Mutex
	free int
	wake chan struct{}
	pool [32]sync.Pool // of *[]byte; pool[n] has those with a capacity of 1<<n
}

func newMemory(dir string, workers int) *memory {
	return &memory{dir: dir, free: memorySize + workers*workerSize, wake: make(chan struct{}, 1)}
}

// try takes n bytes if so many are free.
func (m *memory) try(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > m.free {
		return false
	}
	m.free -= n
	return true
}

// wait waits until n bytes are free, and takes them. Only one goroutine of a run may
// wait, and only for what the others will give back.
func (m *memory) wait(ctx context.Context, n int) error {
	for !m.try(n) {
		select {
		case <-m.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
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

// bytes returns an empty slice. Its capacity is a power of two and at least n.
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

// A spool holds bytes: in memory, or, where they are too many, in a temporary file.
type spool struct {
	memory *memory
	mem    []byte
	file   *os.File // nil while the bytes are in mem
	size   int64
	limit  int64 // how many bytes Write takes; 0 is any number
}

const minSpool = 4 << 10

// grown returns how much memory a spool takes for n bytes.
func grown(n int) int { return 1 << bits.Len(uint(max(n, minSpool)-1)) }

// newSpool waits for the memory for n bytes, and returns a spool that has it.
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

// makeRoom makes room for n bytes in all, which are more than there is room for, if the
// memory is free.
func (s *spool) makeRoom(n int64) bool {
	if n > spillSize || !s.memory.try(grown(int(n))-cap(s.mem)) {
		return false
	}
	old := s.mem
	s.mem = append(s.memory.bytes(grown(int(n))), old...)
	s.memory.recycle(old)
	return true
}

func (s *spool) Write(p []byte) (int, error) {
	if s.limit > 0 && int64(len(p)) > s.limit-s.size {
		return 0, tooLong(s.limit)
	}
	s.size += int64(len(p))
	if s.file == nil && s.size > int64(cap(s.mem)) && !s.makeRoom(s.size) {
		if err := s.spill(); err != nil {
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

// spill moves what the spool holds to a file.
func (s *spool) spill() error {
	f, err := os.CreateTemp(s.memory.dir, ".absolink-*")
	if err != nil {
		return s.failed(err)
	}
	os.Remove(f.Name()) // where an open file cannot be removed, drop does it
	s.file = f
	_, err = f.Write(s.mem)
	s.forget()
	return s.failed(err)
}

// failed names the directory in an error of the temporary file. The name of the
// file would be of no use to anybody.
func (s *spool) failed(err error) error {
	var e *fs.PathError
	if !errors.As(err, &e) {
		return err
	}
	return &fs.PathError{Op: "write a temporary file there", Path: cmp.Or(s.memory.dir, os.TempDir()), Err: e.Err}
}

// forget gives the memory back.
func (s *spool) forget() {
	s.memory.give(cap(s.mem))
	s.memory.recycle(s.mem)
	s.mem = nil
}

// readFrom reads n bytes of r into the spool, which has room for them.
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

// reader returns a reader of everything in the spool.
func (s *spool) reader() io.Reader { return s.from(0) }

// from returns a reader of what is in the spool from an offset on: a *bytes.Reader where that
// is in memory.
func (s *spool) from(offset int64) io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.mem[offset:])
	}
	return io.NewSectionReader(s.file, offset, s.size-offset)
}

// reset empties the spool. It keeps up to keptSize bytes of memory.
func (s *spool) reset() {
	if s.file != nil || cap(s.mem) > keptSize {
		s.drop()
	}
	s.mem, s.size = s.mem[:0], 0
}

// drop frees what the spool holds. The spool may be nil.
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
