package web

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"absolink/rewriter"
)

// A response whose URL is too long for a base URL passes as the server sent it,
// header included.
func TestLongURL(t *testing.T) {
	links := "<p>" + strings.Repeat("<a href=x>", 750)
	everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
		for _, row := range []struct {
			path   string
			name   string
			status int
			method string
		}{
			{strings.Repeat("a", 900_000), "", 200, "GET"},
			{strings.Repeat("a", 900_000), "gzip", 200, "GET"},
			{strings.Repeat("a/", 5000), "gzip, br", 200, "GET"},
			{strings.Repeat("a", 10_000), "", 200, "HEAD"},
			{strings.Repeat("a", 10_000), "", 304, "GET"},
			{"?" + strings.Repeat("a", 10_000), "", 404, "GET"},
		} {
			var warned, ended atomic.Int64
			rw := &Rewriter{
				HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
					Warn: func(_ int64, err error) {
						if warned.Add(1); !errors.Is(err, ErrLongURL) {
							t.Error(err)
						}
					},
				}),
				End: func(*http.Request, *rewriter.Document, error) { ended.Add(1) },
			}
			body := encode(t, row.name, links)
			if row.status == 304 {
				body = nil
			}
			client, address := start(t, rw, func(w http.ResponseWriter, r *http.Request) {
				h := w.Header()
				h.Set("ETag", `"a"`)
				h.Set("Digest", "x")
				h.Set("Content-Type", "text/html")
				h.Set("Content-Encoding", row.name)
				if row.status != 304 {
					h.Set("Content-Length", strconv.Itoa(len(body)))
				}
				w.WriteHeader(row.status)
				if r.Method != "HEAD" {
					w.Write(body)
				}
			})
			resp, got, err := get(t, client, request(t, row.method, address+"/"+row.path))
			want := body
			if row.method == "HEAD" {
				want = nil
			}
			if !bytes.Equal(got, want) || err != nil {
				t.Errorf("%.20s: %d bytes, want %d, %v", row.path, len(got), len(want), err)
			}
			if h := resp.Header; h.Get("ETag") != `"a"` || h.Get("Digest") != "x" || row.status != 304 && resp.ContentLength != int64(len(body)) {
				t.Errorf("%.20s: %v", row.path, h)
			}
			if warned.Load() != 1 || ended.Load() != 0 {
				t.Errorf("%.20s: %d warnings, %d ends", row.path, warned.Load(), ended.Load())
			}
		}
	})
}

// A URL of 8 KiB is a base URL, and a URL of one byte more is not. Instead of a longer
// Content-Location, the URL of the response is the base.
func TestBaseLength(t *testing.T) {
	for _, more := range []int{0, 1} {
		long := "http://h/" + strings.Repeat("a", rewriter.MaxBase-len("http://h/")+more)
		u := at(t, long)(nil)
		d, err := new(Rewriter).document(new(http.Request), u, nil)
		if (err == ErrLongURL) != (more == 1) || err == nil && d.Outer.URL.String() != long {
			t.Errorf("%d more: %v", more, err)
		}
		var warned []error
		rw := &Rewriter{ContentLocation: true, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warned = append(warned, err) }})}
		d, err = rw.document(new(http.Request), at(t, "http://h/d/")(nil), http.Header{"Content-Location": {strings.TrimPrefix(long, "http://h")}})
		want := []string{long, "http://h/d/"}[more]
		if err != nil || d.Outer.URL.String() != want || len(warned) != more || more == 1 && !errors.Is(warned[0], rewriter.ErrLongBase) {
			t.Errorf("Content-Location, %d more: %.20s, %v, %v", more, d.Outer.URL, err, warned)
		}
	}
}

// hollow returns 200 bytes: a page after 5 MiB of empty blocks, in four codings.
func hollow(t testing.TB) []byte {
	inner := append(append([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), bytes.Repeat([]byte("\x00\x00\x00\xff\xff"), 1<<20)...), encode(t, "raw", page)...)
	return encode(t, "gzip, gzip, gzip", string(inner))
}

