package web

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// untrue are the fields that a rewritten response has neither as headers nor as
// trailers.
var untrue = []string{"Content-MD5", "Digest", "Content-Digest", "Repr-Digest", "Unencoded-Digest", "Signature", "Signature-Input"}

// handlerOfProxy starts a server with a handler around a reverse proxy, which puts a
// prefix before the names of trailers that were not announced.
func handlerOfProxy(t *testing.T, rw *Rewriter, handler http.HandlerFunc) (*http.Client, string) {
	t.Helper()
	return middleware(t, rw, reverseProxy(t, handler).ServeHTTP)
}

// Trailers pass, except those that describe the original bytes: whether announced or
// not, with names in any case, from a handler and through each kind of proxy.
func TestTrailers(t *testing.T) {
	ways := maps.Clone(ways)
	ways["handler of a proxy"] = handlerOfProxy
	for way, start := range ways {
		for kind, send := range map[string]func(h http.Header, name, value string){
			"announced":                func(h http.Header, name, value string) { h.Set(name, value) },
			"prefixed":                 func(h http.Header, name, value string) { h.Set(http.TrailerPrefix+name, value) },
			"prefixed, in lower case":  func(h http.Header, name, value string) { h[http.TrailerPrefix+strings.ToLower(name)] = []string{value} },
			"prefixed, before the end": nil,
		} {
			client, address := start(t, new(Rewriter), func(w http.ResponseWriter, r *http.Request) {
				h := w.Header()
				h.Set("Content-Type", "text/html")
				set := func() {
					for _, name := range untrue {
						send(h, name, "x")
					}
					send(h, "X-End", "here")
					send(h, "ETag", `"a"`)
				}
				switch kind {
				case "announced":
					h.Set("Trailer", "Content-Digest, X-End")
					h.Add("Trailer", strings.Join(untrue, ",")+",ETag")
				case "prefixed, before the end":
					send = func(h http.Header, name, value string) { h.Set(http.TrailerPrefix+name, value) }
					set()
				}
				io.WriteString(w, "<p>")
				w.(http.Flusher).Flush()
				set()
			})
			resp, _, err := get(t, client, request(t, "GET", address))
			if err != nil {
				t.Errorf("%s, %s: %v", way, kind, err)
			}
			want := http.Header{"X-End": {"here"}, "Etag": {`W/"a"`}}
			for _, h := range []http.Header{resp.Trailer, resp.Header} {
				for name, values := range h {
					if isUntrue(name) || want.Get(name) != "" && strings.Join(values, ",") != want.Get(name) {
						t.Errorf("%s, %s: %s: %q", way, kind, name, values)
					}
				}
			}
			for name := range want {
				if resp.Trailer.Get(name) == "" {
					t.Errorf("%s, %s: no %s in %v", way, kind, name, resp.Trailer)
				}
			}
		}
	}
}

// What is not rewritten keeps its trailers.
func TestTrailersUntouched(t *testing.T) {
	for way, start := range ways {
		client, address := start(t, new(Rewriter), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Trailer", "Digest")
			io.WriteString(w, "text")
			w.(http.Flusher).Flush()
			w.Header().Set("Digest", "x")
			w.Header().Set(http.TrailerPrefix+"Content-Digest", "y")
		})
		resp, _, err := get(t, client, request(t, "GET", address))
		if resp.Trailer.Get("Digest") != "x" || resp.Trailer.Get("Content-Digest") != "y" || err != nil {
			t.Errorf("%s: %v, %v", way, resp.Trailer, err)
		}
	}
}
