package serve

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// pumped reads everything from a pump of src, while the reader is slower or faster.
func pumped(t *testing.T, src io.Reader, ahead bool) ([]byte, error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	p := newPump(nil)
	p.grow()
	done := make(chan struct{})
	go func() { p.run(src); close(done) }()
	if ahead {
		<-done
	}
	got, err := io.ReadAll(p)
	<-done
	p.stop()
	left, _ := os.ReadDir(os.Getenv("TMPDIR"))
	if len(left) > 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
	return got, err
}

// What arrives is read in order, whether it fits in memory or not.
func TestPump(t *testing.T) {
	for _, size := range []int{0, 1, pumpMemory - 1, pumpMemory, pumpMemory + 1, 5 * pumpMemory} {
		want := make([]byte, size)
		rand.NewChaCha8([32]byte{1}).Read(want)
		for _, ahead := range []bool{false, true} {
			got, err := pumped(t, iotest.HalfReader(bytes.NewReader(want)), ahead)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, ahead %v: %d bytes, %v", size, ahead, len(got), err)
			}
		}
	}
}

// A reader that is slower for a while finds the bytes of memory and file in order.
func TestPumpAlternates(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := newPump(nil)
	p.grow()
	defer p.stop()
	random := rand.New(rand.NewPCG(1, 2))
	var in, out byte
	buf := make([]byte, 300<<10)
	for i := range 2000 {
		slow := i/100%2 == 0
		piece := buf[:random.IntN(100<<10)]
		for i := range piece {
			piece[i] = in
			in++
		}
		p.put(piece, nil)
		for !p.empty() && (!slow || random.IntN(5) == 0) {
			n, err := p.Read(buf[:1+random.IntN(len(buf))])
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range buf[:n] {
				if b != out {
					t.Fatal("the bytes are not in order")
				}
				out++
			}
		}
	}
	if p.file == nil || cap(p.memory) > 2*pumpMemory {
		t.Errorf("file %v, %d bytes of memory", p.file, cap(p.memory))
	}
}

// An error comes after all bytes before it, also if no temporary file can be made.
func TestPumpErrors(t *testing.T) {
	broken := errors.New("broken")
	got, err := pumped(t, io.MultiReader(bytes.NewReader(make([]byte, 100)), iotest.ErrReader(broken)), true)
	if len(got) != 100 || !errors.Is(err, broken) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	t.Setenv("TMPDIR", "/nowhere")
	p := newPump(nil)
	ended := p.run(bytes.NewReader(make([]byte, 2*waitMemory)))
	_, err = io.Copy(io.Discard, p)
	for _, err := range []error{ended, err} {
		if problem := problemOf(err); problem.Status != http.StatusInsufficientStorage || strings.Contains(problem.Detail, "nowhere") {
			t.Errorf("without a temporary directory: %v", problem)
		}
	}
}

// Before Read waits, it says so; a pump that is stopped reads no more.
func TestPumpWaits(t *testing.T) {
	waits := 0
	var p *pump
	p = newPump(func() { waits++; p.put([]byte("x"), nil) })
	b := make([]byte, 2)
	if n, err := p.Read(b); n != 1 || err != nil || waits != 1 {
		t.Errorf("%d, %v, %d waits", n, err, waits)
	}
	p.stop()
	if p.put([]byte("y"), nil) == nil {
		t.Error("a stopped pump wants more")
	}
}

// A deadlines records the deadlines for reading that a connection is given.
type deadlines struct {
	http.ResponseWriter
	read []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.read = append(d.read, t)
	return nil
}

// A body that is closed before its end ends by a deadline that has passed, and its connection
// is closed. A body that was read to its end gets no deadline, even where the goroutine that
// read it still goes on: net/http reads the next request by then, and would cancel it.
func TestCloseBody(t *testing.T) {
	for _, end := range []error{io.EOF, nil} {
		d := &deadlines{ResponseWriter: httptest.NewRecorder()}
		x := &Exchange{Request: httptest.NewRequest("POST", "/", nil), writer: d, control: http.NewResponseController(d)}
		b := &body{pump: newPump(nil), ended: make(chan struct{})}
		b.pump.put([]byte("x"), end)
		time.AfterFunc(50*time.Millisecond, func() { close(b.ended) })
		b.close(x)
		closes := d.Header().Get("Connection") == "close"
		if cut := len(d.read) > 0; cut != (end == nil) || closes != cut {
			t.Errorf("ended by %v: deadlines %v, the connection is closed: %v", end, d.read, closes)
		}
	}
}
