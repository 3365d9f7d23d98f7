package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter"
)

// A fault is a function of a caller that fails when it has been called so many times.
type fault struct {
	name string
	left atomic.Int64
	fail func()
}

func (f *fault) call(name string) {
	if name == f.name && f.left.Add(-1) == 0 {
		f.fail()
	}
}

// rewriter returns a Rewriter with all functions of a caller. The same archive gives the
// same bytes.
func (f *fault) rewriter(dir string, jobs int) *Rewriter {
	return &Rewriter{
		HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG})).With(rewriter.Hooks{
			Visit:        func(*rewriter.Place) error { f.call("Visit"); return nil },
			Unresolvable: func(*rewriter.Place) { f.call("Unresolvable") },
			Begin:        func(*rewriter.Document) { f.call("Begin") },
			End:          func(*rewriter.Document) { f.call("End") },
			Warn:         func(int64, error) { f.call("Warn") },
		}),
		Pages: func(*Page) bool { f.call("Pages"); return true },
		Jobs:  jobs, TempDir: dir, Seed: "seed",
	}
}

// A faultySource and a faultyWriter are those of a caller.
type faultySource struct {
	source
	*fault
}

func (s faultySource) Read(p []byte) (int, error) {
	s.call("src")
	return s.source.Read(p)
}

func (s faultySource) ReadAt(p []byte, off int64) (int, error) {
	s.call("src")
	return s.source.ReadAt(p, off)
}

type faultyWriter struct {
	bytes.Buffer
	*fault
}

func (w *faultyWriter) Write(p []byte) (int, error) {
	w.call("dst")
	return w.Buffer.Write(p)
}

// openFiles returns how many files this process has open, where the system says so.
func openFiles() int {
	fds, _ := os.ReadDir("/dev/fd")
	return len(fds)
}

// A function that panics, or ends its goroutine, does so in the goroutine that called the
// method. Nothing of the run is left, what was written is a prefix of the whole, and the
// Rewriter can be used again.
func TestPanic(t *testing.T) {
	for mode, row := range map[string]struct {
		compress func(string) string
		shared   int // records in a compressed part
		do       func(r *Rewriter, dst io.Writer, src source, call func(string)) (Summary, error)
	}{
		"Convert":                 {gz, 1, convertAll},
		"Convert of frames":       {zst, 1, convertAll},
		"Replace":                 {gz, 1, replaceIn},
		"Replace of shared parts": {gz, 2, replaceIn},
		"Replace anew":            {plain, 1, replaceIn},
		"List": {gz, 1, func(r *Rewriter, dst io.Writer, src source, call func(string)) (Summary, error) {
			return r.List(context.Background(), dst, src, func(b []byte, page *Page, p *rewriter.Place) []byte {
				call("line")
				return appendPlace(b, page, p)
			})
		}},
	} {
		for _, name := range []string{"Begin", "Visit", "Unresolvable", "End", "Pages", "Warn", "line", "src", "dst"} {
			if name == "line" && mode != "List" {
				continue
			}
			for _, jobs := range []int{1, 4} {
				for how, value := range map[string]error{"panic": errors.New("a fault of the caller"), "Goexit": nil} {
					t.Run(fmt.Sprintf("%s/%s/%d/%s", mode, name, jobs, how), func(t *testing.T) {
						soak.Sample(t, 4)
						archive := faultyPages(row.compress, row.shared, jobs > 1 && value != nil)
						testPanic(t, name, jobs, value, func(r *Rewriter, f *fault, dst io.Writer) error {
							_, err := row.do(r, dst, faultySource{strings.NewReader(archive), f}, f.call)
							return err
						})
					})
				}
			}
		}
	}
}

func convertAll(r *Rewriter, dst io.Writer, src source, _ func(string)) (Summary, error) {
	return r.Convert(context.Background(), dst, src)
}

func replaceIn(r *Rewriter, dst io.Writer, src source, _ func(string)) (Summary, error) {
	return r.Replace(context.Background(), dst, src)
}

// faultyPages returns an archive of pages on which every function is called. It is longer
// than what is read at once. One page may be so long that it waits in a file.
func faultyPages(compress func(string) string, shared int, long bool) (archive string) {
	part := ""
	for i := range 12 {
		url := fmt.Sprintf("http://h/%d", i)
		if i%2 == 0 {
			url = "" // Warn is told
		}
		text := make([]byte, 20<<10)
		for i := range text {
			text[i] = "0123456789abcdef"[rand.N(16)]
		}
		if long && i == 5 {
			text = append(text, make([]byte, spillSize)...)
		}
		part += record("response", url, response(`<base href="//["><a href=//h/x>`+string(text)))
		if (i+1)%shared == 0 {
			archive += compress(part)
			part = ""
		}
	}
	return archive
}

// testPanic tests a function that panics with value, or calls runtime.Goexit if that is nil.
func testPanic(t *testing.T, name string, jobs int, value error, do func(*Rewriter, *fault, io.Writer) error) {
	dir := t.TempDir()
	f := &fault{name: name, fail: func() {
		if value == nil {
			runtime.Goexit()
		}
		panic(value)
	}}
	r := f.rewriter(dir, jobs)
	goroutines, files := runtime.NumGoroutine(), openFiles()
	whole, part := &faultyWriter{fault: f}, &faultyWriter{fault: f}
	if err := do(r, f, whole); err != nil {
		t.Fatal(err)
	}
	calls := -f.left.Load()
	for _, nth := range []int64{1, calls/2 + 1} {
		part.Reset()
		f.left.Store(nth)
		ended := make(chan bool)
		go func() {
			defer close(ended)
			defer func() {
				if got, _ := recover().(error); got != value {
					t.Errorf("panic: %v", got)
				}
			}()
			t.Errorf("it returns %v", do(r, f, part))
		}()
		<-ended
		for runtime.NumGoroutine() > goroutines { // the time limit of the test shows those that stay
			time.Sleep(time.Millisecond)
		}
		testEmpty(t, dir)
		if n := openFiles(); n != files {
			t.Errorf("%d files are open, %d before", n, files)
		}
		if !strings.HasPrefix(whole.String(), part.String()) || part.Len() == whole.Len() {
			t.Errorf("%d bytes are written, and not a part of %d", part.Len(), whole.Len())
		}
	}
	part.Reset()
	if err := do(r, f, part); err != nil || part.String() != whole.String() {
		t.Errorf("afterwards: %v, %d bytes, not %d", err, part.Len(), whole.Len())
	}
}
