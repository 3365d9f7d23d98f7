package compare

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"mime/quotedprintable"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pageFile returns absolink.html, which is made once.
var pageFile = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "absolink")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "absolink.html")
	out, err := exec.Command("../cmd/absolink/internal/page/build", name).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return name, err
})

// openFile opens absolink.html from the disk, as a double click does.
func openFile(t *testing.T, browser context.Context) *shownPage {
	t.Helper()
	name := must(pageFile())(t)
	p := openPage(t, browser, "file://"+name)
	p.await(`document.querySelectorAll('#places .row').length`, "10")
	return p
}

// choose gives an input of the page files or a folder.
func (p *shownPage) choose(selector string, names ...string) {
	p.t.Helper()
	p.run(chromedp.SetUploadFiles(selector, names, chromedp.ByQuery))
}

// quiet fails the test if the page has asked for anything.
func (p *shownPage) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if !strings.HasPrefix(r, "file://") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") {
			p.t.Errorf("asked for %s", r)
		}
	}
	if len(p.dialogs) > 0 {
		p.t.Errorf("dialogs %q", p.dialogs)
	}
}

// saved presses a button, and returns the file that it saves.
func (p *shownPage) saved(button string) []byte {
	p.t.Helper()
	dir := p.t.TempDir()
	p.run(browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir), click(button))
	var saved []byte
	noError(p.t, poll(p.ctx, "save "+button, func() (bool, error) {
		for _, f := range must(os.ReadDir(dir))(p.t) {
			// Chromium keeps the name free with an empty file until the download is whole.
			if !strings.HasSuffix(f.Name(), ".crdownload") {
				saved, _ = os.ReadFile(filepath.Join(dir, f.Name()))
			}
		}
		return len(saved) > 0, nil
	}))
	return saved
}

// unzipped returns the files of a ZIP by their names.
func unzipped(t *testing.T, packed []byte) map[string]string {
	t.Helper()
	z := must(zip.NewReader(bytes.NewReader(packed), int64(len(packed))))(t)
	files := map[string]string{}
	for _, f := range z.File {
		r := must(f.Open())(t)
		files[f.Name] = string(must(io.ReadAll(r))(t))
		r.Close()
	}
	if len(files) != len(z.File) {
		t.Errorf("%d names for %d files", len(files), len(z.File))
	}
	return files
}

