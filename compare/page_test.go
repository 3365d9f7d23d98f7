package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A shownPage is a tab with the page of absolink serve, or a report.
type shownPage struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	dialogs  []string
	requests []string
	errors   []string // exceptions of the scripts of the page
}

// onlyLocal are the rules for a browser that reaches this machine alone.
const onlyLocal = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

// openPage opens a URL in a new tab.
func openPage(t *testing.T, browser context.Context, url string) *shownPage {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	p := &shownPage{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *page.EventJavascriptDialogOpening:
			p.dialogs = append(p.dialogs, e.Message)
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, e.Request.URL)
		case *cdpruntime.EventExceptionThrown:
			p.errors = append(p.errors, e.ExceptionDetails.Error())
		}
	})
	p.run(network.Enable(), chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url))
	t.Cleanup(func() {
		for _, e := range p.errors {
			t.Error(e)
		}
	})
	return p
}

func (p *shownPage) run(actions ...chromedp.Action) {
	p.t.Helper()
	noError(p.t, chromedp.Run(p.ctx, actions...))
}

// The actions below find an element by a CSS selector or an XPath each time that they look.
// The actions of chromedp keep its node ID, which a page that changes meanwhile makes invalid.

// at is a script that calls a function with the element that a selector finds, or with null.
func at(selector, function string) string {
	return fmt.Sprintf(`(%s)(((selector) => selector.startsWith('//')
		? document.evaluate(selector, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue
		: document.querySelector(selector))(%q))`, function, selector)
}

// focus waits for an element that takes the focus, and gives it the focus.
func focus(selector string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		return poll(ctx, "focus "+selector, func() (done bool, err error) {
			err = chromedp.Evaluate(at(selector, `(e) => (e?.focus(), e !== null && document.activeElement === e)`), &done).Do(ctx)
			return done, err
		})
	})
}

// sendKeys gives an element the focus, and types a text.
func sendKeys(selector, text string) chromedp.Action {
	return chromedp.Tasks{focus(selector), chromedp.KeyEvent(text)}
}

// point waits until an element is where a user can point at it and does not move, scrolls
// there, and points at its middle.
func point(selector string) chromedp.Action {
	return middle(selector, func(x, y float64) chromedp.Action { return chromedp.MouseEvent(input.MouseMoved, x, y) })
}

// click clicks where point points. The pointer stays where it is: a tab in the background
// takes 5 s to move it.
func click(selector string) chromedp.Action {
	return middle(selector, func(x, y float64) chromedp.Action { return chromedp.MouseClickXY(x, y) })
}

// middle does an action at the middle of an element.
func middle(selector string, action func(x, y float64) chromedp.Action) chromedp.Action {
	const middle = `(e) => {
		if (!e) return [];
		e.scrollIntoViewIfNeeded();
		const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
		return e.contains(document.elementFromPoint(x, y)) ? [x, y] : [];
	}`
	return chromedp.ActionFunc(func(ctx context.Context) error {
		var now, before []float64
		err := poll(ctx, "point at "+selector, func() (bool, error) {
			before, now = now, nil
			err := chromedp.Evaluate(at(selector, middle), &now).Do(ctx)
			return len(now) == 2 && slices.Equal(now, before), err
		})
		if err != nil {
			return err
		}
		return action(now[0], now[1]).Do(ctx)
	})
}

