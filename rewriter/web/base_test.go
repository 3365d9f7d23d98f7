package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"absolink/internal/test/docs"
	"absolink/resolver"
	"absolink/rewriter"
)

// baseDoors are the ways for a response with this header and this page. The retrieval URL is
// http://h/d/p.
var baseDoors = map[string]func(t *testing.T, rw *Rewriter, h http.Header, page string) string{
	"Response": func(t *testing.T, rw *Rewriter, h http.Header, page string) string {
		return readAll(t, rw.Response(answer(t, h, page)))
	},
	"ModifyResponse": func(t *testing.T, rw *Rewriter, h http.Header, page string) string {
		resp := answer(t, h, page)
		if err := rw.ModifyResponse(resp); err != nil {
			t.Fatal(err)
		}
		return readAll(t, resp)
	},
	"Transport": func(t *testing.T, rw *Rewriter, h http.Header, page string) string {
		client := http.Client{Transport: &Transport{Rewriter: rw, Base: roundTripper(func(r *http.Request) (*http.Response, error) {
			resp := answer(t, h, page)
			resp.Request = r
			return resp, nil
		})}}
		resp, err := client.Get("http://h/d/p")
		if err != nil {
			t.Fatal(err)
		}
		return readAll(t, resp)
	},
	"Handler": func(t *testing.T, rw *Rewriter, h http.Header, page string) string {
		w := httptest.NewRecorder()
		rw.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for name, values := range h {
				w.Header()[name] = values
			}
			io.WriteString(w, page)
		})).ServeHTTP(w, httptest.NewRequest("GET", "http://h/d/p", nil))
		return w.Body.String()
	},
}

func answer(t *testing.T, h http.Header, page string) *http.Response {
	u, err := url.Parse("http://h/d/p")
	if err != nil {
		t.Fatal(err)
	}
	return &http.Response{StatusCode: 200, ContentLength: -1, Header: h.Clone(), Body: io.NopCloser(strings.NewReader(page)), Request: &http.Request{Method: "GET", URL: u}}
}

