package compare

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// renderedFrames are the frames with documents, in a report or in the page, where another
// document stands between them and the page.
const renderedFrames = `[...(document.querySelector('#frames > iframe')?.contentDocument ?? document).querySelectorAll('figure iframe')]`

// inFrames are points in the rendered documents.
const inFrames = renderedFrames + `.map((e) => {
	const r = e.getBoundingClientRect(), of = document.querySelector('#frames > iframe')?.getBoundingClientRect() ?? { x: 0, y: 0 };
	return { x: of.x + r.x + r.width / 2, y: of.y + r.y + Math.min(100, r.height / 2) };
})`

// useFrames points at the rendered documents, and clicks on them.
func (p *shownPage) useFrames() {
	p.t.Helper()
	p.await(renderedFrames+".length", "2")
	p.eval(`document.getElementById('frames').scrollIntoView({ behavior: 'instant' })`)
	var at []struct{ X, Y float64 }
	p.run(chromedp.Sleep(200*time.Millisecond), chromedp.Evaluate(inFrames, &at))
	for _, point := range at {
		p.run(chromedp.MouseEvent(input.MouseMoved, point.X, point.Y), chromedp.MouseClickXY(point.X, point.Y))
	}
	p.run(chromedp.Sleep(400 * time.Millisecond))
}

// close closes the tab.
func (p *shownPage) close() { chromedp.Cancel(p.ctx) }

// Of all documents that try to connect, none has the browser connect to any server, or the
// page's server asked for anything, in the page with and without --fetch, and in a report.
func TestPageConnects(t *testing.T) {
	absolink := buildAbsolink(t)
	documents, hosts := hostileDocuments(t)
	fetched := newSink(t)
	check := func(t *testing.T, d *hostileDocument, p *shownPage, server *loggedServer) {
		t.Helper()
		n, asked := d.sink.connections()
		fetches, _ := fetched.connections()
		var strange []string
		if server != nil {
			strange = server.strange()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if n > 0 || fetches > 0 || len(strange) > 0 || len(p.dialogs) > 0 {
			t.Errorf("%s: %d connections (%s), %d to fetch, the server is asked for %q, dialogs %q", d.name, n, asked, fetches, strange, p.dialogs)
		}
	}
	for mode, args := range map[string][]string{"with --fetch": {"--fetch", fetched.address, "--fetch-networks", "127.0.0.1"}, "without --fetch": nil} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			browser, server := startBrowser(t, hosts), startLogged(t, absolink, args...)
			for _, d := range documents {
				p := openPage(t, browser, server.url)
				p.run(sendKeys("#url", server.url+"/"))
				p.drop(write(t, "page.html", d.with(server.url, fetched)))
				p.await("document.title", "page.html – absolink")
				p.run(click("#rendered summary"))
				p.useFrames()
				check(t, d, p, server)
				p.close()
			}
		})
	}
	t.Run("in a report", func(t *testing.T) {
		t.Parallel()
		browser := startBrowser(t, hosts)
		for _, d := range documents {
			report := exec.Command(absolink, "--report=html", "--quiet", "--url", "http://"+fetched.address+"/", "-")
			report.Stdin = strings.NewReader(d.with("http://127.0.0.1:1", fetched))
			page := must(report.Output())(t)
			p := openPage(t, browser, "file://"+write(t, "report.html", string(page)))
			p.await("document.querySelectorAll('#places .row').length > 0", "true")
			p.run(click("#rendered summary"))
			p.useFrames()
			check(t, d, p, nil)
			p.close()
		}
	})
}

