// Package sample makes web archives for tests, and compares what becomes of them.
package sample

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Record returns a record of a page or another response, in a gzip member of its own.
func Record(recordType, url, mediaType, body string) []byte {
	return Response("200 OK", recordType, url, mediaType, body)
}

// Response is Record for a response with a status, such as "404 Not Found".
func Response(status, recordType, url, mediaType, body string) []byte {
	http := "HTTP/1.1 " + status + "\r\nContent-Type: " + mediaType + "\r\n\r\n" + body
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", recordType, url, len(http), http)
	z.Close()
	return b.Bytes()
}

// Archive returns an archive with a number of pages from several hosts. It is the same
// for the same seed.
func Archive(seed uint64, pages int) []byte {
	random := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for i := range pages {
		var page strings.Builder
		fmt.Fprintf(&page, "<title>%d</title>", i)
		for range 1 + random.IntN(20) {
			links := []string{
				fmt.Sprintf("../x/%d", random.IntN(99)),
				fmt.Sprintf("http://W%d.Ex.org/y", random.IntN(50)),
				fmt.Sprintf("//%d.test:80/?q", random.IntN(50)),
				fmt.Sprintf("https://user@h%d.example", random.IntN(9)),
				"mailto:a@b", "#f", "http://B\u00fccher.example/", "http://0x7f.1/", "http://[::1]:8/",
			}
			fmt.Fprintf(&page, "<p>%x<a href=\"%s\">l</a>\n", random.Uint64(), links[random.IntN(len(links))])
		}
		url := fmt.Sprintf("http://h%d.example/a/%d", random.IntN(9), i)
		b.Write(Record("response", url, "text/html; charset=utf-8", page.String()))
		if i%5 == 0 {
			b.Write(Record("response", url+".png", "image/png", "\x89PNG"))
		}
	}
	return b.Bytes()
}

// Compare reports how two trees of files differ. A tree has the content of each file by
// its name.
func Compare(t testing.TB, got, want map[string]string) {
	t.Helper()
	all := maps.Clone(got)
	maps.Copy(all, want)
	for name := range all {
		if text, ok := want[name]; got[name] != text || !ok {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(text))
		}
	}
}

// Write writes a file, and makes its directory.
func Write(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Manifest writes archives and a manifest of them, and returns its name.
func Manifest(t testing.TB, archives map[string][]byte, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	var lines []string
	for name, b := range archives {
		lines = append(lines, filepath.Join(dir, name))
		Write(t, filepath.Join(dir, name), b)
	}
	slices.Sort(lines)
	name := filepath.Join(dir, "manifest")
	Write(t, name, []byte(strings.Join(append(lines, more...), "\n")))
	return name
}

// Unzip returns what an archive decompresses to.
func Unzip(t testing.TB, archive []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A Dir is a job.Dir, whose package cannot be imported here.
type Dir interface {
	Keys(ctx context.Context, prefix string, each func(key string, size int64) error) error
	Open(ctx context.Context, key string) (io.ReadCloser, error)
}

// Tree returns the content of each file below a place, by its name.
func Tree[D Dir](t testing.TB, open func(ctx context.Context, location string) (D, error), location string) map[string]string {
	t.Helper()
	ctx := context.Background()
	d, err := open(ctx, location)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err = d.Keys(ctx, "", func(key string, _ int64) error {
		r, err := d.Open(ctx, key)
		if err != nil {
			return err
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		files[key] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
