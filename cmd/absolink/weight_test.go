package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"absolink/cmd/absolink/internal/console"
	"absolink/cmd/absolink/internal/input"
	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/coding"
	"absolink/internal/size"
	"absolink/internal/test/docs"
)

const weightRecord = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:8f0a2b4e-0000-4000-8000-000000000001>\r\nWARC-Target-URI: http://h/d/\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=x>\r\n\r\n"

// A document was weighed as the kind that it turns out to be, however it comes: its kind is
// weighed before the body is decoded.
func TestWeightOfKinds(t *testing.T) {
	e := new(endpoints)
	e.fetches.MaxBody = 64 << 20
	s := &serve.Server{Jobs: 1, Memory: 1, Timeout: time.Minute, MaxBody: 64 << 20, Log: slog.New(slog.DiscardHandler)}
	s.Init()
	var weight, length int64
	var turned input.Kind // out to be
	s.Handle("POST /rewrite", func(x *serve.Exchange) int64 {
		weight, length = e.weigh(x), x.Length()
		return weight
	}, func(ctx context.Context, x *serve.Exchange) error {
		return e.with(ctx, x, func(d *requestDocument) error {
			if turned = input.KindArchive; !d.isArchive {
				d.Recognize()
				turned = d.Kind
			}
			return nil
		})
	})
	handler := s.Handler()
	bodies := map[string]string{
		"archive": weightRecord, "ARC": "filedesc://x 0.0.0.0 20240101000000 text/plain 9\n1 0 h\nURL\n\n", "page": "<a href=x>", "text": "text", "": "",
		"feed": "<?xml version='1.0'?><!-- x --><rss><channel>", "sitemap": "<urlset>", "message": "From: a@b\nContent-Type: text/html\n\n<a href=x>",
		"JSON feed": `{"version": "https://jsonfeed.org/version/1", "items": []}`, "late JSON feed": `{"items": [], "home_page_url": "/", "x": "` + strings.Repeat("x", input.StartSize) + `", "version": "https://jsonfeed.org/version/1"}`,
	}
	bodies["gzip"], bodies["zstd"] = encoded(coding.Gzip, weightRecord), encoded(coding.Zstd, weightRecord)
	for _, name := range []string{"archive", "feed", "message", "page"} {
		bodies["long "+name] = bodies[name] + strings.Repeat(weightRecord, 1_000)
	}
	seen := map[input.Kind]int{}
	for name, body := range bodies {
		for _, contentType := range []string{"", "text/html", "text/plain", "application/octet-stream", "application/warc", "text/xml", "message/rfc822", "application/rss+xml"} {
			for _, query := range []string{"", "?type=auto", "?type=html", "?type=feed", "?url=http://h/x.json"} {
				for _, codings := range [][]string{nil, {"gzip"}, {"", "br"}} {
					weight, turned = 0, ""
					sent := body
					if len(codings) > 0 {
						code, _ := coding.Parse(codings...)
						sent = encoded(code[0], body)
					}
					r := httptest.NewRequest("POST", "/rewrite"+query, io.MultiReader(strings.NewReader(sent))) // of no known length
					r.Header.Set("Content-Type", contentType)
					r.Header["Content-Encoding"] = codings
					handler.ServeHTTP(httptest.NewRecorder(), r)
					if turned == "" {
						continue // it was refused
					}
					seen[turned]++
					if length < 0 {
						length = int64(e.fetches.MaxBody)
					}
					if weight < weightOf(turned, length) {
						t.Errorf("%s as %q in %q%s: weighs %d, and is %s", name, contentType, codings, query, weight, turned)
					}
				}
			}
		}
	}
	for _, k := range []input.Kind{input.KindHTML, input.KindArchive, "feed", "message"} {
		if seen[k] < 25 {
			t.Errorf("%d times %s", seen[k], k)
		}
	}
}

