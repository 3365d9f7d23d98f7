package doors

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// A cell is what became of a promise at a door.
type cell struct {
	door    string
	promise Promise
	kind    string // one of the kinds
	why     string // it is not "holds"
}

const (
	holds     = "holds"
	ofRow     = "row"       // the door could not break it
	exception = "exception" // it cannot hold
)

// Check checks every promise on every door, and prints the table. By default about one in nth
// documents goes through a door.
func Check(t *testing.T, nth int, all []Door) {
	var table []cell
	for _, d := range all {
		t.Run(d.Name, func(t *testing.T) {
			known(t, d)
			defer leavesNothing(t)()
			for _, c := range checks {
				kind, why := d.kind(c.promise)
				table = append(table, cell{d.Name, c.promise, kind, why})
				if kind == holds {
					t.Run(strings.ReplaceAll(string(c.promise), " ", "-"), func(t *testing.T) {
						if c.promise == LateBase || c.promise == Memory { // of which each takes many megabytes
							soak.Sample(t, 4)
						}
						c.check(&checking{Door: d.complete(), t: t, nth: nth})
					})
				}
			}
		})
	}
	print(t, table)
}

// kind returns what is known of a promise at a door before it is checked.
func (d Door) kind(p Promise) (kind, why string) {
	switch {
	case d.Not[p] != "":
		return exception, d.Not[p]
	case soak.Racing && (p == LateBase || p == Memory):
		return exception, "many megabytes, about which the race detector says nothing more"
	case slices.Contains(d.Row, p):
		return ofRow, "the row itself reads, or writes"
	}
	return holds, ""
}

// leavesNothing returns a function that checks what is left of all that a door has done since:
// goroutines, open files and temporary files.
func leavesNothing(t *testing.T) func() {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	goroutines, files := runtime.NumGoroutine(), openFiles()
	return func() {
		for i := 0; (runtime.NumGoroutine() > goroutines || openFiles() > files) && i < 400; i++ {
			time.Sleep(5 * time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%d goroutines are left after all promises", n-goroutines)
		}
		if n := openFiles(); n > files {
			t.Errorf("%d open files are left after all promises", n-files)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("temporary files are left after all promises: %v, %v", left, err)
		}
	}
}

// known checks that a row names only promises that there are, each in one list.
func known(t *testing.T, d Door) {
	lists := map[Promise]int{}
	for _, p := range slices.Concat(slices.Collect(maps.Keys(d.Not)), d.Row) {
		lists[p]++
	}
	for _, c := range checks {
		if lists[c.promise] > 1 {
			t.Errorf("%q is in Not and in Row, or twice in Row", c.promise)
		}
		delete(lists, c.promise)
	}
	for p := range lists {
		t.Errorf("there is no promise %q", p)
	}
}

// print prints how many promises hold and, with -v, the other cells.
func print(t *testing.T, table []cell) {
	var b strings.Builder
	doors, cells := map[string]bool{}, map[string]int{}
	for _, c := range table {
		doors[c.door] = true
		cells[c.kind]++
		if c.kind != holds && testing.Verbose() {
			fmt.Fprintf(&b, "%-9s %-40s %-12s %s\n", c.kind, c.door, c.promise, c.why)
		}
	}
	t.Logf("%d doors, %d promises: %d cells hold, %d are of the row itself, %d are exceptions\n%s", len(doors), len(checks),
		cells[holds], cells[ofRow], cells[exception], &b)
}

// complete returns d with what its row leaves out.
func (d Door) complete() Door {
	same := func(doc []byte) []byte { return doc }
	if d.Wrap == nil {
		d.Wrap = func(doc []byte, _ bool) []byte { return doc }
	}
	if d.Seen == nil {
		d.Seen = same
	}
	if d.Form == nil {
		d.Form = same
	}
	if d.Takes == nil {
		d.Takes = func([]byte) bool { return true }
	}
	if d.Leads == nil {
		d.Leads = func(out []byte, url string) bool { return bytes.Contains(d.Seen(out), []byte(url)) }
	}
	if d.Used == nil {
		d.Used = testio.Heap
	}
	return d
}

// openFiles returns how many files and sockets this process has open, or 0 where it cannot
// tell.
func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// A checking is one promise being checked at one door.
type checking struct {
	Door
	t        *testing.T // of the subtest, whose name decides the sample
	nth      int        // about one in nth documents is in the sample
	failures int
	usual    rewriter.Rewriter // without options: what failed before it must not show in it
}

// maxFailures is how many failures of one promise are shown.
const maxFailures = 5

func (c *checking) errorf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf(format, args...)
	if c.failures++; c.failures == maxFailures {
		c.t.FailNow()
	}
}

func (c *checking) fatalf(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf(format, args...)
}

