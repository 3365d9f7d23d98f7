package web

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// A body is the body of a rewritten response. Close may be called while Read waits
// and ends that, as it does in package http.
type body struct {
	stream   *stream
	upstream io.ReadCloser
	end      func(error) // is called once, when nothing more is read

	mu     sync.Mutex // is held while a Read goes on
	ended  bool
	closed atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.read(p)
	if b.closed.Load() {
		b.tidy() // Close could not
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
	if err != nil && !b.ended {
		b.ended = true
		b.end(err)
	}
	return n, err
}

// Close closes the body that this one comes from.
func (b *body) Close() error {
	err := b.upstream.Close()
	b.closed.Store(true)
	b.tidy()
	return err
}

// tidy ends the stream of a body that is closed, if no Read is about to.
func (b *body) tidy() {
	if !b.mu.TryLock() {
		return
	}
	defer b.mu.Unlock()
	if !b.ended {
		b.ended = true
		b.end(http.ErrBodyReadAfterClose)
	}
}
