package compare

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// write writes a file to a new directory, and returns its name.
func write(t *testing.T, name, content string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	noError(t, os.WriteFile(name, []byte(content), 0o666))
	return name
}

// download presses a button below the downloads, and returns what it saves.
func (p *shownPage) download(button string) string {
	p.t.Helper()
	return string(p.saved(fmt.Sprintf(`//div[@id="downloads"]/button[text()="%s"]`, button)))
}

// What the page and a report save is what the command prints, byte by byte.
func TestPageDownloads(t *testing.T) {
	browser, server := servePage(t)
	absolink := buildAbsolink(t)
	options := []string{"--quiet", "--profile", "whatwg", "--url", "https://example.org/dir/"}
	p := openPage(t, browser, server)
	p.run(sendKeys("#url", "https://example.org/dir/"))
	for _, document := range []struct{ name, content string }{
		{"page.html", example},
		{"a page.html", "<a href=\"caf\xe9?\t,\u2028\">\"quoted\", and\r\n two</a><img srcset='a, b 2x'><a href='//u:p@h/'>"},
		{"utf16.html", "\xff\xfe<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00\xe9\x00>\x00"},
		{"two.mbox", "From a@b Thu Jan  1 00:00:00 1970\nContent-Type: text/html\n\n<a href=x>\n\nFrom a@b Thu Jan  1 00:00:00 1970\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3Dy>=\n\n"},
		{"feed.xml", `<rss version="2.0"><channel><link>http://f.test/</link><item><description>&lt;a href="x"&gt;</description></item></channel></rss>`},
	} {
		name := write(t, document.name, document.content)
		command := func(args ...string) string {
			cmd := exec.Command(absolink, slices.Concat(args, options, []string{document.name})...)
			cmd.Dir = filepath.Dir(name)
			out, _ := cmd.Output()
			return string(out)
		}
		report := openPage(t, browser, "file://"+write(t, "report.html", command("--report=html")))
		p.drop(name)
		for _, shown := range []*shownPage{p, report} {
			shown.await(`document.title`, document.name+" – absolink")
			for button, args := range map[string][]string{
				"Rewritten document": nil, "List as CSV": {"list", "--format", "csv"}, "List as JSON lines": {"list", "--json"}, "Diff": {"--diff"},
			} {
				if got, want := shown.download(button), command(args...); got != want || want == "" {
					t.Errorf("%s of %s:\n%q\nwant\n%q", button, document.name, got, want)
				}
			}
		}
	}
}

// Pointing at a place on one side marks it on the other, and shows it there.
func TestPageHover(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "<a href=page%d.html>%[1]d</a>\n", i)
	}
	p.drop(write(t, "page.html", b.String()))
	p.await(`document.getElementById('places').getAttribute('aria-rowcount')`, "501")
	marked := `document.querySelector('#source .active')?.textContent + ' ' + document.querySelector('#places .row.active .ref')?.textContent`
	p.eval(`document.getElementById('places-title').scrollIntoView()`)
	p.run(point(`#source [data-place="3"]`))
	p.await(marked, "page3.html page3.html")
	p.run(point(`#places [data-place="5"]`))
	p.await(marked, "page5.html page5.html")
	p.eval(`(() => { document.getElementById('places').scrollTop = 1e6 })()`)
	p.await(`document.querySelector('#places [data-place="498"]') !== null`, "true")
	p.run(point(`#places [data-place="498"]`))
	p.await(marked, "page498.html page498.html")
	p.eval(`(() => { document.getElementById('source').scrollTop = 0 })()`)
	p.await(`document.querySelector('#source [data-place="1"]') !== null`, "true")
	p.run(point(`#source [data-place="1"]`))
	p.await(marked, "page1.html page1.html")
}

