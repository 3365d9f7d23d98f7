//go:build linux && !race

package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"absolink/cmd/absolink/internal/input"
	"absolink/internal/media"
	"absolink/internal/test/docs"
	"absolink/internal/test/doors"
)

// A longBody is a body of a request in which one text is repeated.
type longBody struct {
	start, many string
	size        int // of all repetitions, in MiB
	end         string
	hasLength   bool // and says how long it is
}

// read returns a reader of the body, and how long that is.
func (b *longBody) read() (r io.Reader, length int) {
	piece := strings.Repeat(b.many, mebibyte/len(b.many))
	parts := []io.Reader{strings.NewReader(b.start)}
	for range b.size {
		parts = append(parts, strings.NewReader(piece))
	}
	return io.MultiReader(append(parts, strings.NewReader(b.end))...), len(b.start) + b.size*len(piece) + len(b.end)
}

// post has clients post the body at once. Each answer is so many times as long, at least.
func (b *longBody) post(t *testing.T, url, contentType string, clients, longer int) {
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			body, length := b.read()
			r, err := http.NewRequest("POST", url, body)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", contentType)
			r.Header.Set("Accept-Encoding", "identity")
			if b.hasLength {
				r.ContentLength = int64(length)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if n, err := io.Copy(io.Discard, resp.Body); resp.StatusCode != http.StatusOK || n < int64(longer*length) || err != nil {
				t.Errorf("%s, %d bytes for %d, %v", resp.Status, n, length, err)
			}
		})
	}
	all.Wait()
}

// viewClaims are about what absolink serve resolves and shows: 20 MiB for a document, and 350
// MiB for a view.
func viewClaims() (claims []claim) {
	const document, view = 20, 350 // MiB
	long := "x" + strings.Repeat("\x01", 900<<10) + "y"
	link := "<a href='" + long + "'>"
	short := strings.Repeat("\x01", 105)
	for _, v := range []struct {
		path, contentType, body string
		clients, each           int // MiB
		longer                  int // the answer is at least so many times as long as the body
	}{
		{"/resolve?base=http://h/&explain", "text/plain", long, 8, document, 30},
		{"/resolve?base=http://h/&explain&profile=whatwg", "text/plain", long, 8, document, 10},
		{"/resolve?base=http://h/", "text/plain", long, 8, document, 11},
		{"/list?url=http://h/", "text/html", link, 8, document, 17},
		{"/list?url=http://h/&profile=whatwg", "text/html", link, 8, document, 14},
		{"/list?url=http://h/&format=csv", "text/html", link, 8, document, 2},
		{"/list?url=http://h/&format=text", "text/html", link, 8, document, 3},
		{"/list?url=http://h/", "message/rfc822", "Content-Type: text/html\n\n" + link, 8, document, 17},
		{"/list?url=http://h/&profile=whatwg", "message/rfc822", "Content-Type: text/html\n\n" + link, 8, document, 14},
		{"/base?url=http://h/", "text/html", "<base href='" + long[:8000] + "z'>", 8, document, 0},
		{"/rewrite?url=http://h/", "text/html", link, 8, document, 3},
		{"/rewrite?url=http://h/", "text/css", "a{b:url('" + long + "')}", 8, document, 1},
		{"/rewrite?url=http://h/&profile=whatwg", "text/html", "<a href='//" + strings.Repeat("\ufdfa", 340_000) + "'>", 8, document, 0},
		{"/rewrite?url=http://h/&profile=whatwg", "text/html", "<a href='//" + strings.Repeat(strings.Repeat("\ufdf0", 330)+".", 1000) + "'>", 8, document, 0},
		{"/rewrite?url=http://h/&profile=whatwg", "text/html", "<a href='//" + strings.Repeat("x", 1_000_000) + ".\u00fc'>", 8, document, 0},
		{"/resolve?base=http://h/&profile=whatwg&explain", "text/plain", "//" + strings.Repeat("\ufdfa", 340_000), 8, document, 0},
		{"/view?url=http://h/", "text/html", strings.Repeat("<a href='"+short+"'>", 99_000), 1, view, 10},
		{"/view?url=http://h/", "message/rfc822", "Content-Type: text/html\n\n" + strings.Repeat("<a href='"+short+"'>", 99_000), 1, view, 10},
		{"/view?url=http://h/&profile=whatwg", "text/html", strings.Repeat("<a href='x"+short+"y'>", 50_000), 1, view, 10},
		{"/view?url=http://h/", "text/html", strings.Repeat(link, 5), 1, view, 10},
		{"/view?url=http://u:p@h/" + strings.Repeat("a", 4000), "application/mbox", strings.Repeat("From a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\n\n<p>\n\n", 2000), 1, view, 50},
	} {
		body := longBody{start: v.body, many: "x", hasLength: true}
		claims = append(claims, claim{
			name: fmt.Sprintf("served/%.50s %s %.20q", v.path, v.contentType, v.body), most: idleMemory + int64(v.clients*v.each)*mebibyte, nth: 7,
			use: func(t *testing.T, s *server) { body.post(t, s.url+v.path, v.contentType, v.clients, v.longer) },
		})
	}
	return claims
}

