package testio

import (
	"errors"
	"io"
	"testing"
)

func TestHeapReader(t *testing.T) {
	r := &HeapReader{Reader: Repeat("x", 3<<20), Every: 1 << 20}
	if n, err := io.Copy(io.Discard, r); n != 3<<20 || err != nil || r.N != n || r.Most == 0 || r.next != 4<<20 {
		t.Errorf("%d bytes, %v, %+v", n, err, r)
	}
}

func TestFailingWriter(t *testing.T) {
	failing := &FailingWriter{Limit: 5, Err: errors.New("full")}
	for _, tt := range []struct {
		in   string
		n    int
		fail bool
	}{{"abc", 3, false}, {"def", 2, true}, {"gh", 2, false}} {
		if n, err := failing.Write([]byte(tt.in)); n != tt.n || (err != nil) != tt.fail {
			t.Errorf("%s: %d bytes written, %v", tt.in, n, err)
		}
	}
	if got := string(failing.Bytes()); got != "abcdegh" {
		t.Errorf("%q", got)
	}
}

// failures counts the calls of Fatalf.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()               {}
func (f *failures) Fatalf(string, ...any) { f.count++; panic(f) }

func TestCheckStructure(t *testing.T) {
	for _, row := range []struct {
		before, after string
		ok            bool
	}{
		{"", "", true},
		{`<a href="x y">`, `<a href="http://h/x y">`, true},
		{`<a href="x y">`, `<a href="http://h/x%20y">`, true},
		{`<a href=x>`, `<a href="x">`, false},
		{`<a href="x">`, `<a href=x>`, false},
		{`<a href="x">`, `<a href='x'>`, false},
		{`<a href="x">`, `<a href="x y">`, false},
		{`<a b c>`, `<a bc>`, true},
		{`<a b> <c>`, `<a b ><c>`, false},
		{"<a\tb>", "<a b>", false},
		{"a`b", "ab", false},
		{"x", "x>", false},
	} {
		f := &failures{TB: t}
		func() {
			defer func() { recover() }()
			CheckStructure(f, []byte(row.before), []byte(row.after))
		}()
		if (f.count == 0) != row.ok {
			t.Errorf("%q to %q: %d failures", row.before, row.after, f.count)
		}
	}
}
