//go:build unix

package tree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter"
)

// A rewriting is a Rewriting of the caller.
type rewriting func()

func (f rewriting) Rewrite(dst io.Writer, src io.Reader, _ *resolver.Base) (rewriter.Result, error) {
	f()
	if dst == nil {
		dst = io.Discard
	}
	_, err := io.Copy(dst, src)
	return rewriter.Result{Rewritten: 1}, err
}

// functions has the names of all functions of a caller.
var functions = []string{"Begin", "Visit", "Unresolvable", "End", "Other", "Rewriting", "Missing", "MissingAnchor", "Warn", "Failed", "Done"}

// concurrent has those that several goroutines may call at once.
var concurrent = map[string]bool{"Other": true, "Rewriting": true}

// calling returns a Rewriter with all functions of a caller. Each calls call.
func calling(t *testing.T, jobs int, call func(name string)) *Rewriter {
	return &Rewriter{
		URL: base(t, "http://h/", resolver.WHATWG), Jobs: jobs,
		HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG, MaxTag: 50})).With(rewriter.Hooks{
			Visit: func(p *rewriter.Place) error {
				call("Visit")
				if p.Ref == "bad" {
					return errors.New("this one is not wanted")
				}
				return nil
			},
			Unresolvable: func(*rewriter.Place) { call("Unresolvable") },
			Begin:        func(*rewriter.Document) { call("Begin") },
			End:          func(*rewriter.Document) { call("End") },
			Warn:         func(int64, error) { call("Warn") },
		}),
		Other: func(_ []byte, name string, html *rewriter.Rewriter) Rewriting {
			call("Other")
			if filepath.Ext(name) != ".feed" {
				return nil
			}
			return rewriting(func() { call("Rewriting") })
		},
		Missing:       func(*rewriter.Place) { call("Missing") },
		MissingAnchor: func(*rewriter.Place) { call("MissingAnchor") },
		Failed:        func(*Error) { call("Failed") },
		Done:          func(File) { call("Done") },
	}
}

// callingTree writes a tree in which all functions are called, several times each.
func callingTree(t *testing.T) string {
	files := map[string]string{}
	for i := range 4 {
		dir := fmt.Sprint(i%3, "/", i)
		files[dir+"/fine.html"] = "<a href=x>"
		files[dir+"/a.html"] = `<a href="//["><a href=fine.html><a href=none.html><a href="fine.html#none"><a href='` + fmt.Sprintf("%0100d", i) + `'>`
		files[dir+"/bad.html"] = "<a href=x><a href=bad>"
		files[dir+"/some.feed"] = "<rss><link>x</link>"
		files[dir+"/other.txt"] = "text"
	}
	src := put(t, files)
	for i := range 3 {
		link(t, src, map[string]string{fmt.Sprint(i, "/link"): "../../../outside"})
	}
	return src
}

// openFiles returns how many files this process has open.
func openFiles(t *testing.T) int {
	fds, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}

// TestPanic: a function that panics, or ends its goroutine, does so in the goroutine that
// called the method. Nothing of the run is left, every file is whole or absent, and the
// Rewriter can be used again.
func TestPanic(t *testing.T) {
	clean := map[target]map[string]string{}
	for _, to := range []target{toDestination, inPlace, nowhere} {
		src, dst := callingTree(t), t.TempDir()
		do(t, calling(t, 0, func(string) {}), dst, src, to)
		clean[to] = get(t, map[bool]string{true: dst, false: src}[to == toDestination])
	}
	fault := errors.New("a fault of the caller")
	for _, name := range functions {
		for to, want := range clean {
			for _, jobs := range []int{1, 4} {
				for how, fail := range map[string]func(){"panic": func() { panic(fault) }, "Goexit": runtime.Goexit} {
					t.Run(fmt.Sprintf("%s/%d/%d/%s", name, to, jobs, how), func(t *testing.T) {
						soak.Sample(t, 4)
						testPanic(t, name, to, jobs, fail, map[string]any{"panic": fault}[how], want)
					})
				}
			}
		}
	}
}

func testPanic(t *testing.T, name string, to target, jobs int, fail func(), value any, want map[string]string) {
	src, dst := callingTree(t), t.TempDir()
	before, goroutines, files := get(t, src), runtime.NumGoroutine(), openFiles(t)
	var failed, recovered atomic.Bool
	r := calling(t, jobs, func(called string) {
		switch {
		case recovered.Load():
		case called == name && (!failed.Swap(true) || concurrent[name]):
			fail()
		case failed.Load() && !concurrent[name] && !concurrent[called]:
			t.Errorf("%s is called afterwards", called)
		}
	})
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() {
			if got := recover(); got != value {
				t.Errorf("panic: %v", got)
			}
		}()
		result, err := r.run(t.Context(), dst, src, to)
		t.Errorf("it returns %+v, %v", result, err)
	}()
	<-ended
	for runtime.NumGoroutine() > goroutines { // the time limit of the test shows those that stay
		time.Sleep(time.Millisecond)
	}
	if n := openFiles(t); n != files {
		t.Errorf("%d files are open, %d before", n, files)
	}
	written := dst
	if to != toDestination {
		written = src
	}
	for file, content := range get(t, written) {
		whole, ok := want[file]
		if !ok || content != whole && (to == toDestination || content != before[file]) {
			t.Errorf("there is %q: %q", file, content)
		}
	}
	recovered.Store(true)
	do(t, r, dst, src, to)
	compare(t, get(t, written), want)
}

// TestPanicThroughOther: a panic of a function passes through the Rewriting that has called it.
func TestPanicThroughOther(t *testing.T) {
	fault := errors.New("a fault of the caller")
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(*rewriter.Place) error { panic(fault) }})}
	r.Other = func(_ []byte, _ string, html *rewriter.Rewriter) Rewriting {
		return rewriting(func() {
			html.Rewrite(io.Discard, strings.NewReader("<a href=x>"), r.URL)
			t.Error("Rewrite returns")
		})
	}
	defer func() {
		if got := recover(); got != fault {
			t.Error(got)
		}
	}()
	result, err := r.Look(t.Context(), put(t, map[string]string{"x.feed": ""}))
	t.Errorf("it returns %+v, %v", result, err)
}
