//go:build !wasip1

package console

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"absolink/internal/listing"
)

// Patience is how long a run may take before it shows on a terminal how far it is. Tests set it.
var Patience = 2 * time.Second

// A line is the last line of a terminal, which shows how far a run is. It is shown when
// patience is over; messages stand above it.
type line struct {
	*mpb.Progress
	ui       *UI
	terminal io.Writer
	stdout   io.Writer // of ui, before the line
	bar      *mpb.Bar
	timer    *time.Timer

	mu       sync.Mutex
	show     chan struct{}
	messages io.Writer // the terminal, and the Progress while the line is shown
}

// shownLine is the line of the run.
var shownLine atomic.Pointer[line]

// startLine returns a line on standard error, which is a terminal. It shows what text returns
// at that moment, when patience is over. Messages go above the line.
func startLine(ui *UI, text func() string) *line {
	l := &line{ui: ui, terminal: ui.Stderr, stdout: ui.Stdout, messages: ui.Stderr, show: make(chan struct{})}
	l.Progress = mpb.New(mpb.WithOutput(ui.Stderr), mpb.WithWidth(80), mpb.WithRefreshRate(100*time.Millisecond), mpb.WithRenderDelay(l.show))
	l.bar = l.Progress.MustAdd(0, nil, mpb.BarRemoveOnComplete(), mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return text() })))
	ui.Stderr = l
	l.timer = time.AfterFunc(Patience, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		close(l.show)
		l.messages = l.Progress
	})
	shownLine.Store(l)
	return l
}

// Write writes messages, which are whole lines.
func (l *line) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.messages.Write(b)
}

// EndLine removes the line of the run, if there is one.
func EndLine() {
	if l := shownLine.Load(); l != nil {
		l.end()
	}
}

func (l *line) end() {
	shownLine.Store(nil)
	l.timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bar.Abort(true)
	l.Progress.Wait()
	l.messages = l.terminal
	l.ui.Stdout, l.ui.Stderr = l.stdout, l.terminal
}

// Terminal returns the terminal that a reader or writer is; nil if it is something else.
func Terminal(stream any) *os.File {
	if f, ok := stream.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// isSame reports whether two files are the same, such as one terminal.
func isSame(a, b *os.File) bool {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// A Progress is how far a run is. All methods may be called on nil, which is the
// progress of a run that shows none.
type Progress struct {
	all, files  int64 // files
	size, bytes int64 // read
	name        string
}

// StartProgress shows on a terminal how far a run over n FILEs is, unless it writes documents
// to the same terminal. first is the FILE that begins the run. end is called after the run.
func StartProgress(ui *UI, n int, first string, writes bool) (end func()) {
	stderr, stdout := Terminal(ui.Stderr), Terminal(ui.Stdout)
	same := stderr != nil && stdout != nil && isSame(stderr, stdout)
	if ui.Quiet || stderr == nil || writes && same {
		return func() {}
	}
	p := &Progress{all: int64(n), name: listing.Visible(listing.Shortened(InputName(first), 40))}
	if info, err := os.Stat(first); err == nil && info.Mode().IsRegular() {
		p.size = info.Size()
	}
	ui.Progress = p
	l := startLine(ui, p.String)
	if same {
		ui.Stdout = l
	}
	return l.end
}

// String returns what the line shows.
func (p *Progress) String() string {
	bytes := amount(atomic.LoadInt64(&p.bytes))
	switch {
	case p.all > 1:
		return fmt.Sprintf("%d of %d files, %s read", atomic.LoadInt64(&p.files), p.all, bytes)
	case p.size > 0:
		return fmt.Sprintf("%s: %s of %s read", p.name, bytes, amount(p.size))
	}
	return fmt.Sprintf("%s: %s read", p.name, bytes)
}

// amount returns a number of bytes for people.
func amount(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("% .1f", decor.SizeB1024(n))
}

// Add counts files that are done.
func (p *Progress) Add(files int) {
	if p != nil {
		atomic.AddInt64(&p.files, int64(files))
	}
}

// Reading returns a reader of what r reads, and counts that.
func (p *Progress) Reading(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return &countingReader{Reader: r, Progress: p}
}

// A countingReader counts a byte that is read again once: what it has counted is where it
// is.
type countingReader struct {
	io.Reader
	*Progress
	at int64
}

func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.move(r.at + int64(n))
	return n, err
}

// Seek implements io.Seeker, if the reader does: some readers of archives and messages read
// more of these from a file than from a stream.
func (r *countingReader) Seek(offset int64, whence int) (int64, error) {
	s, ok := r.Reader.(io.Seeker)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	at, err := s.Seek(offset, whence)
	if err == nil {
		r.move(at)
	}
	return at, err
}

func (r *countingReader) move(to int64) {
	atomic.AddInt64(&r.bytes, to-r.at)
	r.at = to
}

// ReadingAt is Reading for a file. A byte that is read again is counted once.
func (p *Progress) ReadingAt(r io.ReaderAt) io.ReaderAt {
	if p == nil {
		return r
	}
	return &countingReaderAt{ReaderAt: r, Progress: p}
}

type countingReaderAt struct {
	io.ReaderAt
	*Progress
	end atomic.Int64 // of what was read
}

func (r *countingReaderAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, offset)
	for end := r.end.Load(); offset+int64(n) > end; end = r.end.Load() {
		if r.end.CompareAndSwap(end, offset+int64(n)) {
			atomic.AddInt64(&r.bytes, offset+int64(n)-end)
		}
	}
	return n, err
}