// Other options leave the page where it was scrolled to, with the same place marked.
func TestPageStays(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.drop(write(t, "page.html", strings.Repeat("<a href=x><img data-src=y>\n", 500)))
	p.await(`document.getElementById('places').getAttribute('aria-rowcount')`, "1001")
	p.run(focus("#places"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.ArrowUp), click("#more summary"), click(`#rules input[value="lazy"]`))
	p.await(`document.querySelector('#places .row.active').getAttribute('aria-rowindex')`, "1000")
	p.await(`document.getElementById('status').textContent.includes(' 1,000 places')`, "true")
	p.await(`document.querySelector('#places .row.active').getAttribute('aria-rowindex')`, "1000")
	p.await(`document.querySelector('#source .mark.active') !== null && document.getElementById('source').scrollTop > 5000`, "true")
	const scrolled = `Math.round(document.getElementById('source').scrollTop)`
	was := p.eval(scrolled)
	p.run(chromedp.EmulateViewport(700, 900))
	p.await(`document.getElementById('source').clientWidth > 600`, "true")
	p.await(scrolled, was)
}

// On a telephone the places come first, and their rows scroll with the page.
func TestPageTelephone(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.run(chromedp.EmulateViewport(390, 844))
	p.drop(write(t, "page.html", strings.Repeat("<a href=x>\n", 2000)))
	p.await(`document.getElementById('places').getAttribute('aria-rowcount')`, "2001")
	p.await(`document.querySelector('#places .row:not(.header)').getBoundingClientRect().top < innerHeight`, "true")
	// The links of the page stand in the order of its parts.
	p.await(`[...document.querySelectorAll('nav a')].map((a) => a.textContent).join()`, "Base URL,Places,Source,Where it leads,Downloads")
	p.await(`(() => { const tops = [...document.querySelectorAll('nav a')].map((a) => document.querySelector(a.hash).getBoundingClientRect().top); return tops.every((top, i) => i === 0 || top > tops[i - 1]) })()`, "true")
	p.await(`getComputedStyle(document.getElementById('places')).overflowY + getComputedStyle(document.getElementById('source')).overflowY`, "clipclip")
	for _, row := range []string{"2", "1500", "2001", "2"} {
		p.eval(`scrollTo(0, scrollY + document.querySelector('#places .space').getBoundingClientRect().top + 74 * (` + row + ` - 2) - 300)`)
		p.await(`[...document.querySelectorAll('#places [aria-rowindex="`+row+`"]')].some((e) => { const r = e.getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight })`, "true")
		p.await(`document.querySelectorAll('#places .row').length < 60`, "true")
	}
}

// A source that is typed stays in the hand; a text and a file of any charset are shown as
// browsers read them.
func TestPageCharsets(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.run(sendKeys("#paste", "<a href=x>"))
	p.await(references, "x")
	p.run(chromedp.KeyEvent("<a href=y>"))
	p.await(references, "x y")
	p.paste("<meta charset=koi8-r><a href=é>\u202e\u200b\U0001f600</a>")
	p.await(references, "é")
	p.await(`document.querySelector('#source code').textContent`, "<meta charset=koi8-r><a href=é>⍰⍰\U0001f600</a>")
	for _, test := range []struct{ content, source, written string }{
		{"<a href='caf\xe9'>", "<a href='café'>", "café"},
		{"<meta charset=shift_jis><a href='\x93\xfa'>", "<meta charset=shift_jis><a href='日'>", "日"},
		{"<meta charset=iso-2022-jp><a href='\x1b$BF|\x1b(B'>", "<meta charset=iso-2022-jp><a href='日'>", "日"},
		{"\xfe\xff\x00<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x65\xe5\x00>", "\ufeff<a href=日>", "日"},
		{"<meta charset=windows-1252><a href='é'>", "<meta charset=windows-1252><a href='Ã©'>", "Ã©"},
		{"<meta charset=utf-8><a href='caf\xe9'>", "<meta charset=utf-8><a href='caf\ufffd'>", "caf\ufffd"},
	} {
		p.drop(write(t, "page.html", test.content))
		p.await(`document.querySelector('#source code').textContent`, strings.ReplaceAll(test.source, "\ufeff", "⍰"))
		p.await(`document.querySelector('#source .mark').textContent`, test.written)
		p.run(click("#places .row:not(.header)"))
		p.await(`document.querySelector('#place dd').textContent`, test.written)
		p.run(chromedp.KeyEvent(kb.Escape))
	}
}