// docs/sizing.md says what documents weigh.
func TestDocsWeights(t *testing.T) {
	var got []string
	for _, row := range docs.Table(t, "weights") {
		amount, _, _ := strings.Cut(row[1], ",")
		got = append(got, strings.ReplaceAll(amount, " ", ""))
	}
	var want []string
	const unknown = 64 << 20 // as long as --max-body allows
	for _, n := range []int64{documentMemory, weightOf(input.KindHTML, 1<<20), weightOf(input.KindHTML, unknown), weightOf("feed", 16<<20), weightOf("message", unknown), archiveMemory, viewMemory} {
		want = append(want, size.Bytes(n).String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table has %q, the command %q", got, want)
	}
}

// docs/sizing.md adds up what a server takes, and the systemd unit lets it have that.
func TestDocsMemory(t *testing.T) {
	c := parsed[serveCommand](nil)
	requests := c.server(slog.New(slog.DiscardHandler)).Limits().Connections
	var want [][]string
	sum := size.Bytes(0)
	for _, row := range []struct {
		count int
		each  size.Bytes
	}{{1, idleMemory}, {c.Jobs, jobMemory}, {requests, waitMemory}, {requests, connectionMemory}} {
		all := size.Bytes(row.count) * row.each
		sum += all
		want = append(want, []string{fmt.Sprint(row.count), row.each.String(), all.String()})
	}
	want = append(want, []string{"", "", sum.String()})
	var got [][]string
	for _, row := range docs.Table(t, "memory") {
		got = append(got, strings.Split(strings.ReplaceAll(strings.Join(row[1:], "|"), " ", ""), "|"))
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the table has %q, the command %q", got, want)
	}
	_, after, _ := strings.Cut(readFile(t, "../../release/systemd/absolink.service"), "\nMemoryMax=")
	most, _, _ := strings.Cut(after, "\n")
	var bytes size.Bytes
	if err := bytes.UnmarshalText([]byte(strings.Replace(most, "G", "GiB", 1))); err != nil || bytes < sum {
		t.Errorf("MemoryMax is %s, less than %v: %v", most, sum, err)
	}
}

// A document weighs what it can hold: of a known length, no more than that length allows.
func TestWeight(t *testing.T) {
	e := new(endpoints)
	e.fetches.MaxBody = 64 << 20
	if most := size.Bytes(mostHeld); most.String() != "16MiB" {
		t.Errorf("a document holds %v, not the default of --hold", most)
	}
	for _, test := range []struct {
		method, contentType, encoding string
		length, want                  int64
	}{
		{"POST", "text/html", "", 0, documentMemory},
		{"POST", "text/html", "", 1000, documentMemory + 12_000},
		{"POST", "text/html", "", 1 << 20, jobMemory},
		{"POST", "text/html", "", 4 << 20, documentMemory + 48<<20},
		{"POST", "text/html", "", 50 << 20, documentMemory + 48<<20},
		{"POST", "text/html", "gzip", 1000, documentMemory + 48<<20},
		{"GET", "", "", 0, documentMemory + 48<<20 + 96<<20},
		{"POST", "application/rss+xml", "", 1000, documentMemory + 13_500},
		{"POST", "application/rss+xml", "", 50 << 20, documentMemory + 48<<20 + 75<<20},
		{"POST", "application/rss+xml", "gzip", 1000, documentMemory + 48<<20 + 96<<20},
		{"POST", "message/rfc822", "", 1000, documentMemory + 13_500},
		{"POST", "message/rfc822", "gzip", 1000, documentMemory + 48<<20 + 96<<20},
		{"POST", "", "gzip", 1000, documentMemory + 48<<20 + 96<<20},
		{"POST", "application/warc", "", 1000, archiveMemory},
		{"POST", "image/png", "", 1000, documentMemory + 12_000},
	} {
		r := httptest.NewRequest(test.method, "/rewrite", nil)
		r.ContentLength = test.length
		r.Header.Set("Content-Type", test.contentType)
		if test.encoding != "" {
			r.Header.Set("Content-Encoding", test.encoding)
		}
		if got := e.weigh(&serve.Exchange{Request: r}); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
	e.fetches.MaxBody = 1 << 40
	for k, want := range map[input.Kind]int64{input.KindHTML: documentMemory + 48<<20, "feed": documentMemory + 48<<20 + 192<<20, "message": documentMemory + 48<<20 + 96<<20} {
		if got := weightOf(k, 1<<40); got != want {
			t.Errorf("%s: %d", k, got)
		}
	}
}

// As many jobs as --jobs takes are taken, and more are refused in all commands.
func TestManyJobs(t *testing.T) {
	server := startServe(t, "--jobs", fmt.Sprint(console.MaxJobs), "--queue", fmt.Sprint(math.MaxInt))
	if _, got := post(t, server+"/rewrite?url=http://h/", "text/html", "<a href=x>"); got != "<a href=http://h/x>" {
		t.Error(got)
	}
	for _, command := range []string{"rewrite x", "list x", "warc x -o y", "tree -u http://h/ x y", "serve"} {
		for _, n := range []string{"4097", "9223372036854775807", "9223372036854775808"} {
			if code, _, said := run1("", append(strings.Fields(command), "--jobs", n)...); code != console.ExitUsage || !strings.Contains(said, "--jobs") {
				t.Errorf("%s --jobs %s: code %d, %s", command, n, code, said)
			}
		}
	}
}
