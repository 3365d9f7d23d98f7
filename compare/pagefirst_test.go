package compare

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// windows are those of a telephone and of a small screen.
var windows = []struct{ width, height int64 }{{390, 844}, {1280, 900}}

// shifts has the page sum up how far what is seen has moved by itself, from the start on.
const shifts = `window.shifted = 0; new PerformanceObserver((list) => {
	for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted += e.value;
}).observe({ type: 'layout-shift', buffered: true });`

// reopen loads the page again in a window of a size, and watches how it moves.
func (p *shownPage) reopen(width, height int64) {
	p.t.Helper()
	p.run(chromedp.EmulateViewport(width, height), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(shifts).Do(ctx)
		return err
	}), chromedp.Reload())
}

// bottom is how far down an element ends.
func bottom(selector string) string {
	return fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().bottom`, selector)
}

// The page opens with its example: the base, the source and the places are on the first
// screen, on a telephone the places; nothing moves, and nobody else is asked.
func TestPageFirstSight(t *testing.T) {
	browser, server := servePage(t)
	for _, w := range windows {
		p := openPage(t, browser, server)
		p.reopen(w.width, w.height)
		p.await(references, "/docs/ chapter1.html;v=2?q#start ../../../up https://other.example/ a<b a.png b.png lazy.png #icon")
		p.await(`document.getElementById('url').value`, "https://example.org/dir/page.html")
		p.await(`document.getElementById('own').textContent`, "This is an example. What you open is sent to "+strings.TrimPrefix(server, "http://")+" only.")
		p.await(`document.querySelector('.layers .wins code').textContent`, "https://example.org/docs/")
		first := []string{".layers", "#source .row:nth-child(9)", "#places [aria-rowindex='6']"}
		if w.width < 500 {
			first = []string{"#input", "#states", "#places [aria-rowindex='4']"}
		}
		for _, selector := range first {
			p.await(bottom(selector)+fmt.Sprintf(` < %d`, w.height), "true")
		}
		p.await(`[...document.querySelectorAll('#open :is(input, select, textarea, button, summary)')].filter((e) => e.checkVisibility()).length`, "4")
		p.run(chromedp.Sleep(300 * time.Millisecond))
		p.await(`shifted`, "0")
		p.mu.Lock()
		for _, r := range p.requests {
			if !strings.HasPrefix(r, server) && !strings.HasPrefix(r, "data:") {
				t.Errorf("asked for %s", r)
			}
		}
		p.mu.Unlock()
		p.screenshots("first")

		// Other options do not move what is seen, either.
		p.run(chromedp.EmulateViewport(w.width, w.height))
		at := p.eval(bottom("#states"))
		p.set("profile", "rfc1808")
		p.await(becomes+`.includes('/../up')`, "true")
		p.await(bottom("#states"), at)
		p.await(`document.querySelector('#places [aria-rowindex="4"] .url').textContent`, "https://example.org/../../up")

		// A document of one's own was not where the example was.
		p.drop(write(t, "own.html", "<a href=x>"))
		p.await(becomes, "stays: no base URL is known")
		p.await(`document.getElementById('url').value + document.getElementById('own').textContent`, "")
	}
}

// A URL that the field of the example gets takes its place.
func TestPageURL(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.await(`document.querySelectorAll('#places .row').length`, "10")
	p.run(click("#url"), chromedp.KeyEvent("http://h/d/"))
	p.await(becomes+`.split(' ')[0]`, "http://h/docs/")
	p.run(click("#url"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent("e/"))
	p.await(`document.getElementById('url').value`, "http://h/d/e/")
	p.run(sendKeys("#paste", "<a href=x>"))
	p.await(becomes, "http://h/d/e/x")
}

// The end of what a place becomes is seen wherever the page is, and so is all that its base
// has no part in.
func TestPageEnds(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.set("url", "https://docs.example.org/en/latest/project/")
	p.drop(write(t, "page.html", `<a href="v2/guide/start.html"><a href="../../style.css"><a href="project/v2/guide/configuration-of-the-servers.html">
<a href="project/v2.html"><img src="../../../assets/images/a-picture-with-a-long-name/screen@2x.png"><a href="//cdn.example/x">`))
	p.await(`document.querySelectorAll('#places .row').length`, "7")
	for _, width := range []int64{320, 390, 768, 1024, 1280, 1440} {
		p.run(chromedp.EmulateViewport(width, 900))
		p.await(`[...document.querySelectorAll('#places :is(.ref, .url)')].filter((cell) => {
			const tail = cell.querySelector('.tail');
			return tail.scrollWidth > tail.clientWidth || tail.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1 || tail.textContent.length < Math.min(24, cell.textContent.length - (cell.querySelector('.like').textContent.length));
		}).map((cell) => cell.textContent).join()`, "")
		p.await(`[...document.querySelectorAll('#places .tail')].map((e) => e.textContent).includes('v2/guide/start.html')`, "true")
	}
}

// The source does not scroll sideways where its lines have room.
func TestPageSideways(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.await(`document.querySelectorAll('#places .row').length`, "10")
	for _, width := range []int64{320, 390, 768, 1280, 1440} {
		p.run(chromedp.EmulateViewport(width, 900))
		p.await(`['source', 'places'].map((id) => document.getElementById(id)).map((e) => e.scrollWidth - e.clientWidth).join()`, "0,0")
	}
}

// Several blank lines are one row, and every line keeps its number.
func TestPageBlankLines(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	const rows = `[...document.querySelectorAll('#source .row')].map((e) => e.children[0].textContent + e.children[1].textContent).join('|')`
	for _, test := range []struct{ source, want string }{
		{"<a href=x>\n\n<a href=y>\n", "1<a href=x>|2|3<a href=y>"},
		{"<a href=x>\n\n \t\r\n\n<a href=y>", "1<a href=x>|2⋮ 3 blank lines|5<a href=y>"},
		{strings.Repeat("\n", 1000) + "<a href=y>\n\n\n", "1⋮ 1,000 blank lines|1001<a href=y>|1002⋮ 2 blank lines"},
		{"<a href='x\n\n\ny'>", "1<a href='x|2⋮ 2 blank lines|4y'>"},
		{"\n", "1"},
		{"", "1"},
	} {
		p.drop(write(t, "page.html", test.source))
		p.await(rows, test.want)
	}
	p.drop(write(t, "page.html", strings.Repeat("\n", 5000)+"<a href=x>"+strings.Repeat("\n\n\n<a href=y>", 500)))
	p.await(`document.getElementById('places').getAttribute('aria-rowcount')`, "502")
	p.run(focus("#places"), chromedp.KeyEvent(kb.End))
	p.await(`document.querySelector('#source .mark.active')?.closest('.row').textContent`, "6501<a href=y>")
}

// Without scripts, the page says what to do. A report never shows the form, and does not move.
func TestPageStill(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.run(emulation.SetScriptExecutionDisabled(true), chromedp.Reload())
	p.await(`document.querySelector('noscript').checkVisibility() && !document.getElementById('input').checkVisibility()`, "true")
	html := must(exec.Command(buildAbsolink(t), "--report=html", "--quiet", "--url", "https://example.org/dir/", write(t, "page.html", example)).Output())(t)
	report := openPage(t, browser, "file://"+write(t, "report.html", string(html)))
	for _, w := range windows {
		report.reopen(w.width, w.height)
		report.await(`document.querySelectorAll('#places .row').length`, "9")
		report.await(`document.getElementById('input').checkVisibility() || document.getElementById('other').checkVisibility()`, "false")
		report.run(chromedp.Sleep(300 * time.Millisecond))
		report.await(`shifted`, "0")
	}
}

// A file is taken wherever the pointer is, also where that has changed since the event before.
func TestPageDragged(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.await(`document.querySelectorAll('#places .row').length`, "10")
	for _, kind := range []string{"dragenter", "dragover", "dragleave", "drop"} {
		taken := p.eval(`!document.querySelector('#places .row').dispatchEvent(new DragEvent('` + kind + `', { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() }))`)
		if taken != fmt.Sprint(kind != "dragleave") {
			t.Errorf("%s is taken: %s", kind, taken)
		}
		p.await(dropping, fmt.Sprint(kind == "dragenter" || kind == "dragover"))
	}
	// The pointer goes from one element to another, and then nothing is dragged any more.
	for _, event := range []struct{ at, kind, want string }{
		{"#places .row", "dragenter", "true"},
		{"#source", "dragenter", "true"},
		{"#places .row", "dragleave", "true"},
		{"#source", "dragleave", "false"},
		{"#source", "dragenter", "true"},
		{"#source", "pointermove", "false"},
	} {
		p.eval(`document.querySelector('` + event.at + `').dispatchEvent(new DragEvent('` + event.kind + `', { bubbles: true, cancelable: true }))`)
		p.await(dropping, event.want)
	}
}

// dropping is whether the page says that a file can be dropped.
const dropping = `document.body.classList.contains('dropping')`

// A file is taken, too, where a document that was just read replaces what is below the pointer,
// over the rendered documents, and over the dialog of a place.
func TestPageDropped(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.await(`document.querySelectorAll('#places .row').length`, "10")
	p.eval(`addEventListener('dragover', () => document.querySelectorAll('#layers, #source .rows, #places .rows, #place[open]').forEach(
		(e) => e.replaceChildren(...[...e.childNodes].map((child) => child.cloneNode(true)))))`)
	for i, below := range []string{"#layers td", "#source code", "#places .tail", "#frames", "#place p", "body"} {
		name := fmt.Sprintf("dropped%d.html", i)
		switch below {
		case "#layers td":
			p.run(click("#bases summary"))
		case "#frames":
			p.run(click("#rendered summary"))
			p.await(`document.querySelector('#frames iframe')?.contentDocument?.querySelectorAll('iframe').length`, "2")
		case "#place p":
			p.run(focus("#places"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Enter))
		}
		dropped := dragged(write(t, name, "<a href=x>"))
		p.run(middle(below, func(x, y float64) chromedp.Action {
			drag := func(kind input.DispatchDragEventType) chromedp.Action {
				return input.DispatchDragEvent(kind, x, y, dropped)
			}
			// The pointer comes from another window, right onto what is below it. What was replaced
			// gets a dragenter in place of the dragover. The Drop comes with a dragover of its own, in
			// which the last replacement has to be.
			return chromedp.Tasks{chromedp.MouseEvent(input.MouseMoved, 1, 1), drag(input.DragEnter), drag(input.DragOver), drag(input.DragOver), drag(input.DragOver),
				chromedp.ActionFunc(func(context.Context) error { p.await(dropping, "true"); return nil }),
				drag(input.Drop)}
		}))
		p.await(`document.querySelector('#status strong').textContent`, name)
		p.await(dropping, "false")
	}
}
