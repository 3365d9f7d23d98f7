package compare

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/nlnwa/gowarc/v2"

	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// gowarcArchive returns an archive that gowarc writes, with a request, a response and a
// metadata record for each page.
func gowarcArchive(t *testing.T, pages []Page) []byte {
	t.Helper()
	var b bytes.Buffer
	marshaler := gowarc.NewMarshaler()
	add := func(kind gowarc.RecordType, url, contentType, block string) {
		builder := gowarc.NewRecordBuilder(kind, gowarc.WithStrictValidation(), gowarc.WithSpecViolationPolicy(gowarc.ErrFail))
		builder.AddWarcHeader("WARC-Target-URI", url)
		builder.AddWarcHeaderTime("WARC-Date", time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC))
		builder.AddWarcHeader("Content-Type", contentType)
		must(builder.WriteString(block))(t)
		rec, _, err := builder.Build()
		noError(t, err)
		defer rec.Close()
		if _, _, err := marshaler.Marshal(&b, rec, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range pages {
		add(gowarc.Request, p.URL, "application/http;msgtype=request", "GET /"+p.Name+"/page.html?q=1 HTTP/1.1\r\nHost: fakehost.test\r\n\r\n")
		add(gowarc.Response, p.URL, "application/http;msgtype=response", fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", p.Type, len(p.HTML), p.HTML))
		add(gowarc.Metadata, p.URL, "application/warc-fields", "via: http://fakehost.test/\r\n")
	}
	return b.Bytes()
}

// TestGowarc lets gowarc, in its strict mode and with all digests, read the archives
// that absolink writes. The pages in them are equal to pages rewritten on their own.
func TestGowarc(t *testing.T) {
	pages := must(Pages())(t)[:40]
	want := map[string][]byte{}
	var html rewriter.Rewriter
	for _, p := range pages {
		var b bytes.Buffer
		must(html.Rewrite(&b, rewriter.Source{Reader: bytes.NewReader(p.HTML), Charset: "utf-8"}, p.Base))(t)
		want[p.URL] = b.Bytes()
	}
	plain := gowarcArchive(t, pages)
	for name, output := range map[string]warc.Compression{"gzip": warc.Gzip, "plain": warc.None} {
		r := &warc.Rewriter{Output: output}
		ctx := context.Background()
		var converted, replaced bytes.Buffer
		r.Info = must(r.WriteInfo(&converted, "x.warc", "absolink"))(t)
		if s, err := r.Convert(ctx, &converted, bytes.NewReader(plain)); err != nil || s.Rewritten != 40 || s.Records != 120 || s.Damages > 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		if s, err := r.Replace(ctx, &replaced, bytes.NewReader(plain)); err != nil || s.Rewritten+s.Unchanged != 40 || s.Records != 120 || s.Damages > 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		testGowarcReads(t, name+", converted", converted.Bytes(), 41, gowarc.Conversion, want)
		testGowarcReads(t, name+", replaced", replaced.Bytes(), 120, gowarc.Response, want)
		testGowarcDigests(t, name+", converted", converted.Bytes())
		testGowarcDigests(t, name+", replaced", replaced.Bytes())
	}
}

func testGowarcReads(t *testing.T, name string, archive []byte, records int, kind gowarc.RecordType, want map[string][]byte) {
	t.Helper()
	r := must(gowarc.NewWarcFileReaderFromStream(bytes.NewReader(archive), 0, gowarc.WithStrictValidation(), gowarc.WithSpecViolationPolicy(gowarc.ErrFail)))(t)
	defer r.Close()
	n, pages := 0, 0
	for {
		rec, offset, validation, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil || validation != nil && !validation.Valid() {
			t.Fatalf("%s: at %d: %v, %v", name, offset, err, validation)
		}
		n++
		if rec.Type() == kind {
			pages++
			block := must(rec.Block().RawBytes())(t)
			b, err := io.ReadAll(block)
			if url := rec.WarcHeader().Get("WARC-Target-URI"); err != nil || !bytes.HasSuffix(b, want[url]) || len(want[url]) == 0 {
				t.Errorf("%s: %s is not what the page alone becomes: %d bytes, want %d, %v", name, url, len(b), len(want[url]), err)
			}
		}
		rec.Close()
	}
	if n != records || pages != len(want) {
		t.Errorf("%s: %d records, %d pages", name, n, pages)
	}
}

// testGowarcDigests lets gowarc compute all digests.
func testGowarcDigests(t *testing.T, name string, archive []byte) {
	t.Helper()
	r := must(gowarc.NewWarcFileReaderFromStream(bytes.NewReader(archive), 0, gowarc.WithSpecViolationPolicy(gowarc.ErrFail)))(t)
	defer r.Close()
	for {
		rec, offset, validation, err := r.Next()
		if err == io.EOF {
			return
		}
		if err == nil {
			err = rec.ValidateDigest(validation)
		}
		if err != nil || rec.WarcHeader().Get("WARC-Block-Digest") == "" {
			t.Fatalf("%s: at %d: %v", name, offset, err)
		}
		rec.Close()
	}
}
