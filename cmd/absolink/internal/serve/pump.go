package serve

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"sync"
)

// A pump reads a body ahead of its reader. What is read ahead is held in memory up to
// waitMemory, or pumpMemory after grow, and beyond that in a temporary file.
//
// Invariant: the bytes in memory come before the bytes in the file. While the file has
// bytes that nobody has read, all that arrives goes into the file.
type pump struct {
	wait func() // called before Read waits; may be nil

	mu       sync.Mutex
	arrived  sync.Cond // signalled when there is more to read
	most     int       // how many bytes memory may have
	memory   []byte    // from read on
	read     int       // of memory
	file     *os.File  // nil until memory is full
	from, to int64     // what of the file is to be read
	err      error     // of reading or holding the body; io.EOF at its end
	stopped  bool
}

const (
	waitMemory = 64 << 10 // of a body that waits until it is worked on
	pumpMemory = 1 << 20
	pumpPiece  = 32 << 10
	firstPiece = 4 << 10
)

// newPump returns a pump, which has read nothing.
func newPump(wait func()) *pump {
	p := &pump{wait: wait, most: waitMemory}
	p.arrived.L = &p.mu
	return p
}

// grow lets the pump have pumpMemory.
func (p *pump) grow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = pumpMemory
}

// run reads the body to its end, and returns the error that ended it. It also returns
// after stop, when the Read that goes on has ended.
func (p *pump) run(body io.Reader) error {
	piece := make([]byte, pumpPiece)
	for {
		n, err := body.Read(piece)
		if err := p.put(piece[:n], err); err != nil {
			return err
		}
	}
}

// step reads the first bytes of the body. Its error is what ended the body, if it has.
func (p *pump) step(body io.Reader) error {
	piece := make([]byte, firstPiece)
	n, err := body.Read(piece)
	for n == 0 && err == nil {
		n, err = body.Read(piece)
	}
	return p.put(piece[:n], err)
}

// errStopped is why a pump that is stopped reads no more.
var errStopped = errors.New("nothing more is read")

// put holds what has arrived, and err if it has ended the body. It returns the error after
// which nothing more is wanted: err, or that b cannot be held.
func (p *pump) put(b []byte, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.arrived.Signal()
	if p.stopped {
		err = cmp.Or(err, errStopped)
	} else if len(b) > 0 {
		if held := p.hold(b); held != nil {
			err = held
		}
	}
	p.err = err
	return err
}

// hold appends b to what is held. Its error is a Problem.
func (p *pump) hold(b []byte) (err error) {
	if p.from == p.to && len(p.memory)-p.read+len(b) <= p.most {
		if len(p.memory)+len(b) > p.most {
			p.memory = p.memory[:copy(p.memory, p.memory[p.read:])]
			p.read = 0
		}
		p.memory = append(p.memory, b...)
		return nil
	}
	if p.file == nil {
		if p.file, err = os.CreateTemp("", ".absolink-*"); err != nil {
			return errHeld(err)
		}
		os.Remove(p.file.Name()) // where an open file cannot be removed, stop does it
	}
	if p.from == p.to {
		p.from, p.to = 0, 0
	}
	n, err := p.file.WriteAt(b, p.to)
	p.to += int64(n)
	if err != nil {
		return errHeld(err)
	}
	return nil
}

// errHeld is the problem with a body that the temporary file cannot take or give back. The
// client is not told where the file is.
func errHeld(err error) *Problem {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return Problemf(http.StatusInsufficientStorage, "the server has no room to hold the body: %v", err)
}

// Read reads what has arrived, and waits if there is nothing.
func (p *pump) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.empty() && p.err == nil && p.wait != nil {
		p.mu.Unlock()
		p.wait()
		p.mu.Lock()
	}
	for p.empty() && p.err == nil {
		p.arrived.Wait()
	}
	switch {
	case p.read < len(p.memory):
		n := copy(b, p.memory[p.read:])
		if p.read += n; p.read == len(p.memory) {
			p.memory, p.read = p.memory[:0], 0
		}
		return n, nil
	case p.from < p.to:
		n, err := p.file.ReadAt(b[:min(int64(len(b)), p.to-p.from)], p.from)
		p.from += int64(n)
		if err != nil {
			return n, errHeld(err)
		}
		return n, nil
	}
	return 0, p.err
}

func (p *pump) empty() bool { return p.read == len(p.memory) && p.from == p.to }

// stop drops what is held. Nothing is read any more. It reports whether the body has been read
// to its end. After that, net/http reads the next request: a deadline that has passed would
// end all requests of the connection.
func (p *pump) stop() (whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped, p.memory = true, nil
	if p.file != nil {
		p.file.Close()
		os.Remove(p.file.Name())
		p.file = nil
	}
	return p.err == io.EOF
}
