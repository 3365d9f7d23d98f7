package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"absolink/cmd/absolink/internal/view"
	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
)

// A decodedView is a view as JSON has it.
type decodedView struct {
	view.View
	Diff      []byte
	JSONLines []byte `json:"jsonl"`
}

// viewOf returns the view of a document, as absolink serve gives it with more parameters.
func viewOf(t *testing.T, more, contentType, document string) *decodedView {
	t.Helper()
	resp, body := post(t, startServe(t)+"/view?url=http://h/d/"+more, contentType, document)
	var v decodedView
	if err := json.Unmarshal([]byte(body), &v); resp.StatusCode != 200 || err != nil {
		t.Fatalf("%s, %v: %.500s", resp.Status, err, body)
	}
	return &v
}

// The places of a message are in its documents, each with a base of its own. A reference
// that is encoded in the message has no length there.
func TestViewMessage(t *testing.T) {
	part := func(location, coding, html string) string {
		return "--b\r\nContent-Type: text/html\r\nContent-Location: " + location + "\r\nContent-Transfer-Encoding: " + coding + "\r\n\r\n" + html + "\r\n"
	}
	v := viewOf(t, "", "message/rfc822", "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"+
		part("http://one/", "7bit", "<a href=x><img data-src=y>")+part("http://two/", "quoted-printable", "<a href=3D'y=3Dz'>")+"--b--\r\n")
	var got []string
	for i := range v.Places {
		p := &v.Places[i]
		got = append(got, v.Base(p)+" "+p.Ref+" "+p.State+" "+strconv.Itoa(p.Length))
	}
	want := "http://one/ x rewritten 1, http://two/ y=z rewritten 0, http://one/ y request 1"
	if joined := strings.Join(got, ", "); joined != want {
		t.Errorf("%s\nwant\n%s\n%+v", joined, want, v.Documents)
	}
}

// A form without an action leads to the document's own URL, and BASE is resolved on it.
func TestViewOuter(t *testing.T) {
	v := viewOf(t, "", "text/html", "<base href=/b/><form action=''></form><a href=x>")
	for i, want := range []string{"http://h/d/", "http://h/d/", "http://h/b/"} {
		if got := v.Base(&v.Places[i]); got != want {
			t.Errorf("%+v: %s", v.Places[i], got)
		}
	}
}

// A view of a hostile document is bounded: in places, their texts, and resolutions.
func TestViewBounds(t *testing.T) {
	soak.Only(t)
	t.Parallel()
	v := viewOf(t, "", "text/html", strings.Repeat("<a href=x>", view.MaxPlaces+10)+"<a data-src=x>")
	if len(v.Places) != view.MaxPlaces || v.Unshown != 10 {
		t.Errorf("%d places, and %d more", len(v.Places), v.Unshown)
	}
	// Beyond what can be shown, places on request are not looked for in comments.
	v = viewOf(t, "", "text/html", strings.Repeat("<i data-src=x>", view.MaxPlaces+10)+"<!--<a href=x>-->")
	if len(v.Places) != view.MaxPlaces || v.Unshown != 10 {
		t.Errorf("%d places on request, and %d more", len(v.Places), v.Unshown)
	}
	long := strings.Repeat("x", 3<<10)
	var many strings.Builder
	for i := range 4000 {
		many.WriteString("<a href=" + strconv.Itoa(i) + ">")
	}
	v = viewOf(t, "", "text/html", "<base href=/"+long+"/>"+many.String()+strings.Repeat("<a data-src=y>", 12_000))
	texts := 0
	for _, p := range v.Places {
		texts += len(p.URL)
	}
	if texts > view.MaxPlaceBytes || v.Unshown == 0 {
		t.Errorf("%d bytes of URLs, %d unshown", texts, v.Unshown)
	}
	var written testio.TailWriter
	if err := v.WriteResolutions(&written); err != nil || written.N < view.MaxResolutions || written.N > view.MaxResolutions+1<<20 {
		t.Errorf("%d bytes of resolutions, %v", written.N, err)
	}
	resp, got := post(t, startServe(t)+"/view?url=http://h/d/", "text/html", strings.Repeat("x", view.MaxDiff/2+1))
	if resp.StatusCode != 413 || !strings.Contains(got, "32 MiB") {
		t.Errorf("%s %.200s", resp.Status, got)
	}
	resp, got = post(t, startServe(t)+"/view?url=http://h/"+strings.Repeat("a", 4000), "application/mbox", strings.Repeat("From a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\n\n<p>\n\n", 9000))
	if resp.StatusCode != 413 || !strings.Contains(got, "base URLs") {
		t.Errorf("%s %.200s", resp.Status, got)
	}
}

