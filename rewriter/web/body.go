package web

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// A body is the body of a rewritten response. As in package http, Close may be
// called while a Read waits, and ends that Read.
type body struct {
	stream   *stream
	upstream io.ReadCloser
	end      func(error) // called once, when nothing more will be read

	mu     sync.Mutex // held during a Read
	once   sync.Once  // calls end
	closed atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.read(p)
	if b.closed.Load() {
		b.tidy() // which Close could not do during the Read
	}
	return n, err
}

func (b *body) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.stream.Read(p)
	if err != nil {
		b.once.Do(func() { b.end(err) })
	}
	return n, err
}

// Close closes the body that this body reads.
func (b *body) Close() error {
	err := b.upstream.Close()
	b.closed.Store(true)
	b.tidy()
	return err
}

// tidy ends the stream of a closed body, unless a Read goes on: that Read calls tidy when
// it returns.
func (b *body) tidy() {
	if b.mu.TryLock() {
		defer b.mu.Unlock()
		b.once.Do(func() { b.end(http.ErrBodyReadAfterClose) })
	}
}