// poll repeats a step until it is done.
func poll(ctx context.Context, what string, step func() (done bool, err error)) error {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if done, err := step(); done || err != nil {
			return err
		}
		if err := chromedp.Sleep(20 * time.Millisecond).Do(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: not possible in 30 s", what)
}

// eval returns the value of an expression in the page.
func (p *shownPage) eval(expression string) (value string) {
	p.t.Helper()
	p.run(chromedp.Evaluate("String("+expression+")", &value))
	return value
}

// await waits until an expression in the page has a value.
func (p *shownPage) await(expression, want string) {
	p.t.Helper()
	got := ""
	err := poll(p.ctx, "await", func() (bool, error) {
		got = p.eval(expression)
		return got == want, nil
	})
	if err != nil {
		said := p.eval(`[...document.querySelectorAll('#status, #problem')].map((e) => e.textContent).join('|')`)
		p.t.Fatalf("%s is\n%s\nwant\n%s\n%v\nthe page says: %s", expression, got, want, p.errors, said)
	}
}

// paste pastes a source into the page.
func (p *shownPage) paste(source string) {
	p.t.Helper()
	quoted, _ := json.Marshal(source)
	p.eval(`(() => { const data = new DataTransfer(); data.setData('text/plain', ` + string(quoted) + `);
		document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true })); })()`)
}

// set gives an option a value, as a user does.
func (p *shownPage) set(id, value string) {
	p.t.Helper()
	p.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event('input', { bubbles: true })); })()`, id, value))
}

// dragged is what a user has below the pointer who drags files.
func dragged(names ...string) *input.DragData {
	return &input.DragData{Items: []*input.DragDataItem{}, Files: names, DragOperationsMask: 1}
}

// drop drops files onto the page, as a user does.
func (p *shownPage) drop(names ...string) {
	p.t.Helper()
	data := dragged(names...)
	p.run(chromedp.MouseEvent(input.MouseMoved, 1, 1)) // the files come from another window
	for _, kind := range []input.DispatchDragEventType{input.DragEnter, input.DragOver, input.Drop} {
		p.run(input.DispatchDragEvent(kind, 300, 300, data))
	}
}

// references is the column of the table of places that has references.
const references = `[...document.querySelectorAll('#places .ref')].map((e) => e.textContent).join(' ')`

// becomes is the column that says what becomes of them.
const becomes = `[...document.querySelectorAll('#places .url')].map((e) => e.textContent).join(' ')`

// example is a document with a place in each state.
const example = "<!doctype html>\n<base href=/docs/>\n<a href=\"page;v=1?q#s\">rewritten</a>\n<a href=https://other.test/>absolute</a>\n" +
	"<a href=\"//[\">unresolvable</a>\n<svg><use href=#x /></svg>\n<img src=a.png data-src=lazy.png>\n<a href=../../up>up</a>\n"

// screenshots are written to the directory that SCREENSHOTS names.
func (p *shownPage) screenshots(name string) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	for _, width := range []int64{360, 768, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			var picture []byte
			p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				chromedp.EmulateViewport(width, 1000), chromedp.Sleep(300*time.Millisecond), chromedp.FullScreenshot(&picture, 100))
			os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o666)
		}
	}
	p.run(chromedp.EmulateViewport(1280, 900))
}

// servePage starts absolink serve and a browser.
func servePage(t *testing.T, args ...string) (browser context.Context, server string) {
	browser = startBrowser(t, onlyLocal)
	return browser, startAbsolink(t, buildAbsolink(t), append([]string{"serve"}, args...)...)
}

// A file that is dropped, and a source that is pasted, are shown; options take effect at
// once.
func TestPage(t *testing.T) {
	const whatwg = "https://example.org/docs/ https://example.org/docs/page;v=1?q#s stays stays: invalid URL: the IPv6 address has no closing bracket stays https://example.org/docs/a.png with rules lazy https://example.org/up"
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	name := filepath.Join(t.TempDir(), "dropped.html")
	os.WriteFile(name, []byte("<a href=\"caf\xe9\">\xa4</a><meta charset=iso-8859-15>"), 0o666)
	p.drop(name)
	p.await(references, "café")
	p.await(`document.querySelector('#source code').textContent`, `<a href="café">€</a><meta charset=iso-8859-15>`)
	p.paste(example)
	p.await(references, "/docs/ page;v=1?q#s https://other.test/ //[ #x a.png lazy.png ../../up")
	p.screenshots("places-nothing-known")
	p.run(sendKeys("#url", "https://example.org/dir/"))
	p.await(becomes, whatwg)
	p.run(click("#other"))
	p.await(becomes, "https://example.org/docs/ https://example.org/docs/page;v=1?q#s stays https://[ stays https://example.org/docs/a.png with rules lazy https://example.org/../up")
	p.await(`document.getElementById('profile').value + document.getElementById('other').textContent`, "rfc1808Compare with whatwg")
	p.run(click("#other"))
	p.await(becomes, whatwg)
	p.screenshots("places")
	p.run(focus("#places"), chromedp.KeyEvent(kb.Home))
	p.run(chromedp.KeyEvent(kb.ArrowDown))
	p.run(chromedp.KeyEvent(kb.Enter))
	p.await(steps, "no scheme state|relative state|path state|query state|fragment state")
	p.screenshots("place")
	p.run(chromedp.KeyEvent(kb.Escape), click("#rendered summary"), point("#frames iframe"), chromedp.Sleep(300*time.Millisecond))
	p.screenshots("rendered")
}

// steps are the names of the steps that an opened place shows.
const steps = `[...document.querySelectorAll('#place details[open] .step')].map((e) => e.textContent.replace(/^4[.]4 /, '')).join('|')`

// An opened place shows the steps of RFC 1808 §4, and where the profiles differ.
func TestPagePlace(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.set("profile", "rfc1808")
	p.run(sendKeys("#url", "https://example.org/dir/"), sendKeys("#paste", "<a href=../../up>"))
	p.await(becomes, "https://example.org/../up")
	p.run(click("#places .row:not(.header)"))
	p.await(steps, "1|2c|3|6|6c|7")
	p.await(`[...document.querySelectorAll('.results td')].map((e) => e.textContent).join('|')`,
		"https://example.org/../up||https://example.org/up|differs|https://example.org/up|differs")
	p.await(`document.querySelectorAll('.results mark.differs').length`, "2")
	p.run(chromedp.KeyEvent(kb.Escape))
	p.await(`document.getElementById('place').open`, "false")
	p.eval(`document.getElementById('url').value = ''`)
	p.run(sendKeys("#url", "nonsense"))
	p.await(`document.getElementById('problem').textContent`, "The URL begins with https:// or http://, as in https://nonsense.")
}

// A page of 5 MB with 20,000 places has at any time a few hundred elements, wherever it is
// scrolled to.
func TestPageLong(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "<p>%s<a href=\"page%d.html\">%[2]d</a>\n", strings.Repeat("text ", 45), i)
	}
	name := filepath.Join(t.TempDir(), "long.html")
	os.WriteFile(name, []byte(b.String()), 0o666)
	if b.Len() < 5_000_000 {
		t.Fatal(b.Len())
	}
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.run(sendKeys("#url", "https://example.org/dir/"))
	start := time.Now()
	p.drop(name)
	p.await(`document.getElementById('places').getAttribute('aria-rowcount')`, "20001")
	t.Logf("shown after %v", time.Since(start).Round(10*time.Millisecond))
	bounded := func() {
		t.Helper()
		var n int
		p.run(chromedp.Evaluate(`document.querySelectorAll('*').length`, &n))
		if n > 1000 {
			t.Errorf("%d elements", n)
		}
	}
	bounded()
	for _, at := range []string{"0.25", "0.5", "1"} {
		for _, list := range []string{"source", "places"} {
			p.eval("(() => { const e = document.getElementById('" + list + "'); e.scrollTop = e.scrollHeight * " + at + " })()")
			p.run(chromedp.Sleep(50 * time.Millisecond))
			bounded()
		}
	}
	p.await(`[...document.querySelectorAll('#places .ref')].at(-1).textContent`, "page19999.html")
	p.await(`[...document.querySelectorAll('#source .mark')].at(-1).textContent`, "page19999.html")
	p.run(focus("#places"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.PageUp))
	p.await(`document.querySelector('#source .active')?.textContent === document.querySelector('#places .row.active .ref')?.textContent`, "true")
	p.run(sendKeys("#search", "page777.html"))
	p.await(references, "page777.html")
	bounded()

	html := must(exec.Command(buildAbsolink(t), "--report=html", "--url", "https://example.org/dir/", name).Output())(t)
	start = time.Now()
	p = openPage(t, browser, "file://"+write(t, "report.html", string(html)))
	p.await(`document.getElementById('places').getAttribute('aria-rowcount')`, "20001")
	t.Logf("a report of %d bytes is shown after %v", len(html), time.Since(start).Round(10*time.Millisecond))
	bounded()
	p.run(focus("#places"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Enter))
	p.await(steps, "1|2c|3|6|7")
}

// With --fetch, a URL can be given; what is fetched is then shown under other options
// without being fetched again. On request, the rendered documents ask other servers, in a
// window of their own, and run nothing there either.
func TestPageFetch(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=koi8-r")
		fmt.Fprint(w, "<a href=\xc1><img src=image><script src=script></script><img src=x onerror=alert(1)><script>alert(2)</script>")
	}))
	defer origin.Close()
	host := strings.TrimPrefix(origin.URL, "http://")
	browser, server := servePage(t, "--fetch", host, "--fetch-networks", "127.0.0.1")
	p := openPage(t, browser, server)
	p.screenshots("fetch")
	p.run(sendKeys("#url", origin.URL+"/d/"), click("#fetch-button"))
	p.await(references, "а image script x")
	p.await(`document.getElementById('url').value`, origin.URL+"/d/")
	p.run(focus("#url"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent("other")) // not fetched yet
	p.run(click("#more summary"), click("#keep-fragments"), click("#rendered summary"))
	p.await(renderedFrames+".length", "2")
	opened := chromedp.WaitNewTarget(p.ctx, func(info *target.Info) bool { return strings.HasSuffix(info.URL, "/page/elsewhere.html") })
	p.run(click("#elsewhere"))
	ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(<-opened))
	defer cancel()
	other := &shownPage{t: t, ctx: ctx}
	other.await(`document.querySelectorAll('iframe').length`, "2")
	var got map[string]int
	err := poll(p.ctx, "ask for the image", func() (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		got = maps.Clone(asked)
		return got["/d/image"] > 0, nil
	})
	if err != nil || got["/d/"] != 1 || got["/d/image"] != 1 || got["/d/script"] != 0 || len(p.dialogs) > 0 {
		t.Errorf("%v, dialogs %v, %v", got, p.dialogs, err)
	}
}

// A report has all documents, each with its steps, and asks nobody.
func TestPageReport(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "one.html"), []byte("<a href=../up>"), 0o666)
	os.WriteFile(filepath.Join(dir, "two.html"), []byte(example), 0o666)
	report := exec.Command(buildAbsolink(t), "--report=html", "--quiet", "--url", "https://example.org/dir/", "one.html", "two.html")
	report.Dir = dir
	html := must(report.Output())(t)
	name := filepath.Join(dir, "report.html")
	os.WriteFile(name, html, 0o666)
	p := openPage(t, startBrowser(t, onlyLocal), "file://"+name)
	p.await(becomes, "https://example.org/up")
	p.run(click("#places .row:not(.header)"))
	p.await(steps, "1|2c|3|6|6c|7")
	p.run(chromedp.KeyEvent(kb.Escape))
	p.eval(`(() => { const e = document.getElementById('view'); e.value = '1'; e.dispatchEvent(new Event('change')); })()`)
	p.await(references, "/docs/ page;v=1?q#s https://other.test/ //[ #x a.png lazy.png ../../up")
	p.screenshots("report")
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if !strings.HasPrefix(r, "file://") && !strings.HasPrefix(r, "data:") {
			t.Errorf("asked for %s", r)
		}
	}
}
