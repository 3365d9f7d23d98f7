package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"absolink/internal/coding"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// FuzzBody reads arbitrary bytes as a body in arbitrary codings. If no place changes, the
// decoded document stays as it is.
func FuzzBody(f *testing.F) {
	for i, name := range codingNames {
		f.Add(encode(f, name, page), uint8(i))
		f.Add(encode(f, name, "<a href=", "x>", "<p>"), uint8(i))
		f.Add([]byte(page), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		name := contentEncoding(codingNames[int(which)%len(codingNames)])
		base := &url.URL{Scheme: "http", Host: "h", Path: "/d/"}
		keep := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error { p.URL = ""; return nil }})
		rewrite := func(html *rewriter.Rewriter, src io.Reader) (out []byte, warnings []error, err error) {
			hooks := html.Hooks()
			hooks.Warn = func(_ int64, err error) { warnings = append(warnings, err) }
			rw := &Rewriter{HTML: html.With(hooks), MaxDecoded: 1 << 20, URL: func(*http.Request) *url.URL { return base }}
			resp := rw.Response(htmlIn(name, src))
			out, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			return out, warnings, err
		}
		list, _ := coding.Parse(name)
		text := func(body []byte) (string, error) { return decoded(body, list) }

		in, inErr := text(body)
		kept, warnings, err := rewrite(keep, bytes.NewReader(body))
		if errors.Is(inErr, ErrNotCoded) {
			if !bytes.Equal(kept, body) || err != nil || len(warnings) != 1 || !errors.Is(warnings[0], ErrNotCoded) {
				t.Fatalf("not in %s: %q became %q, %v, %v", name, body, kept, warnings, err)
			}
		} else if got, _ := text(kept); (err == nil) != (inErr == nil) || got != in && (err == nil || !strings.HasPrefix(in, got)) {
			t.Fatalf("%s: %q became %q, %v and %v", name, in, got, inErr, err)
		}
	})
}

// isUTF16 reports whether a page begins with a byte order mark of UTF-16.
func isUTF16(page string) bool {
	return strings.HasPrefix(page, "\xfe\xff") || strings.HasPrefix(page, "\xff\xfe")
}

// FuzzCodings encodes an arbitrary page in arbitrary codings. Whichever way the body
// goes, it decodes to what Rewrite makes of the page. Then the encoded body is
// damaged: it passes as it is, or becomes a part of the page, or is an error, and
// never becomes another page without an error.
func FuzzCodings(f *testing.F) {
	for i := range codingNames {
		f.Add([]byte(page), uint8(i), uint8(0), uint16(3), uint16(20), uint8(0x5a))
		f.Add([]byte("<p><base href=/d/><a href=x>"), uint8(i), uint8(i), uint16(0), uint16(1), uint8(1))
		f.Add(bytes.Repeat([]byte("<a href=x>text</a>\n"), 300), uint8(i), uint8(6), uint16(50), uint16(100), uint8(0))
	}
	base, err := resolver.ParseBase("http://h/d/", resolver.RFC1808)
	if err != nil {
		f.Fatal(err)
	}
	rw := &Rewriter{MaxDecoded: 1 << 20, URL: at(f, base.String())}
	f.Fuzz(func(t *testing.T, html []byte, inner, outer uint8, flush, at uint16, damage uint8) {
		if len(html) > 64<<10 {
			return
		}
		names := []string{codingNames[int(inner)%len(codingNames)], codingNames[int(outer)%len(codingNames)]}
		var codings []coding.Coding
		for _, name := range names {
			codings = append(codings, codingsNamed(t, name)...)
		}
		header := contentEncoding(strings.Join(names, ","))
		said, ok := coding.Parse(header)
		if !ok {
			return // there are too many codings
		}
		cut := min(int(flush), len(html))
		body := slices.Clone(html)
		if len(codings) > 0 {
			var b bytes.Buffer
			w := coding.NewWriter(&b, codings)
			w.Write(html[:cut])
			w.Flush()
			w.Write(html[cut:])
			w.Close()
			w.Release()
			body = b.Bytes()
		}
		rewrite := func(html string) string {
			var out bytes.Buffer
			if _, err := rw.HTML.Rewrite(&out, strings.NewReader(html), base); err != nil {
				t.Fatal(err)
			}
			if !isUTF16(html) {
				testio.CheckStructure(t, []byte(html), out.Bytes())
			}
			return out.String()
		}
		text := func(body []byte) (string, error) { return decoded(body, said) }
		ways := map[string]func(body []byte) ([]byte, bool){
			"response": func(body []byte) ([]byte, bool) {
				resp := rw.Response(htmlIn(header, bytes.NewReader(body)))
				defer resp.Body.Close()
				out, err := io.ReadAll(resp.Body)
				return out, err == nil
			},
			"handler": func(body []byte) (out []byte, whole bool) {
				w := httptest.NewRecorder()
				defer func() {
					if r := recover(); r != nil && r != http.ErrAbortHandler {
						panic(r)
					}
					out = w.Body.Bytes()
				}()
				rw.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					w.Header().Set("Content-Encoding", header)
					w.Write(body[:len(body)/2])
					w.(http.Flusher).Flush()
					w.Write(body[len(body)/2:])
				})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
				return nil, true
			},
		}
		for way, do := range ways {
			out, whole := do(body)
			if got, err := text(out); got != rewrite(string(html)) || err != nil || !whole {
				t.Fatalf("%s, %s: %q, %v, %v, want %q", way, header, got, err, whole, rewrite(string(html)))
			}
		}
		if len(codings) == 0 || len(body) == 0 {
			return
		}
		i := int(at) % len(body)
		damaged := slices.Clone(body)
		if damaged[i] ^= damage; damage == 0 {
			damaged = damaged[:i]
		}
		in, inErr := text(damaged)
		for way, do := range ways {
			out, whole := do(damaged)
			switch got, err := text(out); {
			case inErr != nil && whole && !bytes.Equal(out, damaged):
				t.Fatalf("%s, %s: %q, then %v, ends as if it were whole: %q", way, header, in, inErr, out)
			case inErr == nil && (!whole || err != nil || got != rewrite(in)):
				t.Fatalf("%s, %s: %q, %v, %v, want %q", way, header, got, err, whole, rewrite(in))
			}
		}
	})
}