// The policy alone stops every request: documents may connect that nothing was taken out of,
// but ask neither the page's server nor another one for anything.
func TestQuietPolicy(t *testing.T) {
	t.Parallel()
	documents, hosts := hostileDocuments(t)
	browser, fetched := startBrowser(t, hosts), newSink(t)
	server := startLogged(t, buildAbsolink(t), "--fetch", fetched.address, "--fetch-networks", "127.0.0.1")
	p := openPage(t, browser, server.url)
	p.paste("<p>x")
	p.await("document.getElementById('shown').hidden", "false")
	p.run(click("#rendered summary"))
	for _, d := range documents {
		text, _ := json.Marshal(d.with(server.url, fetched))
		p.await(renderedFrames+".length", "2")
		p.eval(renderedFrames + `.forEach((e) => { e.srcdoc = ` + string(text) + ` })`)
		p.useFrames()
		_, asked := d.sink.connections()
		if n, _ := fetched.connections(); asked != "" || n > 0 || len(server.strange()) > 0 {
			t.Errorf("%s: %s is asked for, the server for %q, %d fetches", d.name, asked, server.strange(), n)
		}
	}
}

// Without what the page does, browsers connect, and the sinks see it.
func TestSinks(t *testing.T) {
	t.Parallel()
	documents, hosts := hostileDocuments(t)
	browser := startBrowser(t, hosts)
	for _, d := range documents {
		if !slices.Contains([]string{"in the body", "in a shadow root", "in noscript", "click on a", "click on SVG with set", "click on SVG with animate", "click on SVG with set from elsewhere"}, d.name) {
			continue
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!DOCTYPE html><link rel=icon href=data:,><iframe sandbox width=800 height=400 srcdoc=\"%s\"></iframe>", html.EscapeString(d.text))
		}))
		defer server.Close()
		p := openPage(t, browser, server.URL)
		p.run(chromedp.Sleep(300*time.Millisecond), chromedp.MouseClickXY(100, 100))
		err := poll(p.ctx, "connect", func() (bool, error) {
			n, _ := d.sink.connections()
			return n > 0, nil
		})
		if err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
	}
}

// A document that asks for images and styles, in a window of its own, does not have the
// server fetch anything either.
func TestPageElsewhere(t *testing.T) {
	fetched, other := newSink(t), newSink(t)
	browser := startBrowser(t, "MAP other.test "+other.address+", MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
	server := startLogged(t, buildAbsolink(t), "--fetch", fetched.address, "--fetch-networks", "127.0.0.1")
	p := openPage(t, browser, server.url)
	p.drop(write(t, "page.html", strings.NewReplacer("SELF", server.url, "FETCH", "http://"+fetched.address).Replace(`<base href=SELF/x/>
<img src='/rewrite?url=FETCH/'><link rel=stylesheet href='SELF/list?url=FETCH/'><style>@import "/base?url=FETCH/"; p { background: url(/view?url=FETCH/) }</style><p>x
<script src='/rewrite?url=FETCH/'></script><iframe src='/rewrite?url=FETCH/'></iframe><object data='/rewrite?url=FETCH/'></object><video src='/rewrite?url=FETCH/' autoplay></video>
<meta http-equiv=refresh content='1;url=/rewrite?url=FETCH/'><link rel=prefetch href='/rewrite?url=FETCH/'><img src=http://other.test/image>`)))
	p.await("document.title", "page.html – absolink")
	p.run(click("#rendered summary"))
	opened := chromedp.WaitNewTarget(p.ctx, func(info *target.Info) bool { return strings.HasSuffix(info.URL, "/page/elsewhere.html") })
	p.run(click("#elsewhere"))
	ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(<-opened))
	defer cancel()
	shown := &shownPage{t: t, ctx: ctx}
	shown.await(`document.querySelectorAll('iframe').length`, "2")
	err := poll(p.ctx, "ask for the image and the style", func() (bool, error) {
		n, _ := other.connections()
		return n > 0 && slices.Contains(server.strange(), "GET /base"), nil
	})
	if err != nil {
		t.Error(err, server.strange())
	}
	shown.run(chromedp.Sleep(2 * time.Second))
	if n, asked := fetched.connections(); n > 0 {
		t.Errorf("%d fetches: %s", n, asked)
	}
}
