package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"absolink/internal/test/testio"
)

// startRewritingProxy starts a proxy, and is a [testio.StartProxy].
func startRewritingProxy(t *testing.T) testio.StartProxy {
	return func(target string) string {
		p := newProxy(target)
		address, stop, ended := run(t, p.Handler(), 0, p.Limits())
		t.Cleanup(func() { stop(); <-ended })
		return address
	}
}

// Only a path reaches the target, whatever form the target of a request has.
func TestProxyTargets(t *testing.T) { testio.ProxyTargets(t, startRewritingProxy(t)) }

// An answer that cannot be passed on is 502: its status is not one, its header is longer
// than 64 KiB, or it changes to a protocol that nobody asked for.
func TestProxyAnswers(t *testing.T) { testio.ProxyAnswers(t, startRewritingProxy(t)) }

// With HTTP/2, where the target of a request has a field of its own, the same holds.
func TestProxyTargetsHTTP2(t *testing.T) {
	asked := ""
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.RequestURI }))
	defer target.Close()
	address := startRewritingProxy(t)(target.URL)
	for _, test := range []struct{ method, path, asked, status string }{
		{"GET", "/x", "/x", "200"},
		{"GET", "//other/x", "//other/x", "200"},
		{"GET", "x:http://other/admin", "", "400"},
		{"GET", "http://other/x", "", "400"},
		{"GET", "/x#f", "", "400"},
		{"GET", "*", "", "400"},
		{"GET", "x", "", ""}, // the stream is reset
		{"CONNECT", "", "", "400"},
		{"OPTIONS", "*", "", "400"},
	} {
		asked = ""
		status := requestHTTP2(t, address, test.method, test.path)
		if asked != test.asked || status != test.status {
			t.Errorf("%v: %s, the target is asked for %q", test, status, asked)
		}
	}
}

// requestHTTP2 sends a request, and returns the status of the answer; "" for none.
func requestHTTP2(t *testing.T, address, method, path string) (status string) {
	t.Helper()
	conn := dial(t, address)
	io.WriteString(conn, http2.ClientPreface)
	framer := http2.NewFramer(conn, conn)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	framer.WriteSettings()
	var block bytes.Buffer
	fields := hpack.NewEncoder(&block)
	fields.WriteField(hpack.HeaderField{Name: ":method", Value: method})
	fields.WriteField(hpack.HeaderField{Name: ":authority", Value: "public"})
	if path != "" {
		fields.WriteField(hpack.HeaderField{Name: ":scheme", Value: "http"})
		fields.WriteField(hpack.HeaderField{Name: ":path", Value: path})
	}
	framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
	for {
		frame, err := framer.ReadFrame()
		switch f := frame.(type) {
		case *http2.MetaHeadersFrame:
			return f.PseudoValue("status")
		case *http2.RSTStreamFrame, *http2.GoAwayFrame:
			return ""
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// An answer without Content-Type stays without one: a guess would make a text a page, which
// was not rewritten. Of several, browsers take the last valid one, and so does the proxy.
func TestProxyTypes(t *testing.T) {
	const page = "<!DOCTYPE html><a href=x>"
	header := ""
	target := testio.Raw(t, func() string {
		return "HTTP/1.1 103 Early Hints\r\nLink: <b>\r\n\r\nHTTP/1.1 200 OK\r\n" + header + "\r\n" + page
	})
	address := startRewritingProxy(t)(target)
	for _, version2 := range []bool{false, true} {
		var protocols http.Protocols
		protocols.SetHTTP1(!version2)
		protocols.SetUnencryptedHTTP2(version2)
		client := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
		for _, test := range []struct {
			types     string // with | between two fields
			rewritten bool
		}{
			{"", false},
			{"text/html", true},
			{"text/plain|text/html", true},
			{"text/html|text/plain", false},
			{"text/html|nonsense", true},
			{"text/html|*/*", true},
			{"text/html|text/", true},
			{"text/plain|application/xhtml+xml; charset=utf-8", true},
		} {
			var types []string
			if test.types != "" {
				types = strings.Split(test.types, "|")
			}
			header = fmt.Sprintf("X-Content-Type-Options: nosniff\r\nContent-Length: %d\r\n", len(page))
			for _, value := range types {
				header += "Content-Type: " + value + "\r\n"
			}
			resp, err := client.Get("http://" + address + "/")
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if rewritten := string(b) != page; rewritten != test.rewritten || !slices.Equal(resp.Header.Values("Content-Type"), types) {
				t.Errorf("HTTP/2 %v, %q: %q, %s", version2, test.types, resp.Header["Content-Type"], b)
			}
		}
	}
}

// URLs in the header of an interim response become absolute too.
func TestProxyEarlyHints(t *testing.T) {
	target := testio.Raw(t, func() string {
		return "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload, <b>; rel=next\r\nLink: <http://other.test/>\r\n\r\n" +
			"HTTP/1.1 103 Early Hints\r\nLink: <c>\r\n\r\nHTTP/1.1 200 OK\r\nLink: <d>\r\nContent-Length: 0\r\n\r\n"
	})
	address := startRewritingProxy(t)(target)
	var links []string
	r, _ := http.NewRequest("GET", "http://"+address+"/docs/page", nil)
	r = r.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		links = append(links, fmt.Sprint(code, " ", h["Link"]))
		return nil
	}}))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	links = append(links, fmt.Sprint(resp.StatusCode, " ", resp.Header["Link"]))
	want := []string{"103 [<TARGET/a.css>; rel=preload, <TARGET/docs/b>; rel=next <http://other.test/>]", "103 [<TARGET/docs/c>]", "200 [<TARGET/docs/d>]"}
	for i := range links {
		links[i] = strings.ReplaceAll(links[i], target, "TARGET")
	}
	if !slices.Equal(links, want) {
		t.Errorf("%q, want %q", links, want)
	}
}
