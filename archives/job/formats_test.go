package job

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"testing"
)

// arc is an ARC file of version 1 with a page.
const arc = "filedesc://a.arc 0.0.0.0 20010203040506 text/plain 69\n" +
	"1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n" + "\n" +
	"http://h/d/p 1.2.3.4 20010203040506 text/html 55\n" +
	"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=x>" + "\n\n"

// wacz returns a WACZ file with archives.
func wacz(t *testing.T, archives map[string][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(archives)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "archive/" + name})
		if err == nil {
			_, err = w.Write(archives[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