// The lists in a view are what absolink list prints, under the name that the request gives
// the document. They are whole or left out. The warnings are the first that absolink gives.
func TestViewLists(t *testing.T) {
	shown := func(document string) *decodedView {
		return viewOf(t, "&name=a+page.html&max-tag=10000", "text/html", document)
	}
	const link = "<a href=x>the text</a>"
	t.Chdir(t.TempDir())
	write(t, "a page.html", link)
	v := shown(link)
	for format, got := range map[string][]byte{"csv": v.CSV, "jsonl": v.JSONLines} {
		want := absolink(t, "list", "--format", format, "--url", "http://h/d/", "a page.html")
		if string(got) != want || !strings.Contains(want, "the text") {
			t.Errorf("%s: %s\nwant\n%s", format, got, want)
		}
	}
	if !strings.HasPrefix(string(v.Diff), "--- a page.html\t\n") {
		t.Errorf("%s", v.Diff)
	}
	if v = shown(""); v.JSONLines == nil || v.CSV == nil {
		t.Error("no list of no places")
	}
	v = shown("<base href=/" + strings.Repeat("x", 3<<10) + "/>" + strings.Repeat("<a href=y>", 6000))
	if v.JSONLines != nil || v.CSV != nil || len(v.Places) != 6001 {
		t.Errorf("%d and %d bytes of lists, %d places", len(v.JSONLines), len(v.CSV), len(v.Places))
	}
	v = shown(strings.Repeat("<a href='"+strings.Repeat("x", 20_000)+"'>", view.MaxWarnings+2))
	if v.Warned != view.MaxWarnings+2 || len(v.Warnings) != view.MaxWarnings || !strings.Contains(v.Warnings[0].Message, "longer") {
		t.Errorf("%d: %v", v.Warned, v.Warnings)
	}
}

// A place on request says which groups of rules it needs besides those in effect.
func TestViewRequests(t *testing.T) {
	const document = "<img data-src=a><!--[if IE]><a href=b><img data-src=c><![endif]--><!--<a href=d>-->"
	for rules, want := range map[string]string{
		"html":                  "a lazy, b comments, c lazy,comments, d allcomments",
		"html,comments":         "b , a lazy, c lazy, d allcomments",
		"html,lazy,allcomments": "a , b , c , d ",
		"":                      "a lazy, b html,comments, c lazy,comments, d html,allcomments",
	} {
		var places []string
		for _, p := range viewOf(t, "&rules="+rules, "text/html", document).Places {
			places = append(places, p.Ref+" "+p.Group)
		}
		if joined := strings.Join(places, ", "); joined != want {
			t.Errorf("%s: %s\nwant %s", rules, joined, want)
		}
	}
}

// The charset of a view is the one that browsers find, or UTF-8 where they would guess.
func TestViewCharset(t *testing.T) {
	for _, test := range []struct{ contentType, document, want string }{
		{"text/html", "x", "utf-8"},
		{"text/html", "\xe9", "windows-1252"},
		{"text/html", strings.Repeat(" ", 2000) + "é", "utf-8"},
		{"text/html", "<meta charset=windows-1252>é", "windows-1252"},
		{"text/html", "<meta charset=iso-2022-jp>\x1b$B", "iso-2022-jp"},
		{"text/html;charset=koi8-r", "<meta charset=utf-8>é", "koi8-r"},
		{"text/html;charset=koi8-r", "\ufeff", "utf-8"},
	} {
		if v := viewOf(t, "", test.contentType, test.document); v.Charset != test.want {
			t.Errorf("%s, %q: %s, want %s", test.contentType, test.document, v.Charset, test.want)
		}
	}
}

// The page has a box for each group of rules, and so has a view places of each.
func TestViewGroups(t *testing.T) {
	if view.RuleOrder[0] != "html" {
		t.Errorf("%v begins with another group than html", view.RuleOrder)
	}
	_, page := ask(t, "GET", startServe(t)+"/", "")
	for _, name := range view.RuleOrder {
		if !strings.Contains(page, `type="checkbox" value="`+name+`"`) {
			t.Errorf("the page has no %s", name)
		}
	}
}