// Empty blocks in nested codings end a body with an error, whichever way it goes,
// with a limit and without.
func TestHollow(t *testing.T) {
	body := hollow(t)
	respond := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip, gzip, gzip, gzip")
		w.Write(body)
	}
	for _, limit := range []int64{0, 1000, math.MaxInt64} {
		isExpected := func(err error) bool {
			return errors.Is(err, ErrHollow) || limit == 1000 && isTooLong(err, limit)
		}
		everyWay(t, func(t *testing.T, start func(*testing.T, *Rewriter, http.HandlerFunc) (*http.Client, string)) {
			ended := make(chan error, 1)
			rw := &Rewriter{
				MaxDecoded: limit,
				HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
					Warn: func(_ int64, err error) { t.Errorf("warned of %v", err) },
				}),
				End: func(_ *http.Request, _ *rewriter.Document, err error) { ended <- err },
			}
			client, address := start(t, rw, respond)
			resp, err := client.Do(request(t, "GET", address))
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if err == nil {
				t.Error("a complete response")
			}
			if err := <-ended; !isExpected(err) {
				t.Errorf("ended with %v", err)
			}
		})
		server := httptest.NewServer(http.HandlerFunc(respond))
		resp, err := (&Client{MaxDecoded: limit}).Get(t.Context(), server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); len(got) > 0 || !isExpected(err) {
			t.Errorf("fetched: %q, %v", got, err)
		}
		resp.Body.Close()
		server.Close()
	}
}

// For a body of less than a kilobyte, no more than a few windows are allocated,
// whatever its codings ask for.
func TestMemory(t *testing.T) {
	const mib8, mib128 = "\x68", "\x88"
	frame := func(window, content string) string {
		size := len(content)
		return "\x28\xb5\x2f\xfd\x00" + window + string([]byte{1 | byte(size<<3), byte(size >> 5), byte(size >> 13)}) + content
	}
	z4 := func(window string) string { return frame(window, frame(window, frame(window, frame(window, page)))) }
	for _, row := range []struct {
		codings, body string
		text          string // "" means an error, or that the body passes as it is
	}{
		{"zstd", frame(mib8, page), rewritten},
		{"zstd", frame(mib128, page), ""},
		{"zstd, zstd, zstd, zstd", z4(mib8), ""},
		{"zstd, zstd, zstd, zstd", z4(mib128), ""},
		{"gzip, gzip, gzip, gzip", string(hollow(t)), ""},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var warned error
		resp := (&Rewriter{URL: at(t, "http://h/d/"), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warned = err }})}).Response(htmlIn(row.codings, strings.NewReader(row.body)))
		got, err := io.ReadAll(resp.Body)
		runtime.ReadMemStats(&after)
		text, decodeErr := decode(t, row.codings, got)
		untouched := string(got) == row.body && errors.Is(warned, ErrNotCoded) && err == nil
		if row.text != "" && (text != row.text || err != nil || decodeErr != nil) || row.text == "" && !untouched && err == nil {
			t.Errorf("%s: %q, %v, warned of %v", row.codings, text, err, warned)
		}
		// The bound is what the encoders of a harmless body take.
		if n := after.TotalAlloc - before.TotalAlloc; n > 48<<20 {
			t.Errorf("%s: %d bytes allocated", row.codings, n)
		}
	}
}

// A status that net/http does not write is an error for a proxy, and a response with it is
// not touched.
func TestStatus(t *testing.T) {
	for _, status := range []int{-1, 0, 99, 1000} {
		resp := htmlIn("", strings.NewReader(page))
		resp.StatusCode = status
		err := new(Rewriter).ModifyResponse(resp)
		if body, _ := io.ReadAll(resp.Body); err == nil || string(body) != page {
			t.Errorf("%d: %v, %.20q", status, err, body)
		}
	}
}

// Fields that cannot be used are an error, or a panic of Handler, and nothing is
// written or fetched.
func TestFields(t *testing.T) {
	rw := &Rewriter{MaxDecoded: -1}
	if err := rw.ModifyResponse(htmlIn("", strings.NewReader(page))); err == nil || !strings.HasPrefix(err.Error(), "web: Rewriter.") {
		t.Error(err)
	}
	resp := rw.Response(htmlIn("", strings.NewReader(page)))
	if body, err := io.ReadAll(resp.Body); len(body) > 0 || err == nil || resp.Body.Close() != nil {
		t.Errorf("%q, %v", body, err)
	}
	if resp := rw.Response(&http.Response{StatusCode: 200}); resp.Body.Close() != nil {
		t.Error("no body")
	}
	if err, ok := recovered(func() { rw.Handler(http.NotFoundHandler()) }).(error); !ok || !strings.HasPrefix(err.Error(), "web: Rewriter.") {
		t.Error(err)
	}
	if _, err := (&Client{MaxDecoded: -1}).Get(t.Context(), (&url.URL{Scheme: "http", Host: "127.0.0.1:1"}).String()); err == nil || !strings.Contains(err.Error(), "MaxDecoded") {
		t.Error(err)
	}
}
