package warc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/rewriter"
)

// arcRecord makes a record of ARC, version 1 or 2.
func arcRecord(version int, url, mediaType, block string) string {
	more := ""
	if version == 2 {
		more = " 200 - - 1234 a.arc"
	}
	return fmt.Sprintf("%s 1.2.3.4 20010203040506 %s%s %d\n%s\n", url, mediaType, more, len(block), block)
}

// arcSample makes the records of an ARC file with two pages.
func arcSample(version int) []string {
	fields := "URL IP-address Archive-date Content-type Archive-length"
	if version == 2 {
		fields = "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length"
	}
	return []string{
		arcRecord(version, "filedesc://a.arc", "text/plain", fmt.Sprintf("%d 0 Somebody\n%s\n", version, fields)),
		arcRecord(version, "dns:h", "text/dns", "20010203040506\nh. 300 IN A 1.2.3.4"),
		arcRecord(version, "http://h/d/p", "text/html", response("<a href=x>")),
		arcRecord(version, "http://h/d/ a b", "text/html", "<a href=y>"), // HTTP/0.9, and spaces in the URL
		arcRecord(version, "http://h/i.png", "image/png", "HTTP/1.0 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\n\nhttp://h/ 1.2.3.4 20010203040506 text/html 1"),
	}
}

// ARC files of both versions are read, compressed or not, and in any number of parts.
func TestARC(t *testing.T) {
	for version := 1; version <= 2; version++ {
		for name, compress := range map[string]func(string) string{"gzip": gz, "zstd": zst, "plain": plain} {
			archive := pack(compress, arcSample(version)...)
			r := &Rewriter{Seed: "a", Output: None, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(offset int64, err error) { t.Error(name, offset, err) }})}
			out, s := listBy(t, r, archive, func(b []byte, page *Page, p *rewriter.Place) []byte {
				return fmt.Appendf(b, "%s %s %s\n", page.URL, page.Date, p.URL)
			})
			const want = "http://h/d/p 2001-02-03T04:05:06Z http://h/d/x\nhttp://h/d/%20a%20b 2001-02-03T04:05:06Z http://h/d/y\n"
			if out != want || s.Records != 5 || s.Passed != 3 {
				t.Errorf("%s %d: %s%+v", name, version, out, s)
			}
			convert := func(dst io.Writer, src io.Reader) (Summary, error) {
				return r.Convert(context.Background(), dst, src)
			}
			whole, sum, _ := inParts(t, r, archive, 1, convert)
			all, blocks, errs := records(whole)
			if len(all) != 2 || len(errs) > 0 || blocks[0] != "<a href=http://h/d/x>" || all[0].Get("WARC-Date") != "2001-02-03T04:05:06Z" {
				t.Errorf("%s %d: %q %v", name, version, whole, errs)
			}
			r.HTML = nil
			// The last block of the plain file holds a line that looks like a record's.
			out1, sum1, well := inParts(t, r, archive, 3, convert)
			if well && (out1 != whole || sum1 != sum) || !well && name != "plain" {
				t.Errorf("%s %d, in parts: %+v, well: %v", name, version, sum1, well)
			}
			if _, err := r.Replace(context.Background(), io.Discard, strings.NewReader(archive)); err != ErrReadOnly {
				t.Errorf("%s %d: Replace: %v", name, version, err)
			}
			if !Is([]byte(archive), "") {
				t.Errorf("%s %d: is not seen as an archive", name, version)
			}
		}
	}
}

// Mutations of ARC files: records in equal records accounted for, and nothing hangs.
func TestMutatedARC(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, compress := range []func(string) string{gz, zst, plain} {
		archive := pack(compress, append(arcSample(1), arcSample(2)...)...)
		for range soak.N(200) {
			testAccounted(t, strings.NewReader(mutate(random, archive)))
		}
	}
	testAccounted(t, strings.NewReader(pack(plain, arcSample(1)[0], strings.Repeat("http://h/ 1.2.3.4 20010203040506 text/html 99999999999\n", 20000))))
	testAccounted(t, strings.NewReader(pack(plain, arcSample(1)[0], strings.Repeat("http://h/ 1.2.3.4 20010203040506 text/html 0\n", 20000))))
	testAccounted(t, strings.NewReader(pack(plain, arcSample(1)[0], strings.Repeat("x", 1<<20))))
}

func testAccounted(t *testing.T, archive io.Reader) {
	t.Helper()
	s, err := new(Rewriter).Convert(context.Background(), io.Discard, archive)
	if err != nil || s.Records != s.Rewritten+s.Unchanged+s.Passed+s.Failed+s.Damaged {
		t.Errorf("%+v, %v", s, err)
	}
}

// An ARC file whose first record is damaged has the other ones.
func TestDamagedStartOfARC(t *testing.T) {
	all := arcSample(1)
	first := gz(all[0])
	for i := 10; i < len(first); i++ { // after the header of the member
		damaged := []byte(first)
		damaged[i] ^= 0x55
		s, err := new(Rewriter).Convert(context.Background(), io.Discard, strings.NewReader(string(damaged)+pack(gz, all[1:]...)))
		if err != nil || s.Rewritten != 2 || s.Records < 4 {
			t.Errorf("byte %d: %+v, %v", i, s, err)
		}
	}
}

// A record that is longer than its part says hides no other one, however little room the
// window has for the line of that one.
func TestTooLongARC(t *testing.T) {
	all := arcSample(1)
	for room := range len(all[1]) {
		block := "HTTP/1.1 200 OK\r\nx: " // a head without an end stays in the window
		block += strings.Repeat("y", windowSize-room-len(block))
		long := arcRecord(1, "http://h/long", "text/html", strings.Repeat("z", 2*windowSize))
		line, _, _ := strings.Cut(long, "\n")
		s, err := new(Rewriter).Convert(context.Background(), io.Discard, strings.NewReader(pack(gz, all[0], line+"\n"+block, all[1], all[2])))
		if err != nil || s.Records != 4 || s.Damaged != 1 || s.Damages != 1 {
			t.Errorf("with room for %d bytes: %+v, %v", room, s, err)
		}
	}
}

// White space beyond ASCII belongs to a URL. A carriage return ends no line of the header
// that a WARC record would have.
func TestArcHead(t *testing.T) {
	for url, want := range map[string]string{"http://h/\u00a0x\u2028y": "http://h/\u00a0x\u2028y", "http://h/\rWARC-Type:\rx": "http://h/%20WARC-Type:%20x"} {
		raw, n := arcHead([]byte(url + " 1.2.3.4 20010203040506 text/html 0\r\n"))
		if h := newHead(raw); n == 0 || h.get("WARC-Target-URI") != want || h.get("WARC-Type") != "response" || bytes.Count(raw, []byte("\n")) != 8 {
			t.Errorf("%q: %q", url, raw)
		}
	}
}