// folderOf writes documents of all kinds to a directory, made of real pages: n pages, and up to
// 20 of each other kind. Chromium saves those in MHTML.
func folderOf(t *testing.T, browser context.Context, n int) (dir string, count int) {
	t.Helper()
	pages := must(Pages())(t)
	dir = t.TempDir()
	add := func(name, content string) {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
		count++
	}
	for i := range n {
		p := pages[i%len(pages)]
		add(fmt.Sprintf("page%03d.html", i), fmt.Sprintf("<!-- copy %d -->\n", i)+string(p.HTML))
	}
	for i := range min(20, n) {
		html := string(pages[i].HTML)
		var qp strings.Builder
		w := quotedprintable.NewWriter(&qp)
		io.WriteString(w, html)
		w.Close()
		add(fmt.Sprintf("message%02d.eml", i), "From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"+qp.String())
		var text bytes.Buffer
		xml.EscapeText(&text, []byte(html[:min(len(html), 20_000)]))
		switch i % 4 {
		case 0:
			add(fmt.Sprintf("feed%02d.xml", i), `<?xml version="1.0"?><rss version="2.0"><channel><link>`+pages[i].URL+`</link><item><link>item</link><description>`+text.String()+`</description></item></channel></rss>`)
		case 1:
			add(fmt.Sprintf("feed%02d.atom", i), `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/base/"><entry><link href="x"/><content type="html">`+text.String()+`</content></entry></feed>`)
		case 2:
			add(fmt.Sprintf("feed%02d.json", i), `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","url":"x","content_html":`+string(must(json.Marshal(html[:min(len(html), 20_000)]))(t))+`}]}`)
		case 3:
			add(fmt.Sprintf("feed%02d.xml", i), `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+strings.Repeat("<url><loc>/a/b?c&amp;d</loc></url>\n", 100+i)+`</urlset>`)
		}
		add(fmt.Sprintf("saved%02d.mhtml", i), mhtmlOf(t, browser, filepath.Join(dir, fmt.Sprintf("page%03d.html", i))))
	}
	return dir, count
}

// mhtmlOf returns a file as Chromium saves it in MHTML.
func mhtmlOf(t *testing.T, browser context.Context, name string) (saved string) {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	defer cancel()
	err := chromedp.Run(ctx, chromedp.Navigate("file://"+name), chromedp.ActionFunc(func(ctx context.Context) (err error) {
		saved, err = page.CaptureSnapshot().Do(ctx)
		return err
	}))
	noError(t, err)
	return saved
}

// A folder of pages, messages, MHTML files and feeds becomes a ZIP with the bytes that the command
// writes to a directory, under the same names.
func TestPageFileZip(t *testing.T) {
	browser := startBrowser(t, onlyLocal)
	absolink := buildAbsolink(t)
	dir, n := folderOf(t, browser, 200)
	p := openFile(t, browser)
	p.set("url", "https://example.org/dir/page.html?q")
	begun := time.Now()
	p.choose("#folder", dir)
	p.await(`document.getElementById('files-status').textContent`, fmt.Sprintf("%d files rewritten.", n))
	t.Logf("%d files after %v", n, time.Since(begun).Round(100*time.Millisecond))
	got := unzipped(t, p.saved("#zip"))
	out := t.TempDir()
	names := must(filepath.Glob(filepath.Join(dir, "*")))(t)
	cmd := exec.Command(absolink, append([]string{"--quiet", "--profile", "whatwg", "--no-keep-local", "--url", "https://example.org/dir/page.html?q", "-o", out + "/"}, names...)...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %.2000s", err, said)
	}
	for _, f := range must(os.ReadDir(out))(t) {
		want := string(must(os.ReadFile(filepath.Join(out, f.Name())))(t))
		if got[f.Name()] != want {
			t.Errorf("%s: %d bytes, not the %d that the command writes", f.Name(), len(got[f.Name()]), len(want))
		}
		delete(got, f.Name())
	}
	if len(got) > 0 || n < 250 {
		t.Errorf("%d more files than the command writes", len(got))
	}
	p.quiet()
}

// A file that fails does not stop the others, and says why. A name does not lead out of the
// folder into which a ZIP is unpacked, and each name is there once.
func TestPageFileList(t *testing.T) {
	browser := startBrowser(t, onlyLocal)
	p := openFile(t, browser)
	dir := t.TempDir()
	noError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o777))
	for name, content := range map[string]string{
		"one.html": "<a href=x>", "picture.png": "\x89PNG\r\n\x1a\n", `..\..\up.html`: "<a href=up>", "c:drive.html": "<a href=drive>", "empty.html": "",
		"sub/ONE.html": "<a href=other>", "style.css": "p { background: url(a.png) }", ".hidden.html": "<a href=hidden>", "bidi\u202e.html": "<a href=bidi>",
	} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	p.set("url", "http://h/d/")
	p.drop(dir) // Chromium leaves out names that some system does not take
	p.await(`document.getElementById('files-status').textContent`, "4 files rewritten, 2 not.")
	p.choose("#folder", dir)
	p.await(`document.getElementById('files-status').textContent`, "7 files rewritten, 2 not.")
	says := p.eval(`[...document.querySelectorAll('#file-list .row')].map((e) => e.querySelector('[data-show]').textContent.split('/').pop() + ': ' + e.querySelector('.says').textContent).sort().join('; ')`)
	for _, want := range []string{
		"picture.png: is image/png, not HTML, a message or a feed; if it is one, choose its type under Options", "style.css: 1 link made absolute", "empty.html: no link changes", "has the same name",
	} {
		if !strings.Contains(says, want) {
			t.Errorf("no %q in\n%s", want, says)
		}
	}
	var names []string
	for name, content := range unzipped(t, p.saved("#zip")) {
		names = append(names, name)
		if strings.ContainsAny(name, `/\:`) || content != "" && !strings.Contains(content, "http://h/d/") {
			t.Errorf("%q: %s", name, content)
		}
	}
	if len(names) != 7 {
		t.Errorf("%q", names)
	}
	// A file of the list is shown, and saved alone. Other options count for all.
	p.run(click(`//div[@id="file-list"]//button[contains(text(), "style.css")]`))
	p.await(references, "a.png")
	p.set("keep", "o*\nx")
	p.await(`[...document.querySelectorAll('#file-list .says')].filter((e) => e.textContent === 'no link changes').length`, "2")
	p.await(`document.title.includes('style.css')`, "true")
	p.run(click(`//div[@id="file-list"]//button[contains(text(), "style.css")]`), focus("#zip"))
	if got := string(p.saved(`//button[contains(@aria-label, "style.css")]`)); got != "p { background: url(http://h/d/a.png) }" {
		t.Error(got)
	}
	p.quiet()
}

// A place is resolved while the document is read anew, and once more.
func TestPageFileAnew(t *testing.T) {
	p := openFile(t, startBrowser(t, onlyLocal))
	p.set("url", "http://h/d/")
	p.drop(write(t, "many.html", strings.Repeat("<a href=x></a>", 1<<15)))
	p.await(`document.title.includes('many.html') && !document.getElementById('about').classList.contains('busy')`, "true")
	p.eval(`(() => {
		const changed = () => document.getElementById('options').dispatchEvent(new Event('input'));
		changed();
		setTimeout(() => document.querySelector('#places .row:not(.header)').click(), 200);
		setTimeout(changed, 210);
	})()`)
	p.await(`document.querySelectorAll('#place .step').length > 0`, "true")
}

// A hostile document runs nothing and asks nobody; the policy of the file forbids it.
func TestPageFileHostile(t *testing.T) {
	browser := startBrowser(t, onlyLocal)
	const other = "http://127.0.0.1:9"
	p := openFile(t, browser)
	p.set("url", other+"/dir/")
	p.drop(write(t, "hostile.html", fmt.Sprintf(hostile, other)))
	p.await(`document.querySelectorAll('#places .row:not(.header)').length > 10`, "true")
	p.run(click("#places .row:not(.header)"))
	p.await(`document.querySelectorAll('#place .step').length > 0`, "true")
	p.run(chromedp.KeyEvent(kb.Escape), click("#rendered summary"))
	p.await(renderedFrames+".length", "2")
	p.run(chromedp.Sleep(time.Second))
	p.quiet()
	p.eval(fmt.Sprintf(`(() => {
		window.stopped = [];
		addEventListener('securitypolicyviolation', (event) => stopped.push(event.effectiveDirective));
		fetch(%[1]q).catch(() => {});
		new Image().src = %[1]q;
		new WebSocket('ws://127.0.0.1:9/');
		navigator.sendBeacon(%[1]q);
		const script = document.createElement('script');
		script.textContent = 'alert(14)';
		document.body.append(script);
		const form = document.createElement('form');
		form.action = %[1]q;
		document.body.append(form);
		form.submit();
	})()`, other))
	p.await(`stopped.sort().join()`, "connect-src,connect-src,connect-src,form-action,img-src,script-src-elem")
	// The worst documents of many kinds are shown or refused, and the page goes on. The details that
	// render them stay open.
	for _, d := range []struct{ name, content, rendered string }{
		{"less.html", strings.Repeat("<", 1<<20), "2 frames"},
		{"srcset.html", "<img srcset='" + strings.Repeat("a,", 1<<19) + "'>", "2 frames"},
		{"base.html", "<base href='/" + strings.Repeat("x", 8000) + "/'>" + strings.Repeat("<a href=x>", 1<<16), "refused"},
		{"nested.html", strings.Repeat("<div>", 1<<18) + "<a href=x>", "OriginalThis document cannot be rendered safely here.RewrittenThis document cannot be rendered safely here."},
		{"format.html", "<a href=x>" + strings.Repeat("<b id=1><b id=2><p>", 1<<15), "OriginalThis document cannot be rendered safely here.RewrittenThis document cannot be rendered safely here."},
		{"mail.mbox", strings.Repeat("From a@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\n\n<p>\n\n", 9000), "Only pages are rendered; this is not one, but a message or a feed."},
	} {
		begun := time.Now()
		p.drop(write(t, d.name, d.content))
		p.await(fmt.Sprintf(`document.title.startsWith(%[1]q) || document.getElementById('problem').textContent.startsWith(%[1]q)`, d.name), "true")
		t.Logf("%s after %v", d.name, time.Since(begun).Round(10*time.Millisecond))
		p.await(`!document.getElementById('problem').hidden ? 'refused' : document.querySelectorAll('#frames iframe').length > 0 ? document.querySelectorAll('#frames iframe').length + ' frames' : document.getElementById('frames').textContent`, d.rendered)
	}
	p.drop(write(t, "last.html", "<a href=last>"))
	p.await(references, "last")
}

// What is too long to be shown is rewritten and saved: 100 MB.
func TestPageFileLong(t *testing.T) {
	browser := startBrowser(t, onlyLocal)
	p := openFile(t, browser)
	p.set("url", "http://h/d/")
	part := strings.Repeat("<p>"+strings.Repeat("text ", 200)+"<a href=page>x</a>\n", 1000)
	long := strings.Repeat(part, 100_000_000/len(part)+1)
	begun := time.Now()
	p.drop(write(t, "long.html", long))
	p.await(`document.querySelector('#problem button')?.textContent`, "Save the rewritten document")
	t.Logf("refused after %v", time.Since(begun).Round(100*time.Millisecond))
	begun = time.Now()
	got := p.saved("#problem button")
	t.Logf("%d bytes saved after %v", len(got), time.Since(begun).Round(100*time.Millisecond))
	if want := strings.ReplaceAll(long, "href=page", "href=http://h/d/page"); string(got) != want {
		t.Errorf("%d bytes, not %d", len(got), len(want))
	}
	p.drop(write(t, "next.html", "<a href=next>"))
	p.await(references, "next")
	p.quiet()
}

// The file has at most 4 MB. It shows the example within a second, and a page of 1 MB within two,
// on a machine that has little else to do.
func TestPageFileSize(t *testing.T) {
	name := must(pageFile())(t)
	info := must(os.Stat(name))(t)
	if info.Size() > 4_000_000 {
		t.Errorf("%d bytes", info.Size())
	}
	browser := startBrowser(t, onlyLocal)
	begun := time.Now()
	p := openFile(t, browser)
	t.Logf("%d bytes; the example is shown after %v", info.Size(), time.Since(begun).Round(10*time.Millisecond))
	pages := must(Pages())(t)
	var html bytes.Buffer
	for i := 0; html.Len() < 1<<20; i++ {
		html.Write(pages[i].HTML)
	}
	begun = time.Now()
	p.drop(write(t, "page.html", html.String()[:1<<20]))
	p.await(`document.title`, "page.html – absolink")
	t.Logf("1 MB is shown after %v", time.Since(begun).Round(10*time.Millisecond))
	p.screenshots("file")
}

// axe finds nothing in the states of the page, in the file and as a server has it.
func TestPageAxe(t *testing.T) {
	axe, err := os.ReadFile("axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skipf("no axe: npm ci in compare/axe installs it: %v", err)
	}
	browser, server := servePage(t)
	states := 0
	check := func(p *shownPage, state string) {
		t.Helper()
		var found string
		p.run(chromedp.Evaluate(`axe.run(document, { iframes: false }).then((r) => r.violations.map((v) => v.id + ' ' + v.nodes.map((n) => n.target.join(' ')).join(', ')).join('; '))`, &found,
			func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
		states++
		if found != "" {
			t.Errorf("%s: %s", state, found)
		}
	}
	for _, host := range []string{"server", "file"} {
		for _, width := range []int64{1280, 390} {
			var p *shownPage
			if host == "file" {
				p = openFile(t, browser)
			} else {
				p = openPage(t, browser, server)
				p.await(`document.querySelectorAll('#places .row').length`, "10")
			}
			p.run(chromedp.EmulateViewport(width, 900))
			p.run(chromedp.Evaluate(string(axe)+"; 0", nil))
			what := fmt.Sprintf("%s, %d px, ", host, width)
			check(p, what+"example")
			p.run(click("#more summary"), click("#base"))
			check(p, what+"options")
			p.run(focus("#places"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Enter))
			p.await(`document.querySelectorAll('#place .step').length > 0`, "true")
			check(p, what+"place")
			p.run(chromedp.KeyEvent(kb.Escape), click("#rendered summary"))
			p.await(renderedFrames+".length", "2")
			check(p, what+"rendered")
			p.drop(write(t, "picture.png", "\x89PNG\r\n\x1a\n"))
			p.await(`document.getElementById('problem').hidden`, "false")
			check(p, what+"problem")
			p.drop(write(t, "none.html", "<p>none"))
			p.await(`document.getElementById('found').textContent.length > 0`, "true")
			check(p, what+"no place")
			if host == "file" {
				p.drop(write(t, "one.html", "<a href=x>"), write(t, "two.html", "<a href=y>"), write(t, "picture.png", "\x89PNG\r\n\x1a\n"))
				p.await(`document.getElementById('files-status').textContent`, "2 files rewritten, 1 not.")
				check(p, what+"files")
			}
		}
	}
	t.Logf("%d states", states)
}
