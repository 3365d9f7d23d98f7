package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"absolink/cmd/absolink/internal/serve"
	"absolink/internal/steady"
	"absolink/internal/test/doors"
	"absolink/internal/test/testio"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

var (
	request = options
	answers = doors.With(doors.Not(noDocument, "location", "stays", "twice", "structure"), doors.Not("the list says what is counted", "counts"), request)
	fetched = doors.With(doors.Not("a page that is fetched has a URL", "stays"), request)
	passed  = doors.With(doors.Not("a page behind a proxy has a URL, and keeps its fragments", "stays", "location"), doors.Not("a proxy does not count", "counts"), request)
	flushed = doors.With(doors.Not("a coding has a window", "memory"), doors.Not("where a coding is flushed depends on time", "write"))
)

// serverDoors returns the doors of the servers, on a stage.
func serverDoors(s *stage) []doors.Door {
	home := func(out []byte) []byte {
		return []byte(strings.NewReplacer(s.URL, "http://h", inUTF16(s.URL), inUTF16("http://h")).Replace(string(out)))
	}
	homeBase := func(out []byte) []byte { return home(baseIn(out)) }
	return []doors.Door{
		{Name: "POST /rewrite", Of: []string{"POST /rewrite"}, Not: request, Most: most, Run: func(p *doors.Pass) error {
			return s.post(p, "/rewrite", p.Src, -1)
		}},
		{Name: "POST /rewrite, with its length", Row: []doors.Promise{"chunks", "zeros", "no progress"}, Not: doors.With(doors.Not(inMemory, "memory"), request), Run: func(p *doors.Pass) error {
			body, length := whole(p.Src)
			return s.post(p, "/rewrite", body, length)
		}},
		{Name: "POST /rewrite, gzip", Coded: true, Not: doors.With(flushed, request),
			Wrap: doors.Zipped, Seen: doors.Unzipped, Run: func(p *doors.Pass) error {
				return s.post(p, "/rewrite", p.Src, -1, "Content-Encoding", "gzip", "Accept-Encoding", "gzip")
			}},
		{Name: "POST /list", Of: []string{"POST /list"}, Not: answers, Most: most, Want: listOf(doors.Base), Run: func(p *doors.Pass) error {
			return s.post(p, "/list", p.Src, -1)
		}},
		{Name: "POST /base", Of: []string{"POST /base"}, Not: answers, Most: most, Want: baseURL, Seen: baseIn, Leads: leadsOn(baseIn), Run: func(p *doors.Pass) error {
			return s.post(p, "/base", p.Src, -1)
		}},
		{Name: "POST /view", Of: []string{"POST /view", "GET /view"}, Row: doors.Writes, Not: doors.With(doors.Not(inMemory, "memory"), request), Run: func(p *doors.Pass) error {
			return viewed(p, func(p *doors.Pass) error { return s.post(p, "/view", p.Src, -1) })
		}},
		{Name: "GET /rewrite", Of: []string{"GET /rewrite"}, Not: fetched, Seen: home, Most: most, Run: func(p *doors.Pass) error { return s.get(p, "/rewrite") }},
		{Name: "GET /list", Of: []string{"GET /list"}, Not: answers, Seen: home, Most: most, Want: listOf(doors.Base), Run: func(p *doors.Pass) error { return s.get(p, "/list") }},
		{Name: "GET /base", Of: []string{"GET /base"}, Not: answers, Most: most, Want: baseURL, Seen: homeBase, Leads: leadsOn(homeBase), Run: func(p *doors.Pass) error {
			return s.get(p, "/base")
		}},
		{Name: "absolink URL", Most: 2 * most, Not: doors.With(doors.Not("a page that is fetched has a URL", "stays"), filter), Seen: home, Run: func(p *doors.Pass) error {
			return s.With(p.Src, func() error {
				alone := *p
				alone.Outer = nil
				return perform(&alone, nil, p.Dst, func(c *rewriteCommand) { c.Files = []string{s.Page()} }, "--type=html")
			})
		}},
		{Name: "absolink proxy", Of: []string{"proxy"}, Not: passed, Seen: home, Most: most, Want: withFragments, Run: func(p *doors.Pass) error { return s.pass(p, nil) }},
		{Name: "absolink proxy --public", Not: passed, Most: most, Want: s.moved, Run: func(p *doors.Pass) error {
			return s.pass(p, nil, "--public=http://h", "--headers")
		}},
		{Name: "absolink proxy, gzip", Coded: true, Not: doors.With(flushed, passed), Want: withFragments,
			Wrap: doors.Zipped, Seen: func(out []byte) []byte { return home(doors.Unzipped(out)) },
			Run: func(p *doors.Pass) error { return s.pass(p, []string{"Coding", "gzip"}, "--headers") }},
	}
}

// A stage is where the servers of the command stand: a listener in front, and an origin
// behind.
type stage struct {
	*doors.Origin
	front    string // its URL
	serve    http.Handler
	proxies  map[string]http.Handler // by their options
	warnings warnings                // of proxies

	current atomic.Value // the http.HandlerFunc in front
}

// warnings gathers what goroutines log.
type warnings struct {
	mu   sync.Mutex
	text []byte
}

func (w *warnings) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	return len(p), nil
}

// take returns what was logged since the last call.
func (w *warnings) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := string(w.text)
	w.text = nil
	return text
}

