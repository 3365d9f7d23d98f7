// Package testio has readers and writers for tests: of long inputs and the memory that
// they take, of pieces and failures; and requests to proxies. The standard library's
// testing/iotest has other readers and writers.
package testio

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
)

// Repeat returns a reader of n bytes: s again and again.
func Repeat(s string, n int) io.Reader { return &repeated{text: s, left: n} }

type repeated struct {
	text string
	at   int // in text
	left int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), r.left)]
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		r.at = (r.at + k) % len(r.text)
		n += k
	}
	r.left -= n
	return n, nil
}

// InPieces returns a reader of src that gives between 1 and 20 bytes at a time. The
// seed decides how many.
func InPieces(src io.Reader, seed uint64) io.Reader {
	return &pieces{src, rand.New(rand.NewPCG(seed, 1))}
}

type pieces struct {
	src  io.Reader
	rand *rand.Rand
}

func (r *pieces) Read(p []byte) (int, error) {
	return r.src.Read(p[:min(len(p), 1+r.rand.IntN(20))])
}

// Heap returns how many bytes of the heap are in use.
func Heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A HeapReader measures memory while it is read: before the first byte, and each
// time that Every more have been read.
type HeapReader struct {
	io.Reader
	Every int64
	Used  func() int64 // what measures; nil is Heap
	N     int64        // how many bytes have been read
	Most  int64        // of what Used returned

	next int64
}

// Read reads from r.Reader.
func (r *HeapReader) Read(p []byte) (int, error) {
	if r.N >= r.next {
		used := Heap
		if r.Used != nil {
			used = r.Used
		}
		r.Most = max(r.Most, used())
		r.next = r.N + r.Every
	}
	n, err := r.Reader.Read(p)
	r.N += int64(n)
	return n, err
}

// A TailWriter counts what is written to it, and keeps the end of that.
type TailWriter struct {
	N    int64
	Tail []byte // the last 200 bytes, or all of fewer
}

// Write never fails.
func (w *TailWriter) Write(p []byte) (int, error) {
	const size = 200
	w.N += int64(len(p))
	w.Tail = append(w.Tail, p[max(0, len(p)-size):]...)
	w.Tail = append(w.Tail[:0], w.Tail[max(0, len(w.Tail)-size):]...)
	return len(p), nil
}

// A FailingWriter takes Limit bytes, and fails with Err at the next. It fails once, and takes
// everything that follows.
type FailingWriter struct {
	Limit int
	Err   error

	failed bool
	taken  bytes.Buffer
}

// Bytes returns what w has taken, also after it has failed.
func (w *FailingWriter) Bytes() []byte { return w.taken.Bytes() }

// Write fails where p is more than w has room for, unless w has failed.
func (w *FailingWriter) Write(p []byte) (int, error) {
	n := len(p)
	if !w.failed {
		n = min(n, w.Limit-w.taken.Len())
		w.failed = n < len(p)
	}
	w.taken.Write(p[:n])
	if n < len(p) {
		return n, w.Err
	}
	return n, nil
}
