package serve

import (
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"absolink/rewriter"
)

// What a proxy holds of all pages together has a bound. A page that finds no room is not
// kept waiting, and less is held of it, or nothing. The log says so where that made a
// difference.
func TestProxyHolds(t *testing.T) {
	const defaultHold = 16 << 20
	const head = 2 << 20
	var log strings.Builder
	pages := newProxyPages(new(rewriter.Rewriter), slog.New(slog.NewTextHandler(&log, nil)))
	full, low, bare := &pages.levels[0], &pages.levels[1], &pages.levels[2]
	most := HeldMemory(defaultHold, math.MaxInt64)
	full.memory = newMemorySemaphore(2*most+HeldMemory(defaultHold, head), 0)
	low.memory = newMemorySemaphore(HeldMemory(lowHold, math.MaxInt64), 0)
	late := "<link href=x><title>" + strings.Repeat("x", head) + "</title><base href=/b/>"
	pass := func(page, contentType, coding string, length int64) *http.Response {
		resp := &http.Response{
			StatusCode: 200, Header: http.Header{"Content-Type": {contentType}}, ContentLength: length,
			Body: io.NopCloser(strings.NewReader(page)), Request: httptest.NewRequest("GET", "http://h/d/page", nil),
		}
		if coding != "" {
			resp.Header.Set("Content-Encoding", coding)
		}
		if err := pages.modify(resp); err != nil {
			t.Fatal(err)
		}
		return resp
	}
	check := func(resp *http.Response, want string) {
		t.Helper()
		log.Reset()
		got, err := io.ReadAll(resp.Body)
		if !strings.HasPrefix(string(got), "<link href=http://h/"+want+">") || err != nil {
			t.Errorf("%.60s, %v, want %s", got, err, want)
		}
		told := strings.Contains(log.String(), "path=/d/page byte=11 limit=hold reason=")
		if (want == "d/x") != told {
			t.Errorf("%s: the log says %q", want, log.String())
		}
		resp.Body.Close()
		resp.Body.Close() // again changes nothing
	}
	first, second := pass(late, "text/html", "", -1), pass(late, "text/html", "", -1)
	check(pass(late, "text/html", "", -1), "d/x")
	check(pass(late, "text/html; charset=utf-8", "", int64(len(late))), "d/x") // a little longer than head
	short := "<link href=x><base href=/b/>"
	check(pass(short, "text/html", "", int64(len(short))), "b/x")
	for range 1000 { // what is not a page takes no room
		pass("x", "image/png", "", -1)
	}
	for range 1000 { // nor does what is not rewritten
		resp := pass(late, "text/html", "unknown", 1)
		resp.Body.Close()
	}
	// There is room for one page of which a little is held. Nothing is held of others.
	little := "<link href=x><title>" + strings.Repeat("x", lowHold/2) + "</title><base href=/b/>"
	third := pass(little, "text/html", "", -1)
	for range 1000 {
		pass(little, "text/html", "", -1)
	}
	if n := bare.memory.documents.Load(); n != 1000 {
		t.Errorf("nothing is held of %d pages", n)
	}
	check(pass(little, "text/html", "", -1), "d/x")
	check(third, "b/x")
	check(pass(little, "text/html", "", -1), "b/x")

	check(first, "b/x")
	check(pass(late, "text/html", "", -1), "b/x")
	check(second, "b/x")
	if n := full.memory.acquired.Load() + low.memory.acquired.Load(); n != 0 {
		t.Errorf("%d bytes are still taken", n)
	}

	// A page that has arrived counts for its length, although its client has not read it.
	waiting := pass(short, "text/html", "", -1)
	if n := full.memory.acquired.Load(); n != most {
		t.Errorf("%d bytes are taken for a page of unknown length", n)
	}
	io.ReadAll(waiting.Body)
	if n := full.memory.acquired.Load(); n != HeldMemory(defaultHold, int64(len(short))) {
		t.Errorf("%d bytes are taken for a page of %d bytes", n, len(short))
	}
	waiting.Body.Close()
	if n := full.memory.acquired.Load(); n != 0 {
		t.Errorf("%d bytes are still taken", n)
	}

	// What is not rewritten is the body that the target sent: to write to, perhaps.
	resp := &http.Response{StatusCode: http.StatusSwitchingProtocols, Header: http.Header{"Content-Type": {"text/html"}}, ContentLength: -1, Body: new(connection), Request: httptest.NewRequest("GET", "http://h/", nil)}
	if err := pages.modify(resp); err != nil {
		t.Fatal(err)
	}
	if _, ok := resp.Body.(*connection); !ok {
		t.Errorf("the body is %T", resp.Body)
	}
}

// A connection is the body of an answer that changes the protocol.
type connection struct{ net.Conn }