func readAll(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// The header Base of a response is the base of the entity in it, in the profiles of the
// RFCs (RFC 1808 §3.1, §3.2), at every door.
func TestBaseHeader(t *testing.T) {
	rfcs := []resolver.Profile{resolver.RFC1808, resolver.RFC3986}
	for _, row := range []struct {
		profiles []resolver.Profile
		bases    []string
		location string // Content-Location, which counts if it is not ""
		page     string
		want     string // what "x" becomes
		from     string // where the base and the one that it overrides come from
		warning  string
	}{
		{rfcs, []string{"<URL:http://hdr/h/>"}, "", "", "http://hdr/h/x", "Base over retrieval URL", ""},
		{rfcs, []string{"http://hdr/h/"}, "", "", "http://hdr/h/x", "Base over retrieval URL", ""},
		{rfcs, []string{"(c) <url: http://hdr/ h/ > (d)"}, "", "", "http://hdr/h/x", "Base over retrieval URL", ""},
		{rfcs, []string{"<URL:e/>"}, "", "", "http://h/d/e/x", "Base over retrieval URL", ""},
		{rfcs, []string{"<URL:http://hdr/h/>"}, "l/", "", "http://hdr/h/x", "Base over Content-Location", ""},
		{rfcs, []string{"<URL:http://hdr/h/>"}, "", "<base href=b/>", "http://hdr/h/b/x", "BASE over Base", ""},
		{rfcs, []string{"<URL:mailto:a@b>", "<URL:http://hdr/h/>", "<URL:http://no/>"}, "", "", "http://hdr/h/x", "Base over retrieval URL", "Base gives no base: "},
		{rfcs, []string{"<URL:http:///>"}, "l/", "", "http://h/d/l/x", "Content-Location over retrieval URL", "Base gives no base: "},
		{rfcs, []string{"<URL:http://hdr/h/"}, "", "", "http://hdr/h/x", "Base over retrieval URL", ""},
		{rfcs, []string{"<URL:http://u:p@hdr/h/>"}, "", "", "http://hdr/h/x", "Base over retrieval URL", "Base: the user and password"},
		{rfcs, []string{"<URL:javascript:/x>"}, "", "", "http://h/d/x", "retrieval URL over ", "Base gives no base: a base URL that is a script"},
		{rfcs, []string{"http://hdr/ h/"}, "", "", "http://h/d/x", "retrieval URL over ", "Base gives no base: white space"},
		{rfcs, []string{"<URL:http://hdr/" + strings.Repeat("a", rewriter.MaxBase) + ">"}, "", "", "http://h/d/x", "retrieval URL over ", "Base gives no base: a base URL of more than"},
		{rfcs, []string{"", "<URL:>", "(c) <>"}, "", "", "http://h/d/x", "retrieval URL over ", ""},
		{[]resolver.Profile{resolver.WHATWG}, []string{"<URL:http://hdr/h/>"}, "", "", "http://h/d/x", "retrieval URL over ", ""},
		{[]resolver.Profile{resolver.WHATWG}, []string{"<URL:http://hdr/h/>"}, "l/", "", "http://h/d/l/x", "Content-Location over retrieval URL", ""},
		{[]resolver.Profile{resolver.WHATWG}, nil, "l/", "<base href=b/>", "http://h/d/l/b/x", "BASE over Content-Location", ""},
		{[]resolver.Profile{resolver.RFC3986}, nil, "http:///", "", "http://h/d/x", "retrieval URL over ", "Content-Location gives no base: "},
	} {
		for _, profile := range row.profiles {
			for name, door := range baseDoors {
				from, warning := "", ""
				rw := &Rewriter{
					HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: profile})).With(rewriter.Hooks{
						Warn: func(_ int64, err error) { warning += err.Error() }}), ContentLocation: row.location != "",
					End: func(_ *http.Request, d *rewriter.Document, _ error) {
						from = d.Result.Base.Name + " over " + d.Result.Overridden.Name
					},
				}
				h := http.Header{"Content-Type": {"text/html"}, "Base": row.bases, "Content-Location": {row.location}}
				got := door(t, rw, h, row.page+"<a href=x>")
				if !strings.HasSuffix(got, "<a href="+row.want+">") || from != row.from || !strings.HasPrefix(warning, row.warning) || (warning == "") != (row.warning == "") {
					t.Errorf("%s, %s, %.80q: %s from %s, warned %q", name, profile, row.bases, got, from, warning)
				}
			}
		}
	}
}

// A relative Content-Location is resolved against the Base beside it (RFC 1808 §3.1).
func TestContentLocationOnBase(t *testing.T) {
	for base, want := range map[string]string{"": "http://h/d/l/", "<URL:http://hdr/h/>": "http://hdr/h/l/"} {
		var given []string
		rw := &Rewriter{ContentLocation: true, End: func(_ *http.Request, d *rewriter.Document, _ error) {
			for _, b := range []rewriter.Base{d.Result.Base, d.Result.Overridden} {
				if b.Name == "Content-Location" {
					given = append(given, b.URL.String())
				}
			}
		}}
		readAll(t, rw.Response(answer(t, http.Header{"Content-Type": {"text/html"}, "Base": {base}, "Content-Location": {"l/"}}, "<p>")))
		if len(given) != 1 || given[0] != want {
			t.Errorf("%q: %q, want %s", base, given, want)
		}
	}
}

// What RFC 1808 says of protocols with headers (§3.1), at every door.
func TestSayings(t *testing.T) {
	for _, s := range docs.Sayings(t, "http") {
		for name, door := range baseDoors {
			h := http.Header{"Content-Type": {"text/html"}, "Base": {s.Given}}
			if got := door(t, &Rewriter{URL: at(t, s.On)}, h, "<a href=x>"); got != "<a href="+s.Want()+">" {
				t.Errorf("%s, §%s, %s: %q on %s: %s, want %s", name, s.Section, s.Says, s.Given, s.On, got, s.Want())
			}
		}
	}
}
