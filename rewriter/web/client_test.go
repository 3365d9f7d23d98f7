package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"absolink/internal/coding"
)

// A Client follows redirects, and asks for all codings that it knows, which it undoes.
func TestGet(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	serve := func(path string, f func(w http.ResponseWriter, r *http.Request)) { mux.HandleFunc(path, f) }
	redirect := func(path, to string) {
		serve(path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	serve("/d/page", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.UserAgent()) })
	redirect("/moved", "d/page?q#f")
	redirect("/relay", "/moved")
	redirect("/loop", "/loop")
	redirect("/ftp", "ftp://h/x")
	redirect("/file", "file:///etc/passwd")
	redirect("/none", "http:///x")
	serve("/gone", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusGone) })
	serve("/nowhere", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusFound) })
	serve("/dcb", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Encoding", "dcb") })
	serve("/lies", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "<p>")
	})
	serve("/coded/{name}", func(w http.ResponseWriter, r *http.Request) {
		for _, want := range []string{"gzip", "deflate", "br", "zstd"} {
			if !coding.HasToken(want, r.Header.Values("Accept-Encoding")...) {
				t.Errorf("%s is not asked for", want)
			}
		}
		w.Header().Set("Content-Encoding", contentEncoding(r.PathValue("name")))
		w.Write(encode(t, r.PathValue("name"), page))
	})
	serve("/long", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.Repeat("x", 101)) })
	serve("/bomb", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(encode(t, "gzip", strings.Repeat("x", 1<<20)))
	})
	for i := range 12 {
		redirect(fmt.Sprintf("/n%d", i+1), fmt.Sprintf("/n%d", i))
	}
	serve("/n0", func(http.ResponseWriter, *http.Request) {})

	type row struct {
		url  string // on the server, if it begins with a slash
		body string
		last string // URL
		err  string
	}
	rows := []row{
		{"/d/page", "tester/1", "/d/page", ""},
		{"/relay", "tester/1", "/d/page?q", ""},
		{"/n10", "", "/n0", ""},
		{"/n11", "", "", "more than 10 redirects"},
		{"/loop", "", "", "more than 10 redirects"},
		{"/ftp", "", "", `only http and https can be fetched, not "ftp"`},
		{"/file", "", "", `only http and https can be fetched, not "file"`},
		{"/none", "", "", "no host"},
		{"/gone", "", "", "the server answers 410 Gone"},
		{"/nowhere", "", "", "the server answers 302 Found"},
		{"/dcb", "", "", `content coding "dcb" is not known`},
		{"/lies", "<p>", "/lies", ""},
		{"/long", strings.Repeat("x", 100), "/long", "the body is longer than 100 bytes"},
		{"/bomb", strings.Repeat("x", 100), "/bomb", "the body is longer than 100 bytes"},
		{"ftp://h/", "", "", `only http and https can be fetched, not "ftp"`},
		{"http:///x", "", "", "no host"},
		{"/%", "", "", "invalid URL escape"},
	}
	for _, name := range codingNames[1:] {
		path := "/coded/" + url.PathEscape(name)
		rows = append(rows, row{path, page, path, ""})
	}
	for _, row := range rows {
		client := &Client{UserAgent: "tester/1", MaxDecoded: 100}
		if row.url[0] == '/' {
			row.url = server.URL + row.url
		}
		resp, err := client.Get(t.Context(), row.url)
		var body []byte
		if err == nil {
			body, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			if got := BaseURL(resp.Request.URL); got != server.URL+row.last {
				t.Errorf("%s: %s, want %s", row.url, got, row.last)
			}
		}
		if string(body) != row.body || (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
			t.Errorf("%s: %q, %v, want %q", row.url, body, err, row.err)
		}
		var status *StatusError
		if errors.As(err, &status) && status.URL != row.url {
			t.Errorf("%s: the status is of %s", row.url, status.URL)
		}
		if scheme := strings.Contains(row.err, "only http"); errors.Is(err, ErrScheme) != scheme {
			t.Errorf("%s: %v", row.url, err)
		}
	}
}

// The URL of a StatusError is the one that was asked for, without user and password.
func TestStatusURL(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for _, login := range []string{"", "user@", "user:password@", ":password@", "us%40er:pass%2fword@", "token:@"} {
		for _, path := range []string{"", "/", "/d?q#f"} {
			_, err := new(Client).Get(t.Context(), "http://"+login+host+path)
			var status *StatusError
			if !errors.As(err, &status) || status.URL != server.URL+path {
				t.Errorf("%s%s: %+v", login, path, err)
			}
		}
	}
}

// A Client waits for a silent server until Timeout has passed, or the context ends.
func TestGetTimeout(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, start := range []string{"", "<p>"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if start != "" {
				io.WriteString(w, start)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}))
		get := func(ctx context.Context, timeout time.Duration) error {
			resp, err := (&Client{Timeout: timeout}).Get(ctx, server.URL)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			var body bytes.Buffer
			_, err = body.ReadFrom(resp.Body)
			if body.String() != start {
				t.Errorf("%q, want %q", body.String(), start)
			}
			return err
		}
		if err := get(t.Context(), 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: %v", start, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if err := get(ctx, -1); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", start, err)
		}
		server.Close()
	}
	checkGoroutines(t, before)
}