// A page without a place, an empty page, and what cannot be shown say so.
func TestPageEmpty(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	found, problem := `document.getElementById('found').textContent`, `document.getElementById('problem').textContent`
	p.drop(write(t, "none.html", "<p>no link"))
	p.await(found, "No place was found in this document.")
	p.await(`document.querySelector('#hosts').textContent`, "No links.")
	p.await(`document.querySelector('#downloads').textContent`, "Rewritten documentList as CSVList as JSON linesDiff: nothing changes")
	p.screenshots("none")
	long := write(t, "long.html", strings.Repeat("<a href=x>", 160_000))
	p.drop(long) // in JSON its list has more than 16 MiB, in CSV less
	p.await(`document.querySelector('#downloads p')?.textContent`, "A list is too long for this page; absolink list prints it.")
	p.await(`[...document.querySelectorAll('#downloads button')].map((b) => b.disabled).join()`, "false,false,true,true")
	p.drop(write(t, "empty.html", ""))
	p.await(`document.getElementById('status').textContent`, "empty.html: 0 places in 0 bytes, utf-8, by whatwg.")
	p.await(found, "No place was found in this document.")
	p.drop(write(t, "page.html", example))
	p.await(found, "")
	p.run(sendKeys("#search", "nowhere"))
	p.await(found, "0 of 7 places, and 0 of 1 on request shown.")
	p.await(`document.getElementById('status').textContent.includes(': 7 places and 1 on request in ')`, "true")
	p.drop(write(t, "picture.png", "\x89PNG\r\n\x1a\n"))
	p.await(problem+`.includes('image/png')`, "true")
	p.await(problem, "picture.png is image/png, not HTML, a message or a feed; if it is one, choose its type under Options. Back to page.html")
	p.await(`document.getElementById('shown').hidden || document.getElementById('shown').inert`, "false") // what is shown stays
	p.screenshots("problem")
	p.run(click("#problem button"))
	p.await(`document.getElementById('problem').hidden`, "true")
	p.drop(t.TempDir())
	p.await(problem+`.includes('directory')`, "true")
	p.drop(write(t, "one.html", ""), write(t, "two.html", ""))
	p.await(problem, "Drop one file at a time here. The file absolink.html takes several, and folders.")
	p.drop(write(t, "long.html", strings.Repeat("x", 17<<20)))
	p.await(problem, "long.html has, with its rewriting, more than the 32 MiB or the million lines that can be shown. It can still be rewritten: Save the rewritten document Back to page.html")
	p.drop(write(t, "page.html", example))
	p.await(`document.getElementById('problem').hidden`, "true")
	for _, url := range []string{"javascript:alert(1)", "data:text/html,x", "x", "//h/"} {
		p.set("url", url)
		p.await(problem+`.startsWith('The URL') && !document.getElementById('problem').hidden`, "true")
		p.await(`document.getElementById('shown').inert && !document.getElementById('shown').hidden`, "true")
		p.set("url", "")
		p.await(`document.getElementById('problem').hidden`, "true")
	}
}

// focused names the element that has the focus, and says whether that is seen.
const focused = `(() => { const e = document.activeElement, r = e.getBoundingClientRect(); const s = getComputedStyle(e);
	return (e.id || e.value || e.textContent) + (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 && r.width > 0 ? '' : ' unseen'); })()`

// What was opened last is shown, also where a file that was opened before takes longer to read,
// or a text was still being typed.
func TestPageLast(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.eval(`(() => {
		const read = File.prototype.arrayBuffer;
		window.slow = new Promise((resolve) => { window.release = resolve; });
		File.prototype.arrayBuffer = async function() {
			if (this.name === 'slow.html') await slow;
			return read.call(this);
		};
	})()`)
	slow := write(t, "slow.html", "<a href=slow>")
	p.drop(slow)
	p.drop(write(t, "quick.html", "<a href=quick>"))
	p.await(references, "quick")
	p.drop(slow)
	p.paste("<a href=pasted>")
	p.await(references, "pasted")
	p.eval(`release()`)
	p.run(chromedp.Sleep(500 * time.Millisecond))
	p.await(references, "pasted")
	p.run(sendKeys("#paste", "<a href=typed>"))
	p.drop(write(t, "last.html", "<a href=last>"))
	p.await(references, "last")
	p.run(chromedp.Sleep(500 * time.Millisecond))
	p.await(references, "last")
}