func startStage(t *testing.T) *stage {
	s := &stage{Origin: doors.NewOrigin(t), proxies: map[string]http.Handler{}}
	quiet := slog.New(slog.DiscardHandler)
	c := parsed[serveCommand]([]string{"--max-body=128MiB", "--fetch=" + strings.TrimPrefix(s.URL, "http://"), "--fetch-networks=127.0.0.0/8"})
	server := c.server(quiet)
	s.serve = server.Handler()

	l, err := serve.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.front = serve.Address(l)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- serve.Run(ctx, l, s, quiet, time.Minute, server.Limits()) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	p := &doors.Pass{Ctx: ctx, Dst: io.Discard}
	if err := s.ask(p, s.serve, "GET", "/healthz", nil, 0); err != nil { // all goroutines of the server are there now
		t.Fatal(err)
	}
	return s
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.current.Load().(http.HandlerFunc)(w, r)
}

// ask asks a handler that stands in front. The answer says what was done.
func (s *stage) ask(p *doors.Pass, handler http.Handler, method, target string, body io.Reader, length int64, header ...string) error {
	s.current.Store(http.HandlerFunc(handler.ServeHTTP))
	resp, err := doors.Ask(p, method, s.front+target, body, length, header...)
	if err == nil {
		p.Result = resultIn(resp.Header, resp.Trailer)
	}
	return err
}

// post sends a document to an endpoint; length is that of body, or -1.
func (s *stage) post(p *doors.Pass, path string, body io.Reader, length int64, header ...string) error {
	q := optionsOf(p)
	q.Set("type", "html")
	if p.Outer != nil {
		q.Set("url", p.Outer.String())
	}
	return s.ask(p, s.serve, "POST", path+"?"+q.Encode(), body, length, header...)
}

// get has an endpoint fetch a document.
func (s *stage) get(p *doors.Pass, path string) error {
	q := optionsOf(p)
	q.Set("type", "html")
	q.Set("url", s.Page())
	return s.With(p.Src, func() error { return s.ask(p, s.serve, "GET", path+"?"+q.Encode(), nil, 0) })
}

// pass asks for a document through a proxy.
func (s *stage) pass(p *doors.Pass, header []string, args ...string) error {
	for name, values := range optionsOf(p) {
		args = append(args, "--"+name+"="+values[0])
	}
	c := parsed[proxyCommand](append(args, s.URL))
	key := strings.Join(args, " ")
	if s.proxies[key] == nil {
		log := slog.NewTextHandler(&s.warnings, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				a = slog.Attr{}
			}
			return a
		}})
		s.proxies[key] = c.proxy(slog.New(log)).Handler()
	}
	s.warnings.take()
	err := s.With(p.Src, func() error {
		return s.ask(p, s.proxies[key], "GET", strings.TrimPrefix(s.Page(), s.URL), nil, 0, header...)
	})
	if text := s.warnings.take(); text != "" {
		container.Warn(p.HTML, 0, errors.New(text))
	}
	return err
}

// whole returns a document with its length. Where it cannot be read, its length is more than
// what is read: a client that breaks off.
func whole(src io.Reader) (body io.Reader, length int64) {
	doc, err := io.ReadAll(&steady.Reader{Src: src})
	if err != nil {
		return io.MultiReader(bytes.NewReader(doc), iotest.ErrReader(err)), int64(len(doc)) + 1
	}
	return bytes.NewReader(doc), int64(len(doc))
}

// resultIn returns what the header or the trailer of an answer says was done; nil where
// neither does.
func resultIn(fields ...http.Header) *rewriter.Result {
	for _, h := range fields {
		if h.Get("Absolink-Rewritten") == "" {
			continue
		}
		n := func(name string) int {
			n, err := strconv.Atoi(h.Get("Absolink-" + name))
			if err != nil {
				panic(err)
			}
			return n
		}
		return &rewriter.Result{Rewritten: n("Rewritten"), Absolute: n("Absolute"), Left: n("Left"), Unresolvable: n("Unresolvable"), Removed: n("Removed"), Warnings: n("Warnings")}
	}
	return nil
}

// viewed passes on the document in a view.
func viewed(p *doors.Pass, do func(*doors.Pass) error) error {
	var view bytes.Buffer
	its := *p
	its.Dst = &view
	if err := do(&its); err != nil {
		return err
	}
	p.Result = its.Result
	var v struct{ Rewritten []byte }
	if err := json.Unmarshal(view.Bytes(), &v); err != nil {
		return err
	}
	return doors.Put(p.Dst, v.Rewritten)
}

// moved returns what a proxy with a URL of its own makes of a document from the origin.
func (s *stage) moved(p *doors.Pass) []byte {
	its := *p
	if p.Outer != nil {
		base, err := p.HTML.ParseBase(s.Page())
		if err != nil {
			panic(err)
		}
		its.Outer = base
	}
	its.HTML = p.HTML.With(rewriter.Hooks{Visit: func(place *rewriter.Place) error {
		place.URL = strings.Replace(place.URL, s.URL, "http://h", 1)
		return nil
	}})
	return withFragments(&its)
}

// withFragments returns what a proxy makes of a document: it keeps fragments.
func withFragments(p *doors.Pass) []byte {
	var out bytes.Buffer
	o := p.HTML.Options()
	o.KeepFragments = true
	html := rewriter.Must(rewriter.New(o)).With(p.HTML.Hooks())
	if _, err := html.Rewrite(&out, p.Src, p.Outer); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// inUTF16 returns a text as it stands in a document in UTF-16LE.
func inUTF16(text string) string { return string(testio.UTF16(text, "\xff\xfe"))[2:] }
