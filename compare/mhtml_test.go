package compare

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/emersion/go-message"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/mail"
)

// sitePages are the pages on the server of TestMHTML.
var sitePages = map[string]string{
	"/docs/page.html": `<!DOCTYPE html><meta charset=utf-8><title>A page</title>
<link rel=stylesheet href=../style.css><link rel=next href="next.html?a=1&amp;b=2">
<body background="back.png"><a href="next.html">next</a><a href="../up.html#there">up</a><a href="#here">here</a><a href="?q=café">query</a><a href="//other.example/x">other</a><a href="mailto:a@b">mail</a>
<area href=area.html><img src=picture.png alt="a picture with a long text beside it, so that lines of it are broken"><form action=send><input></form>
<iframe src=frame.html></iframe><div id=here><a href="http://absolute.example/a b">absolute</a></div>`,
	"/docs/frame.html": `<!DOCTYPE html><title>A frame</title><a href="in-frame.html">in the frame</a><img src=../picture.png>`,
	"/style.css":       `body { color: #123 } p { background: url(docs/picture.png) }`,
}

// picture is a GIF of one pixel.
const picture = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// hrefs is JavaScript for the URLs of the links and pictures of a document.
const hrefs = `[...document.links].map(a => a.href).concat([...document.images].map(i => i.src + " " + i.naturalWidth))`

// An MHTML file that Chromium saved, rewritten and loaded again, has the links and the
// pictures of the page. So has a file with relative links, as other programs save them.
func TestMHTML(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := sitePages[r.URL.Path]
		switch {
		case ok && strings.HasSuffix(r.URL.Path, ".css"):
			w.Header().Set("Content-Type", "text/css")
		case ok:
			w.Header().Set("Content-Type", "text/html")
		case strings.HasSuffix(r.URL.Path, ".png"):
			w.Header().Set("Content-Type", "image/gif")
			body = picture
		default:
			http.NotFound(w, r)
		}
		io.WriteString(w, body)
	}))
	defer server.Close()
	tab, cancel := chromedp.NewContext(startBrowser(t, onlyLocal))
	defer cancel()

	var want []string
	var saved string
	noError(t, chromedp.Run(tab,
		chromedp.Navigate(server.URL+"/docs/page.html"),
		seeLinks(&want),
		chromedp.ActionFunc(func(ctx context.Context) (err error) {
			saved, err = page.CaptureSnapshot().Do(ctx)
			return err
		}),
	))
	if len(want) < 9 {
		t.Fatalf("%d links", len(want))
	}
	for name, in := range map[string]string{"as saved": saved, "relative": relativeLinks(t, saved, server.URL)} {
		t.Run(name, func(t *testing.T) {
			if !mail.Is([]byte(in[:min(len(in), 4096)]), "x") {
				t.Error("it is not taken for a message")
			}
			out, result := rewriteMHTML(t, in)
			if name == "relative" && result.Rewritten == 0 {
				t.Error("nothing was rewritten")
			}
			if name == "relative" && result.Left == 0 {
				t.Error("no reference to a part stayed")
			}
			if again, _ := rewriteMHTML(t, out); again != out {
				t.Error("rewritten twice it is not the same")
			}
			server.Close() // so that everything is loaded from the file
			got := load(t, tab, out)
			if !slices.Equal(got, want) {
				t.Errorf("the links are\n%q\nwant\n%q", got, want)
			}
		})
	}
}

// seeLinks returns the links of the page and of its frame.
func seeLinks(links *[]string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		tree, err := page.GetFrameTree().Do(ctx)
		if err != nil {
			return err
		}
		*links = nil
		for _, frame := range append([]*page.FrameTree{tree}, tree.ChildFrames...) {
			world, err := page.CreateIsolatedWorld(frame.Frame.ID).Do(ctx)
			if err != nil {
				return err
			}
			var seen []string
			in := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithContextID(world) }
			if err := chromedp.Evaluate(hrefs, &seen, in).Do(ctx); err != nil {
				return err
			}
			*links = append(*links, seen...)
		}
		return nil
	})
}

// rewriteMHTML rewrites the saved file.
func rewriteMHTML(t *testing.T, in string) (string, rewriter.Result) {
	var out bytes.Buffer
	r := mail.Rewriter{
		HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG})).With(rewriter.Hooks{
			Warn: func(offset int64, err error) { t.Errorf("%d: %v", offset, err) }}),
	}
	result := must(r.Rewrite(&out, strings.NewReader(in), nil))(t)
	return out.String(), result
}

// load opens the rewritten file in the browser.
func load(t *testing.T, tab context.Context, mhtml string) (got []string) {
	name := filepath.Join(t.TempDir(), "saved.mhtml")
	noError(t, os.WriteFile(name, []byte(mhtml), 0o600))
	file := url.URL{Scheme: "file", Path: filepath.ToSlash(name)}
	noError(t, chromedp.Run(tab, chromedp.Navigate(file.String()), seeLinks(&got)))
	return got
}

// relativeLinks returns the saved file with relative links in its pages, as other
// programs save them. go-message writes it anew.
func relativeLinks(t *testing.T, saved, server string) string {
	in := must(message.Read(strings.NewReader(saved)))(t)
	var out bytes.Buffer
	w := must(message.CreateWriter(&out, in.Header))(t)
	parts := in.MultipartReader()
	isFirst := true
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		body := must(io.ReadAll(part.Body))(t)
		if kind, _, _ := part.Header.ContentType(); kind == "text/html" {
			before := ""
			if !isFirst { // a frame with a cid: URL, which Chromium takes for the base of its pictures
				before = "href="
			}
			isFirst = false
			body = bytes.ReplaceAll(body, fmt.Appendf(nil, `%s"%s/docs/`, before, server), fmt.Appendf(nil, `%s"`, before))
			body = bytes.ReplaceAll(body, fmt.Appendf(nil, `%s"%s/`, before, server), fmt.Appendf(nil, `%s"/`, before))
		}
		p, err := w.CreatePart(part.Header)
		if err == nil {
			_, err = p.Write(body)
		}
		if err == nil {
			err = p.Close()
		}
		noError(t, err)
	}
	noError(t, w.Close())
	return out.String()
}
