package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"absolink/rewriter"
)

// Each warning names the request whose response it is about, however many responses
// there are at a time. So does the document of each place.
func TestNames(t *testing.T) {
	long := "<p><a href=y><a href='" + strings.Repeat("x", 100) + "'>"
	for name, start := range ways {
		var mu sync.Mutex
		warned, limits, visited := map[string]int{}, map[string]int{}, map[string]int{}
		pathOf := func(offset int64, err error, want int64) string {
			var e *Error
			if !errors.As(err, &e) || offset != want || err.Error() != e.Err.Error() {
				t.Errorf("%s: at %d: %#v", name, offset, err)
				return ""
			}
			return e.Request.URL.Path
		}
		rw := &Rewriter{
			HTML: rewriter.Must(rewriter.New(rewriter.Options{MaxTag: 50})).With(rewriter.Hooks{
				Visit: func(p *rewriter.Place) error {
					mu.Lock()
					defer mu.Unlock()
					visited[p.Document.Name]++
					return nil
				},
				Warn: func(offset int64, err error) {
					mu.Lock()
					defer mu.Unlock()
					if errors.Is(err, ErrTrailing) {
						warned[pathOf(offset, err, -1)]++
						return
					}
					var limit *rewriter.LimitError
					if !errors.As(err, &limit) || limit.Field != "MaxTag" {
						t.Errorf("%s: %v", name, err)
					}
					limits[pathOf(offset, err, 13)]++
				},
			}),
			URL: func(r *http.Request) *url.URL { return at(t, "http://user:secret@h"+r.URL.Path+"?q#f")(r) },
		}
		client, address := start(t, rw, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(append(encode(t, "gzip", long), "trailing"...))
		})
		var clients sync.WaitGroup
		paths := []string{"/a", "/b", "/c", "/d"}
		for _, path := range paths {
			clients.Go(func() {
				for range 5 {
					resp, err := client.Get(address + path)
					if err != nil {
						t.Error(err)
						return
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			})
		}
		clients.Wait()
		for _, path := range paths {
			if warned[path] != 5 || limits[path] != 5 || visited["http://h"+path+"?q"] != 5 {
				t.Errorf("%s: %v, %v, %v", name, warned, limits, visited)
			}
		}
	}
}

// A warning of a Client names the last request.
func TestClientWarns(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/page", http.StatusFound)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "<p>")
	}))
	defer server.Close()
	var warned error
	resp, err := (&Client{Warn: func(offset int64, err error) {
		if warned = err; offset != -1 {
			t.Errorf("at %d", offset)
		}
	}}).Get(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	var e *Error
	if !errors.As(warned, &e) || !errors.Is(warned, ErrNotCoded) || e.Request.URL.Path != "/page" {
		t.Errorf("%#v", warned)
	}
}