// A heldDocument is a document that is held, for a late BASE, as far as the limits allow.
type heldDocument struct {
	name, path, contentType string
	body                    longBody
}

// heldDocuments returns documents of all kinds.
func heldDocuments() []heldDocument {
	const link, base = "<link href=x>", "<base href=/b/>"
	const channel, part = "<rss><channel><item><description>", "Content-Type: text/html\nContent-Transfer-Encoding: "
	const xhtml = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><link href="x"/>`
	meta := "<meta name=a content='" + strings.Repeat("b", 76) + "'>"
	inBase64 := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("<meta name=a id=b>", 3)))
	return []heldDocument{
		{"tags", "/rewrite", "text/html", longBody{link, meta, 15, base, false}},
		{"text", "/rewrite", "text/html", longBody{link + "<title>", "x", 15, base, false}},
		{"places", "/list", "text/html", longBody{"", link, 2, base, false}},
		{"a long page", "/rewrite", "text/html", longBody{link, meta, 60, base, false}},
		{"UTF-16", "/base", "text/html", longBody{"\xff\xfe" + inUTF16(link), inUTF16(strings.ReplaceAll(meta, "b", "\u65e5")), 8, base, false}},
		{"UTF-16, text", "/rewrite", "text/html", longBody{"\xff\xfe" + inUTF16(link+"<title>"), inUTF16("\u4e2d"), 8, base, false}},
		{"UTF-16, places", "/rewrite", "text/html", longBody{"\xff\xfe", inUTF16(link), 8, base, false}},
		{"UTF-16, two units", "/rewrite", "text/html", longBody{"\xff\xfe" + inUTF16(link+"<title>"), inUTF16("\U0001f600"), 8, base, false}},
		{"UTF-16, a tag", "/rewrite", "text/html", longBody{"\xff\xfe" + inUTF16("<p><a href='"), inUTF16("x"), 8, base, false}},
		{"ISO-2022-JP", "/rewrite", "text/html; charset=iso-2022-jp", longBody{link, strings.ReplaceAll(meta, "bb", "\x1b$B\x46\x7c\x1b(B"), 8, base, false}},
		{"a feed", "/rewrite", "application/rss+xml", longBody{channel + "&lt;link href=x&gt;", "&lt;meta name=a&gt;", 15, base, false}},
		{"a feed of links", "/rewrite", "application/rss+xml", longBody{channel, "&lt;a href=x&gt;", 15, base, false}},
		{"a feed of references", "/rewrite", "application/rss+xml", longBody{channel + doors.Each("&#x%x;", link), doors.Each("&#x%x;", "<meta name=a>"), 60, "", false}},
		{"a feed of references, its type unknown", "/base", "", longBody{channel + doors.Each("&#x%x;", link), doors.Each("&#x%x;", "<meta name=a>"), 60, "", false}},
		{"a JSON feed", "/rewrite", "application/feed+json", longBody{`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"` + doors.Each("\\u%04x", link), doors.Each("\\u%04x", "<meta name=a>"), 60, `"}]}`, false}},
		{"a message", "/rewrite", "message/rfc822", longBody{part + "quoted-printable\n\n", "<link href=3Ds>", 15, base, false}},
		{"a message in quoted-printable", "/rewrite", "message/rfc822", longBody{part + "quoted-printable\n\n" + doors.Each("=%02X", link), doors.Each("=%02X", "<meta name=a>") + "=\n", 60, "", false}},
		{"a message in base64", "/rewrite", "message/rfc822", longBody{part + "base64\n\n" + base64.StdEncoding.EncodeToString([]byte("<link href='xx'>  ")) + "\n", inBase64 + "\n", 60, "", false}},
		{"a message of parts", "/rewrite", "multipart/related", longBody{"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n" + link, meta, 15, base, false}},
		{"a message of parts in quoted-printable", "/rewrite", "multipart/related", longBody{"Content-Type: multipart/related; boundary=b\n\n--b\n" + part + "quoted-printable\n\n" + doors.Each("=%02X", link), doors.Each("=%02X", "<meta name=a>") + "=\n", 60, "", false}},
		{"a page with its length", "/rewrite", "text/html", longBody{link, meta, 4, base, true}},
		{"places with their length", "/list", "text/html", longBody{"", link, 2, base, true}},
		{"fewer places with their length", "/rewrite", "text/html", longBody{"", link, 1, base, true}},
		{"candidates with their length", "/rewrite", "text/html", longBody{"", "<link rel=preload as=image imagesrcset='" + strings.Repeat("x,", 30_000) + "'>", 2, base, true}},
		{"style sheets with their length", "/rewrite", "text/html", longBody{"", "<style>" + strings.Repeat("a{b:url(x)}", 3_000) + "</style>", 1, base, true}},
		{"UTF-16, two units, with its length", "/rewrite", "text/html", longBody{"\xff\xfe" + inUTF16(link+"<title>"), inUTF16("\U0001f600"), 4, base, true}},
		{"a feed of CDATA with its length", "/rewrite", "application/atom+xml", longBody{xhtml + "<title><![CDATA[", "&", 4, "]]></title>", true}},
		{"a feed of lone less-than signs with its length", "/rewrite", "application/atom+xml", longBody{xhtml + "<title>", "<1", 4, "</title>", true}},
		{"a feed of CDATA", "/rewrite", "application/atom+xml", longBody{xhtml + "<title><![CDATA[", "&", 4, "]]></title>", false}},
		{"a JSON feed of escapes with its length", "/rewrite", "application/feed+json", longBody{`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"` + doors.Each("\\u%04x", link+"<title>"), `x\n`, 16, `"}]}`, true}},
	}
}

// heldClaims say that documents that are held for a late BASE take no more memory together,
// however many of them come at a time: 32 MiB for each of --jobs. As much counts that is held
// of their encoded form, in feeds and messages.
func heldClaims() (claims []claim) {
	for _, d := range heldDocuments() {
		jobs, clients, nth := 4, 6, uint32(8) // less than half of the clients fit in
		switch {                              // long bodies take seconds each, and fewer of them fit in
		case d.body.size > 30:
			jobs, clients, nth = 8, 2, 16
		case d.body.size > 10:
			clients = 3
		}
		claims = append(claims, claim{
			name: "held/" + d.name, most: int64(idleMemory + jobs*jobMemory), nth: nth, args: []string{"--jobs", strconv.Itoa(jobs)},
			use: func(t *testing.T, s *server) {
				d.body.post(t, s.url+d.path+"?url=http://h/", d.contentType, clients, 0)
			},
		})
	}
	return claims
}

// processClaims say that a process takes no more memory than docs/limits.md says, whatever it
// holds.
func processClaims(t *testing.T) (claims []claim) {
	bounds := map[input.Kind]int64{} // in MiB
	for _, row := range docs.Table(t, "processes") {
		k := map[string]input.Kind{"page": input.KindHTML, "feed": "feed", "message": "message", "archive, on two cores": input.KindArchive}[row[0]]
		var most, held, encoded int64
		fmt.Sscanf(strings.Join(row[1:], " "), "%d MiB %d MiB %d MiB", &most, &held, &encoded)
		bounds[k] = most
		for _, c := range input.Containers {
			if c.Kind == k && encoded != c.Encoded*held {
				t.Errorf("%s: the table has %d MiB of the encoded form, not %d", k, encoded, c.Encoded*held)
			}
		}
		if k != input.KindArchive && held != mostHeld/mebibyte {
			t.Errorf("%s: the table has %d MiB that are held", k, held)
		}
	}
	if bounds[input.KindArchive] != archiveMemory/mebibyte || len(bounds) != 4 {
		t.Errorf("the table has %v", bounds)
	}
	for _, d := range heldDocuments() {
		nth := uint32(8)
		mediaType, charset := media.ContentType(d.contentType)
		k, _ := input.KindOfType(mediaType)
		if k == "" {
			k = "feed"
		}
		if d.body.size > 30 {
			d.body.size, nth = int(bounds[k]), 16 // beyond any limit, and too much to stay in memory
		}
		args := []string{"-q", "--url", "http://h/", "--type", string(k)}
		if charset != "" {
			args = append(args, "--charset", charset)
		}
		claims = append(claims, claim{name: "process/" + d.name, most: bounds[k] * mebibyte, nth: nth, args: args, stdin: func() io.Reader {
			in, _ := d.body.read()
			return in
		}})
	}
	return claims
}
