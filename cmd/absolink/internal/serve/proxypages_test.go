package serve

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"absolink/rewriter"
)

// What a proxy holds of all pages together has a bound. A page that finds no room is not
// kept waiting, and the log says so where that made a difference.
func TestProxyHolds(t *testing.T) {
	const head = 2 << 20
	var log strings.Builder
	pages := newProxyPages(new(rewriter.Rewriter), slog.New(slog.NewTextHandler(&log, nil)))
	pages.room = newRoom(2*PerHeld*defaultHold+PerHeld*head, 0)
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
	check(first, "b/x")
	check(pass(late, "text/html", "", -1), "b/x")
	check(second, "b/x")
	if n := pages.room.taken.Load(); n != 0 {
		t.Errorf("%d bytes are still taken", n)
	}
}