// Everything is reached by the keyboard alone, in the order of the page, and the focus is
// seen.
func TestPageKeyboard(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.run(focus("#paste"), chromedp.KeyEvent("<a href=x><img data-src=y>"))
	p.await(references, "x y")
	var order []string
	for range 40 {
		p.run(chromedp.KeyEvent(kb.Tab))
		order = append(order, p.eval(focused))
		if order[len(order)-1] == "Options" {
			p.run(chromedp.KeyEvent(kb.Enter))
		}
		if strings.HasPrefix(order[len(order)-1], "Rendered") {
			break
		}
	}
	want := "Options|profile|type|keep-fragments|keep|html|links|legacy|meta|lazy|json|modules|comments|allcomments|other|base|rewritten 0|absolute 0|left as it is 1|unresolvable 0|on request 1|" +
		"search|source|places|Rewritten document|List as CSV|List as JSON lines|Rendered: original and rewritten"
	if got := strings.Join(order, "|"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	p.run(chromedp.KeyEvent(kb.Enter))
	p.await(renderedFrames+".length", "2")
	p.run(focus("#url"), chromedp.KeyEvent("http://h/d/"))
	p.await(becomes, "http://h/d/x with rules lazy")
	for _, want := range []string{"file", "paste", "Options", "profile"} {
		p.run(chromedp.KeyEvent(kb.Tab))
		p.await(focused, want)
	}
	p.run(chromedp.KeyEvent(kb.ArrowDown))
	p.await(`document.getElementById('status').textContent.endsWith('rfc1808.')`, "true")
	p.run(focus(`#rules [value="lazy"]`), chromedp.KeyEvent(" "))
	p.await(becomes, "http://h/d/x http://h/d/y")
	p.run(focus("#places"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	p.await(`document.querySelector('#place-title').textContent`, "img[data-src]")
	p.run(chromedp.KeyEvent(kb.ArrowLeft))
	p.await(`document.querySelector('#place-title').textContent`, "a[href]")
	p.run(chromedp.KeyEvent(kb.Tab))
	p.await(focused, "‹")
	p.run(chromedp.KeyEvent(kb.Escape))
	p.await(focused, "places")
	p.await(`document.querySelector('#places .row.active .ref').textContent`, "x")
}

// The rendered documents stand in frames that run nothing, whatever the document has.
func TestPageRendered(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.eval(`(() => { window.told = []; addEventListener('message', (e) => told.push(e.data)); })()`)
	p.run(sendKeys("#url", "http://h/d/"))
	p.drop(write(t, "page.html", `<!doctype html><title>x</title><link rel=stylesheet href=x><script>parent.postMessage('script', '*')</script>
<img src=x onerror="parent.postMessage('handler', '*')"><a href=y target=_top>y</a><iframe srcdoc="<script>top.postMessage('inner', '*')</script>"></iframe><p style="color:red">text`))
	p.await(references, "x x y")
	p.run(click("#rendered summary"))
	p.await(renderedFrames+`.map((e) => JSON.stringify(e.getAttribute('sandbox')) + e.title).join()`, `""Original,""Rewritten`)
	p.await(renderedFrames+`.map((e) => /<a .*?>/.exec(e.srcdoc)).join()`, `<a target="_top" title="y" href="javascript:">,<a target="_top" title="http://h/d/y" href="javascript:">`)
	p.await(renderedFrames+`.map((e) => /<link|inner|src=""/.test(e.srcdoc)).join()`, "false,false")
	p.run(chromedp.Sleep(time.Second))
	p.await(`told.join()`, "")
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if !strings.HasPrefix(r, server) && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "about:srcdoc") {
			t.Errorf("asked for %s", r)
		}
	}
}

// contrasts lists the texts, and the edges of what can be used, that have too little
// contrast to what is behind them (WCAG 2.2, 1.4.3 and 1.4.11).
const contrasts = `(() => {
	const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
	const over = (colors) => {
		context.clearRect(0, 0, 1, 1);
		for (const c of colors) { context.fillStyle = c; context.fillRect(0, 0, 1, 1); }
		return context.getImageData(0, 0, 1, 1).data;
	};
	const light = (data) => {
		const [r, g, b] = [...data].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		const colors = [];
		for (; e; e = e.parentElement) colors.unshift(getComputedStyle(e).backgroundColor);
		return ['white', ...colors];
	};
	const ratio = (a, b) => { const [x, y] = [light(over(a)), light(over(b))]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
	const poor = [];
	for (const e of document.querySelectorAll('body, body *')) {
		if (e.getClientRects().length === 0 || e.matches(':disabled, option')) continue;
		const style = getComputedStyle(e), back = behind(e);
		const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== '');
		const r = ratio([...back, style.color], back);
		if (text && r < 4.5) poor.push(e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 20) + ' ' + r.toFixed(2));
		if (e.matches('button, textarea, select, input:not([type=checkbox], [type=file])') && style.borderStyle !== 'none') {
			const edge = ratio([...back, style.borderTopColor], behind(e.parentElement));
			if (edge < 3) poor.push(e.tagName + '#' + e.id + ' edge ' + edge.toFixed(2));
		}
	}
	return poor.join(', ');
})()`

// Texts and edges have contrast, light and dark; what can be pressed is large enough
// (WCAG 2.2, 2.5.8).
func TestPageContrast(t *testing.T) {
	browser, server := servePage(t)
	for _, scheme := range []string{"light", "dark"} {
		p := openPage(t, browser, server)
		p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
		p.await(`document.querySelectorAll('#places .row').length`, "10")
		p.await(contrasts, "")
		p.run(click("#more summary"), click(".state.left"), focus("#places"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
		p.await(contrasts, "")
		p.await(`[...document.querySelectorAll('button, input, select, summary, label:has(input)')].map((e) => [e, e.getBoundingClientRect()])
			.filter(([e, r]) => r.width > 0 && (r.width < 24 || r.height < 24) && !e.closest('label')).map(([e, r]) => e.outerHTML + r.height).join()`, "")
		p.run(chromedp.KeyEvent(kb.Enter))
		p.await(`document.querySelectorAll('#place .step').length > 0`, "true")
		p.await(contrasts, "")
		p.run(chromedp.KeyEvent(kb.Escape))
		p.set("url", "x")
		p.await(`document.getElementById('problem').hidden`, "false")
		p.await(contrasts, "")
	}
}

// Nothing is wider than the window, however long names and URLs are, on the narrowest
// telephone too (WCAG 2.2, 1.4.10).
func TestPageNarrow(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	long := strings.Repeat("long", 50)
	page := write(t, long+".html", "<base href='//"+long[:60]+"."+long[:60]+".test/"+long+"/'><a href="+long+">"+long+"</a><a href='http://u@x:x/ "+long+"'><img data-src="+long+">")
	fits := func(what string) {
		t.Helper()
		for _, width := range []int64{320, 768, 1440} {
			p.run(chromedp.EmulateViewport(width, 900))
			p.await(`[document.documentElement, document.getElementById('place')].filter((e) => e.scrollWidth > e.clientWidth).map((top) =>
				[...top.querySelectorAll(':not(.list *)')].filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.tagName + '#' + e.id + '.' + e.className)).join()`, "")
		}
		p.screenshots(what)
	}
	p.await(`document.querySelectorAll('#places .row').length`, "10")
	fits("start")
	p.run(click("#more summary"))
	fits("options")
	p.set("url", "https://"+long[:60]+".test/"+long+"?"+long)
	p.drop(page)
	p.await(`document.querySelectorAll('#places .row').length`, "5")
	p.run(click("#rendered summary"))
	fits("long")
	p.run(focus("#places"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	p.await(`document.querySelectorAll('#place .step').length > 0`, "true")
	fits("long-place")
	p.run(chromedp.KeyEvent(kb.Escape))
	p.set("url", "x"+long)
	p.await(`document.getElementById('problem').hidden`, "false")
	fits("long-problem")
}

// Without motion, nothing moves. Under forced colours, what a background says otherwise
// has an outline.
func TestPageMedia(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.paste(example)
	p.await(`document.querySelectorAll('#places .row').length`, "9")
	moving := `[...document.querySelectorAll('*')].filter((e) => getComputedStyle(e).transitionDuration !== '0s' || getComputedStyle(e).animationName !== 'none').length`
	p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}))
	p.await(moving, "0")
	p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}))
	p.run(focus("#places"), chromedp.KeyEvent(kb.ArrowDown))
	outlined := `['#places .row.active', '#source .mark.active', 'tr.wins'].map((s) => getComputedStyle(document.querySelector(s)).outlineStyle).join()`
	p.await(outlined, "solid,solid,solid")
	p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	p.await(outlined, "none,none,none")
}

