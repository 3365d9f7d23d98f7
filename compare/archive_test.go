//go:build compare

package compare

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// Archive returns a WARC archive with n copies of each page, as crawlers write it:
// each record is a gzip member of its own, compressed at the default level.
func Archive(pages []Page, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		for _, p := range pages {
			block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", p.Type, len(p.HTML), p.HTML)
			z := gzip.NewWriter(&b)
			fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:%08d-0000-4000-8000-%012d>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
				p.URL, i, i, len(block), block)
			z.Close()
		}
	}
	return b.Bytes()
}

// BenchmarkArchive compares absolink, on an archive of real pages, with the least work
// that the same task needs, on the same cores. For list that is decompression. For
// conversion it is decompression and compression, by the same library and in as many
// goroutines, with and without the digests of records. They run in turns, and the
// ratios are those of the fastest turns.
func BenchmarkArchive(b *testing.B) {
	pages := must(Pages())(b)
	archive := Archive(pages, 2)
	ctx := context.Background()
	var r warc.Rewriter
	line := func(b []byte, page *warc.Page, p *rewriter.Place) []byte {
		b = append(append(append(append(b, page.URL...), ' '), p.URL...), ' ')
		return append(append(b, p.Raw...), '\n')
	}
	turns := []struct {
		name string
		do   func() error
		best time.Duration
	}{
		{name: "decompress", do: func() error { return decompress(struct{ io.Reader }{bytes.NewReader(archive)}) }},
		{name: "list", do: func() error {
			_, err := r.List(ctx, io.Discard, struct{ io.Reader }{bytes.NewReader(archive)}, line)
			return err
		}},
		{name: "recompress", do: func() error { return recompress(io.Discard, struct{ io.Reader }{bytes.NewReader(archive)}, false) }},
		{name: "recompress+digest", do: func() error { return recompress(io.Discard, struct{ io.Reader }{bytes.NewReader(archive)}, true) }},
		{name: "convert", do: func() error {
			_, err := r.Convert(ctx, io.Discard, struct{ io.Reader }{bytes.NewReader(archive)})
			return err
		}},
		{name: "replace", do: func() error {
			_, err := r.Replace(ctx, io.Discard, bytes.NewReader(archive))
			return err
		}},
	}
	for b.Loop() {
		for i := range turns {
			runtime.GC()
			start := time.Now()
			noError(b, turns[i].do())
			if d := time.Since(start); turns[i].best == 0 || d < turns[i].best {
				turns[i].best = d
			}
		}
	}
	best := func(i int) float64 { return turns[i].best.Seconds() }
	size := 0.0
	for _, p := range pages {
		size += 2 * float64(len(p.HTML)) / 1e6
	}
	for i, t := range turns {
		b.ReportMetric(size/best(i), t.name+"-MB/s")
	}
	b.ReportMetric(best(0)/best(1), "list/decompress")
	b.ReportMetric(best(2)/best(4), "convert/recompress")
	b.ReportMetric(best(3)/best(4), "convert/recompress+digest")
	b.ReportMetric(best(3)/best(5), "replace/recompress+digest")
	b.ReportMetric(0, "ns/op")
}

func decompress(src io.Reader) error {
	z, err := gzip.NewReader(src)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, z)
	return err
}

// recompress decompresses an archive in one goroutine, compresses its members again in
// others, and writes them in order.
func recompress(dst io.Writer, archive io.Reader, digest bool) error {
	type member struct {
		in, out *bytes.Buffer
		done    chan struct{}
	}
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	queue, todo := make(chan *member, 64), make(chan *member, 64)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			w, _ := gzip.NewWriterLevel(nil, 1)
			for m := range todo {
				m.out = pool.Get().(*bytes.Buffer)
				w.Reset(m.out)
				if digest {
					sha1.Sum(m.in.Bytes())
				}
				w.Write(m.in.Bytes())
				w.Close()
				close(m.done)
			}
		}()
	}
	var readErr error
	go func() {
		defer close(queue)
		defer close(todo)
		src := bufio.NewReaderSize(archive, 64<<10)
		var z gzip.Reader
		for readErr == nil {
			if _, err := src.Peek(1); err == io.EOF {
				return
			}
			if readErr = z.Reset(src); readErr != nil {
				return
			}
			z.Multistream(false)
			m := &member{in: pool.Get().(*bytes.Buffer), done: make(chan struct{})}
			_, readErr = m.in.ReadFrom(&z)
			queue <- m
			todo <- m
		}
	}()
	for m := range queue {
		<-m.done
		if _, err := dst.Write(m.out.Bytes()); err != nil {
			return err
		}
		m.in.Reset()
		m.out.Reset()
		pool.Put(m.in)
		pool.Put(m.out)
	}
	return readErr
}
