package serve

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// What is known of a body before it is worked on: how long it is, and what it begins with. All
// of it is read in order, whether it fits in memory or not, and no file is left.
func TestBody(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	random := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{1}).Read(random)
	type known struct{ start, length int64 }
	var got known
	s := &Server{Jobs: 1, Memory: 1}
	server := startServer(t, s, echo)
	s.Handle("POST /known", func(x *Exchange) int64 {
		if !bytes.HasPrefix(random, x.Start()) {
			t.Errorf("of %d bytes, the first %d are others", x.Length(), len(x.Start()))
		}
		got = known{int64(len(x.Start())), x.Length()}
		return 0
	}, echo)
	const waits = 64<<10 + 1
	for _, test := range []struct {
		length    int64
		hasLength bool
		want      int64 // in memory
	}{
		{0, true, 0}, {1, true, 1}, {128 << 10, true, 128 << 10}, {128<<10 + 1, true, waits}, {3 << 20, true, waits},
		{0, false, 0}, {1, false, 1}, {64 << 10, false, 64 << 10}, {64<<10 + 1, false, waits}, {3 << 20, false, waits},
	} {
		r, _ := http.NewRequest("POST", server.URL+"/known", iotest.HalfReader(bytes.NewReader(random[:test.length])))
		r.ContentLength = -1
		if test.hasLength {
			r.ContentLength = test.length
		}
		resp, b := sendRequest(t, r)
		if b != string(random[:test.length]) || got != (known{test.want, test.length}) {
			t.Errorf("%+v: %+v, %s, %d bytes", test, got, resp.Status, len(b))
		}
	}
	server.Close() // when the last request is done
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
}

// How long a body in a content coding is, is not known.
func TestCodedLength(t *testing.T) {
	var length int64
	s := new(Server)
	server := startServer(t, s, echo)
	s.Handle("POST /known", func(x *Exchange) int64 { length = x.Length(); return 0 }, echo)
	send(t, "POST", server.URL+"/known", strings.NewReader("\x1f\x8b\x08"), "Content-Encoding", "gzip")
	if length != -1 {
		t.Error(length)
	}
}