// An axText is a text in the accessibility tree.
type axText struct {
	Value any `json:"value"`
}

// axTree returns the role and the name of each node of the accessibility tree.
func (p *shownPage) axTree() (found []string) {
	p.t.Helper()
	p.run(chromedp.ActionFunc(func(ctx context.Context) error {
		// The types of cdproto lack names that Chromium has.
		var tree struct {
			Nodes []struct {
				Ignored bool   `json:"ignored"`
				Role    axText `json:"role"`
				Name    axText `json:"name"`
			} `json:"nodes"`
		}
		err := cdp.Execute(ctx, accessibility.CommandGetFullAXTree, nil, &tree)
		for _, n := range tree.Nodes {
			if role := n.Role.Value; !n.Ignored && role != "InlineTextBox" {
				found = append(found, fmt.Sprint(n.Role.Value, " ", n.Name.Value))
			}
		}
		return err
	}))
	return found
}

// Assistive technology finds the parts of the page by their roles and names, and is told
// what changes.
func TestPageAccessibility(t *testing.T) {
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	has := func(wants ...string) {
		t.Helper()
		var found, missing []string
		err := poll(p.ctx, "find all", func() (bool, error) {
			found = p.axTree()
			missing = slices.DeleteFunc(slices.Clone(wants), func(want string) bool { return slices.Contains(found, want) })
			return len(missing) == 0, nil
		})
		if err != nil {
			t.Fatalf("no %s in\n%s", strings.Join(missing, ", "), strings.Join(found, "\n"))
		}
	}
	has("form Document", "textbox URL of the document", "button Open a file", "textbox Source", "button Compare with rfc1808")
	p.run(click("#more summary"))
	p.await(`document.documentElement.lang`, "en")
	p.run(sendKeys("#url", "https://example.org/dir/"))
	p.paste(example)
	p.await(`document.querySelectorAll('#places .row').length`, "9")
	p.run(click("#base"))
	has("banner ", "main ", "heading absolink", "heading Base URL", "heading Places", "heading Where it leads", "heading Downloads",
		"heading Rendered: original and rewritten", "region Base URL", "region Places", "region Where it leads", "region Downloads", "form Options",
		"combobox Profile", "combobox Type", "textbox Keep", "group Rules which places are looked for; a number says how many more a group finds", "checkbox html all that browsers load or follow", "checkbox lazy data-src and the like +1 place", "checkbox Keep fragments",
		"status ", "StaticText : 7 places and 1 on request in 229 bytes, utf-8, by whatwg.", "columnheader Offers", "rowheader §3.1 Embedded in the document",
		"region Source", "grid Places", "columnheader Reference", "gridcell page;v=1?q#s", "searchbox Search", "group Show places that are",
		"switch rewritten 4", "switch on request 1", "button Rewritten document", "button Diff", "button example.org internal 4 links")
	p.run(sendKeys("#search", "up"))
	p.await(`document.getElementById('found').textContent`, "1 of 7 places, and 0 of 1 on request shown.")
	has("StaticText 1 of 7 places, and 0 of 1 on request shown.")
	p.run(focus("#places"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Enter))
	p.await(`document.querySelectorAll('#place .step').length > 0`, "true")
	has("dialog a[href]", "heading a[href]", "button Previous place", "button Next place", "button Close", "heading Results", "rowheader whatwg in effect", "heading Steps")
	p.run(chromedp.KeyEvent(kb.Escape))
	p.set("search", "")
	p.await(`document.querySelectorAll('#places .row').length`, "9")
	p.set("url", "x")
	p.await(`document.getElementById('problem').hidden`, "false")
	has("alert ")
	p.set("url", "")
	p.await(`document.getElementById('problem').hidden`, "true")
	p.run(focus("#places"), chromedp.KeyEvent(kb.End))
	p.await(`document.getElementById(document.getElementById('places').getAttribute('aria-activedescendant')).getAttribute('aria-rowindex')`, "9")
}
