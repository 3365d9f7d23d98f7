package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/rewriter"
)

// FuzzBody reads arbitrary bytes as a body in arbitrary codings. Where no place
// changes, what is decoded stays. However a body comes and goes, the same comes of
// it, if it is what its coding says.
func FuzzBody(f *testing.F) {
	for i, name := range codingNames {
		f.Add(encode(f, name, page), uint8(i))
		f.Add(encode(f, name, "<a href=", "x>", "<p>"), uint8(i))
		f.Add([]byte(page), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, coding uint8) {
		name := contentEncoding(codingNames[int(coding)%len(codingNames)])
		base := &url.URL{Scheme: "http", Host: "h", Path: "/d/"}
		keep := &rewriter.Rewriter{Visit: func(p *rewriter.Place) error { p.URL = ""; return nil }}
		rewrite := func(html *rewriter.Rewriter, src io.Reader) (out []byte, warnings []error, err error) {
			rw := &Rewriter{HTML: html, MaxDecoded: 1 << 20, URL: func(*http.Request) *url.URL { return base }, Warn: func(_ *http.Request, err error) { warnings = append(warnings, err) }}
			resp := rw.Response(&http.Response{
				StatusCode: 200, ContentLength: -1, Body: io.NopCloser(src),
				Header: http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {name}},
			})
			out, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			return out, warnings, err
		}
		text := func(body []byte) (string, error) {
			list, _ := codingsOf(http.Header{"Content-Encoding": {name}})
			d := newDecoder(bytes.NewReader(body), list, 1<<20, nil)
			defer d.close()
			b, err := io.ReadAll(d)
			return string(b), err
		}

		in, inErr := text(body)
		kept, warnings, err := rewrite(keep, bytes.NewReader(body))
		if errors.Is(inErr, ErrNotCoded) {
			if !bytes.Equal(kept, body) || err != nil || len(warnings) != 1 || warnings[0] != ErrNotCoded {
				t.Fatalf("not in %s: %q became %q, %v, %v", name, body, kept, warnings, err)
			}
		} else if got, _ := text(kept); (err == nil) != (inErr == nil) || got != in && (err == nil || !strings.HasPrefix(in, got)) {
			t.Fatalf("%s: %q became %q, %v and %v", name, in, got, inErr, err)
		}

		if inErr != nil {
			return // how much of it a decoder understands depends on how it comes
		}
		whole, _, err := rewrite(nil, bytes.NewReader(body))
		cut, _, cutErr := rewrite(nil, iotest.OneByteReader(bytes.NewReader(body)))
		a, _ := text(whole)
		if b, _ := text(cut); a != b || (err == nil) != (cutErr == nil) {
			t.Fatalf("%s: in pieces %q, %v; in one %q, %v", name, b, cutErr, a, err)
		}
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if r := recover(); (r != nil) != (err != nil) || r != nil && r != http.ErrAbortHandler {
					t.Fatalf("%s: the handler ends with %v, the response with %v", name, r, err)
				}
			}()
			rw := &Rewriter{MaxDecoded: 1 << 20, URL: func(*http.Request) *url.URL { return base }}
			rw.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", name)
				for i := 0; i < len(body); i += 7 {
					w.Write(body[i:min(i+7, len(body))])
					if i%21 == 0 {
						w.(http.Flusher).Flush()
					}
				}
			})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		}()
		if b, _ := text(w.Body.Bytes()); a != b {
			t.Fatalf("%s: by the handler %q, by the response %q", name, b, a)
		}
	})
}
