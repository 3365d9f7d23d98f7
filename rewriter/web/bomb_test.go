package web

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"absolink/internal/coding"
	"absolink/internal/test/soak"
	"absolink/rewriter"
)

// A body of a megabyte that decodes to a gigabyte takes as much memory as any other
// body, whatever in it may have to wait for a base.
func TestBomb(t *testing.T) {
	soak.Only(t)
	if soak.Racing {
		t.Skip("takes minutes with the race detector")
	}
	const (
		megabyte = 1 << 20
		gigabyte = 1 << 30
		part     = 64 * megabyte
	)
	chunk := strings.Repeat(" ", megabyte)
	for _, row := range []struct {
		name, start string
		parts       int
		bound       uint64 // of the heap, beyond what it was before
	}{
		{"gzip", "<body>", gigabyte / part, 16 * megabyte},
		{"zstd", "<body>", gigabyte / part, 48 * megabyte},
		{"br", "<body>", 2, 64 * megabyte}, // is one stream, and slower
		{"gzip", "<a href=x", 4, 64 * megabyte},
		{"gzip", "<a href='", 4, 64 * megabyte},
		{"gzip", "<link href=x>", 2, 128 * megabyte},
	} {
		var body bytes.Buffer
		body.Write(encode(t, row.name, row.start))
		if row.name == "br" {
			body.Reset()
			enc := coding.NewWriter(&body, codingsNamed(t, row.name))
			io.WriteString(enc, row.start)
			for range row.parts * part / megabyte {
				io.WriteString(enc, chunk)
			}
			enc.Close()
		} else {
			var one bytes.Buffer
			enc := coding.NewWriter(&one, codingsNamed(t, row.name))
			for range part / megabyte {
				io.WriteString(enc, chunk)
			}
			enc.Close()
			body.Write(bytes.Repeat(one.Bytes(), row.parts))
		}
		if body.Len() > 3*megabyte/2 {
			t.Fatalf("%s: the bomb has %d bytes", row.name, body.Len())
		}
		var result rewriter.Result
		resp := (&Rewriter{URL: at(t, "http://h/"), End: func(_ *http.Request, d *rewriter.Document, err error) {
			if result = d.Result; err != nil {
				t.Error(err)
			}
		}}).Response(htmlIn(row.name, &body))
		heap := func() uint64 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		runtime.GC()
		before, peak, n, reads := heap(), uint64(0), int64(0), 0
		buf := make([]byte, 4096)
		for {
			k, err := resp.Body.Read(buf)
			n += int64(k)
			if reads++; reads%64 == 0 {
				peak = max(peak, heap())
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if peak > before+row.bound {
			t.Errorf("%s %q: %d MiB of heap", row.name, row.start, (peak-before)/megabyte)
		}
		if n > 16*megabyte {
			t.Errorf("%s %q: %d bytes come of it", row.name, row.start, n)
		}
		t.Logf("%s %q: %d bytes, %d MiB of heap, %+v", row.name, row.start, n, (max(peak, before)-before)/megabyte, result.Warnings)
	}
}