// base returns the outer base for a Rewriter.
func (c *checking) base(rw *rewriter.Rewriter) *resolver.Base {
	b, err := rw.ParseBase(Base)
	if err != nil {
		c.fatalf("%v", err)
	}
	return b
}

// documents calls f for each document that the door takes, and for it in its container. By
// default it takes a sample of the documents, another one for each promise at each door.
func (c *checking) documents(f func(doc, in []byte)) {
	docs := Documents()
	if c.Docs != nil {
		docs = c.Docs
	}
	nth := c.nth
	if c.Slow || soak.Racing {
		nth *= 3
	}
	for _, s := range soak.Part(docs, nth, c.t.Name()) {
		if doc := []byte(s); c.Takes(doc) {
			f(doc, c.Wrap(doc, true))
		}
	}
}

// plain returns what comes out in a form that shows whether it is the same.
func (c *checking) plain(out []byte) []byte {
	if c.Coded {
		return c.Seen(out)
	}
	return out
}

// want returns what is to come out of the door for a document.
func (c *checking) want(rw *rewriter.Rewriter, doc []byte) []byte {
	p := &Pass{Ctx: context.Background(), HTML: rw, Src: rewriter.Source{Reader: bytes.NewReader(doc), Charset: c.Charset}, Outer: c.base(rw)}
	if c.Want != nil {
		return c.Form(c.Want(p))
	}
	var out bytes.Buffer
	p.Dst = &out
	c.core(p)
	return c.Form(out.Bytes())
}

// core sends a document through Rewriter.Rewrite.
func (c *checking) core(p *Pass) rewriter.Result {
	result, err := p.HTML.Rewrite(p.Dst, rewriter.Source{Reader: p.Src, Charset: c.Charset, Sheet: c.Docs != nil}, p.Outer)
	if err != nil {
		c.fatalf("Rewriter.Rewrite: %v", err)
	}
	return result
}

// whole returns what comes out where nothing fails.
func (c *checking) whole(rw *rewriter.Rewriter, in []byte) []byte {
	var out bytes.Buffer
	if _, err := c.run(&Pass{HTML: rw, Dst: &out, Src: bytes.NewReader(in), Outer: c.base(rw)}); err != nil {
		c.fatalf("an error where nothing fails: %v", err)
	}
	return out.Bytes()
}

// run sends a document through the door. Where a function of the caller panics, run
// recovers and goes on, as a server does, and panicked says so.
func (c *checking) run(p *Pass) (panicked bool, err error) {
	p.Ctx = cmp.Or(p.Ctx, context.Background())
	p.Pieces = cmp.Or(p.Pieces, 100)
	switch {
	case c.Push != nil:
		return c.push(p)
	case c.Pull != nil:
		return c.pull(p)
	}
	panicked, err = try(func() error { return c.Run(p) })
	if panicked {
		err = errFault // the caller knows
	}
	return panicked, err
}

// try calls f, and recovers from the panic of a test.
func try(f func() error) (panicked bool, err error) {
	defer func() {
		if r := recover(); r == errFault {
			panicked = true
		} else if r != nil {
			panic(r)
		}
	}()
	return false, f()
}

// push hands a document over, and goes on after an error or a panic, as a handler may that
// looks at neither.
func (c *checking) push(p *Pass) (panicked bool, err error) {
	handed := true // all of the document, without a panic
	feed := func(w io.Writer) (err error) {
		b := make([]byte, p.Pieces)
		for {
			n, readErr := p.Src.Read(b)
			broke, writeErr := try(func() error { _, err := w.Write(b[:n]); return err })
			handed = handed && !broke
			err = cmp.Or(err, writeErr)
			if readErr != nil {
				return errors.Join(err, Error("read", notEOF(readErr)))
			}
		}
	}
	panicked, err = try(func() error { return c.Push(p, feed) })
	if panicked && handed { // at the end, where the caller sees the panic
		err = errFault
	}
	return panicked || !handed, err
}

// pull asks for a document, and goes on after a panic.
func (c *checking) pull(p *Pass) (panicked bool, err error) {
	r := c.Pull(p)
	if closer, ok := r.(io.Closer); ok {
		defer closer.Close()
	}
	b := make([]byte, p.Pieces)
	for range 10_000_000 {
		n := 0
		broke, err := try(func() (err error) { n, err = r.Read(b); return err })
		panicked = panicked || broke
		if k, writeErr := p.Dst.Write(b[:n]); writeErr != nil || k < n {
			return panicked, Error("write", cmp.Or(writeErr, io.ErrShortWrite))
		}
		if err != nil {
			if n, again := r.Read(b); n > 0 || again != err {
				return panicked, fmt.Errorf("after %w, %d bytes and %w", err, n, again)
			}
			return panicked, notEOF(err)
		}
	}
	return panicked, errors.New("the door gives nothing, for ever")
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
