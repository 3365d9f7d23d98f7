package doors_test

import (
	"cmp"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"

	"absolink/internal/steady"
	"absolink/internal/test/doors"
	"absolink/rewriter"
	"absolink/rewriter/web"
)

const (
	received = "what a client has received was written"
	overHTTP = "a client learns that a response has ended early, and no more"
)

var (
	handlers = doors.Not("the handler of the caller reads", "read", "where")
	windows  = doors.With(doors.Not("a coding has a window, which TestBomb of package web measures", "memory"), doors.Not("an offset is one in the decoded document", "where"))
)

var responses = []doors.Door{
	{Name: "web.Response", Of: []string{"web.Rewriter.Response"}, Not: plain, Run: func(p *doors.Pass) error {
		return copied(p, webbed(p).Response(response(p)))
	}},
	{Name: "web.Response, read", Not: plain, Pull: func(p *doors.Pass) io.Reader {
		return webbed(p).Response(response(p)).Body
	}},
	{Name: "web.Response, gzip", Coded: true, Slow: true, Not: doors.With(plain, windows), Wrap: doors.Zipped, Seen: doors.Unzipped, Run: func(p *doors.Pass) error {
		resp := response(p)
		resp.Header.Set("Content-Encoding", "gzip")
		return copied(p, webbed(p).Response(resp))
	}},
	{Name: "web.ModifyResponse", Of: []string{"web.Rewriter.ModifyResponse"}, Not: plain, Run: func(p *doors.Pass) error {
		resp := response(p)
		if err := webbed(p).ModifyResponse(resp); err != nil {
			return err
		}
		return copied(p, resp)
	}},
	{Name: "web.Transport", Of: []string{"web.Transport.RoundTrip"}, Not: plain, Run: func(p *doors.Pass) error {
		tr := &web.Transport{Base: roundTrip(func(*http.Request) (*http.Response, error) { return response(p), nil }), Rewriter: webbed(p)}
		resp, err := tr.RoundTrip(httptest.NewRequest("GET", "http://h/", nil))
		if err != nil {
			return err
		}
		return copied(p, resp)
	}},
	{Name: "web.Handler", Of: []string{"web.Rewriter.Handler"}, Not: doors.With(given, handlers), Push: func(p *doors.Pass, feed func(io.Writer) error) error {
		return served(p, handler(feed))
	}},
	{Name: "web.Handler, gzip", Coded: true, Slow: true, Wrap: doors.Zipped, Seen: doors.Unzipped,
		Not: doors.With(given, windows, handlers), Push: func(p *doors.Pass, feed func(io.Writer) error) error {
			return served(p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				handler(feed).ServeHTTP(w, r)
			}))
		}},
	{Name: "web.Handler, over HTTP", Slow: true, Opaque: overHTTP, Not: doors.With(given, handlers, doors.Not(received, "write", "short write")),
		Push: func(p *doors.Pass, feed func(io.Writer) error) error {
			server := serve(webbed(p).Handler(handler(feed)))
			defer server.Close()
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			resp, err := client.Get(server.URL)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			_, err = io.Copy(p.Dst, resp.Body)
			return err
		}},
	{Name: "web.Transport, over HTTP", Slow: true, Opaque: overHTTP, Not: doors.Not(overHTTP, "where"), Run: func(p *doors.Pass) error {
		server := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if _, err := io.Copy(w, &steady.Reader{Src: p.Src}); err != nil {
				panic(http.ErrAbortHandler)
			}
		}))
		defer server.Close()
		client := &http.Client{Transport: &web.Transport{Base: &http.Transport{DisableKeepAlives: true}, Rewriter: webbed(p)}}
		req, err := http.NewRequestWithContext(p.Ctx, "GET", server.URL, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		return copied(p, resp)
	}},
}

// webbed returns a Rewriter of responses for a Pass. Its End gives the Pass its Result.
func webbed(p *doors.Pass) *web.Rewriter {
	counted(p, rewriter.Result{}, nil) // an empty body passes as it is
	return &web.Rewriter{
		HTML: p.HTML,
		URL: func(*http.Request) *url.URL {
			if p.Outer == nil {
				return nil
			}
			u, err := url.Parse(p.Outer.String())
			if err != nil {
				panic(err)
			}
			return u
		},
		End: func(_ *http.Request, d *rewriter.Document, err error) { counted(p, d.Result, err) },
	}
}

// serve starts a server that says nothing of the panics of a test.
func serve(h http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	return server
}

func response(p *doors.Pass) *http.Response {
	return &http.Response{
		StatusCode: 200, ContentLength: -1, Body: io.NopCloser(p.Src), Header: http.Header{"Content-Type": {"text/html"}},
		Request: httptest.NewRequest("GET", "http://h/", nil),
	}
}

// served has a handler answer. The error of a response that ends early is that of End.
func served(p *doors.Pass, h http.Handler) (err error) {
	rw := webbed(p)
	end, ended := rw.End, error(nil)
	rw.End = func(r *http.Request, d *rewriter.Document, err error) {
		ended = err
		end(r, d, err)
	}
	defer func() {
		if r := recover(); r == http.ErrAbortHandler {
			err = doors.Error("write", cmp.Or(ended, errors.New("aborted")))
		} else if r != nil {
			panic(r)
		}
	}()
	rw.Handler(h).ServeHTTP(&recorder{dst: p.Dst, header: http.Header{}}, httptest.NewRequest("GET", "http://h/", nil))
	return nil
}

// copied writes the body of a response.
func copied(p *doors.Pass, resp *http.Response) error {
	defer resp.Body.Close()
	_, err := io.Copy(p.Dst, resp.Body)
	return doors.Error("write", err)
}

// handler returns a handler that answers with a document.
func handler(feed func(io.Writer) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		feed(w)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A recorder passes the body of a response on.
type recorder struct {
	dst    io.Writer
	header http.Header
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(int)             {}
func (r *recorder) Write(p []byte) (int, error) { return r.dst.Write(p) }
