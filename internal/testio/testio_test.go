package testio

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReaders(t *testing.T) {
	const want = "abcabcab"
	if err := iotest.TestReader(Repeat("abc", len(want)), []byte(want)); err != nil {
		t.Error(err)
	}
	if err := iotest.TestReader(InPieces(strings.NewReader(want), 1), []byte(want)); err != nil {
		t.Error(err)
	}
	r := &HeapReader{Reader: Repeat("x", 3<<20), Every: 1 << 20}
	if n, err := io.Copy(io.Discard, r); n != 3<<20 || err != nil || r.N != n || r.Most == 0 || r.next != 4<<20 {
		t.Errorf("%d bytes, %v, %+v", n, err, r)
	}
}

func TestWriters(t *testing.T) {
	tail := &TailWriter{}
	for _, part := range []string{"gone", strings.Repeat("x", 190), "the end 10"} {
		io.WriteString(tail, part)
	}
	if tail.N != 204 || string(tail.Tail) != strings.Repeat("x", 190)+"the end 10" {
		t.Errorf("%d bytes, the last are %q", tail.N, tail.Tail)
	}
	failing := &FailingWriter{Limit: 5, Err: errors.New("full")}
	for _, tt := range []struct {
		in   string
		n    int
		fail bool
	}{{"abc", 3, false}, {"def", 2, true}, {"g", 0, true}} {
		if n, err := failing.Write([]byte(tt.in)); n != tt.n || (err != nil) != tt.fail {
			t.Errorf("%s: %d bytes written, %v", tt.in, n, err)
		}
	}
	if failing.String() != "abcde" {
		t.Errorf("%q", failing.String())
	}
}
