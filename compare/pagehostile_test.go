package compare

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hostile is a document that tries to run scripts and to ask servers. %s is a server.
const hostile = `<script>alert(1)</script><img src=x onerror="alert(2)"><svg onload="alert(3)"></svg><iframe srcdoc="<script>alert(4)</script>"></iframe>
<a href="javascript:alert(5)" id="</script><script>alert(6)</script>"><!-- --!><script>alert(7)</script> <![CDATA[ ]]>
<meta http-equiv=refresh content="0;url=%[1]s/refresh"><base href="%[1]s/base/"><link rel=stylesheet href=%[1]s/style><link rel=dns-prefetch href=%[1]s>
<link rel=preconnect href=%[1]s><link rel=preload as=image href=%[1]s/preload><link rel=prefetch href=%[1]s/prefetch><link rel=icon href=%[1]s/icon>
<img src=%[1]s/image srcset="%[1]s/set 2x"><style>@import "%[1]s/import"; body { background: url(%[1]s/background) } @font-face { font-family: f; src: url(%[1]s/font) } * { font-family: f }</style>
<object data=%[1]s/object></object><embed src=%[1]s/embed><video src=%[1]s/video poster=%[1]s/poster autoplay></video><iframe src=%[1]s/frame></iframe>
<iframe src="javascript:parent.parent.alert(8)"></iframe><form action=%[1]s/form><input autofocus onfocus=alert(9)></form><body onload=alert(10)>
<a href="` + "\u202e\u2028\u2029\u0000\xff\xfe" + `//x">&lt;/script&gt;</a><a href='"><img src=x onerror=alert(11)>'>x</a><template><script>alert(12)</script></template>`

// A hostile document runs nothing and asks nobody, in its source, in a place, rendered,
// and in a report.
func TestPageHostile(t *testing.T) {
	var connections atomic.Int32
	other := httptest.NewUnstartedServer(http.NotFoundHandler())
	other.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	other.Start()
	defer other.Close()
	document := fmt.Sprintf(hostile, other.URL)
	name := filepath.Join(t.TempDir(), "</script><script>alert(13)<script>.html")
	name = strings.ReplaceAll(name, "</script>", "<!--")
	noError(t, os.WriteFile(name, []byte(document), 0o666))
	browser, server := servePage(t)
	absolink := buildAbsolink(t)
	html := must(exec.Command(absolink, "--report=html", "--quiet", "--url", other.URL+"/dir/", name).Output())(t)
	report := filepath.Join(t.TempDir(), "report.html")
	os.WriteFile(report, html, 0o666)
	for _, url := range []string{server, "file://" + report} {
		p := openPage(t, browser, url)
		if url == server {
			p.run(sendKeys("#url", other.URL+"/dir/"))
			p.drop(name)
		}
		p.await(`document.querySelectorAll('#places .row:not(.header)').length > 10`, "true")
		p.run(click("#places .row:not(.header)"))
		p.await(`document.querySelectorAll('#place .step').length > 0`, "true")
		p.run(chromedp.KeyEvent(kb.Escape), click("#rendered summary"))
		p.await(renderedFrames+".length", "2")
		// What got past all else, the policy stops.
		p.eval(fmt.Sprintf(`(() => {
			window.stopped = [];
			addEventListener('securitypolicyviolation', (event) => stopped.push(event.effectiveDirective));
			fetch(%[1]q).catch(() => {});
			new Image().src = %[1]q;
			const script = document.createElement('script');
			script.textContent = 'alert(14)';
			document.body.append(script);
		})()`, other.URL+"/stopped"))
		p.await(`stopped.sort().join()`, "connect-src,img-src,script-src-elem")
		p.run(chromedp.Sleep(2 * time.Second))
		p.mu.Lock()
		if len(p.dialogs) > 0 {
			t.Errorf("%s: dialogs %q", url, p.dialogs)
		}
		for _, r := range p.requests {
			if strings.HasPrefix(r, other.URL) && !strings.HasSuffix(r, "/stopped") { // an event, without a connection
				t.Errorf("%s: asked for %s", url, r)
			}
		}
		p.mu.Unlock()
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections", n)
	}
}

// The worst 1 MB, of many kinds, is shown with few elements, and scrolls to its end.
func TestPageHostileLong(t *testing.T) {
	const length = 1 << 20
	repeat := func(s string) string { return strings.Repeat(s, length/len(s)) }
	browser, server := servePage(t)
	p := openPage(t, browser, server)
	p.run(sendKeys("#url", "https://example.org/dir/"))
	for name, document := range map[string]string{
		"one line":      repeat("<a href=x>"),
		"less":          repeat("<"),
		"bidi":          repeat("\u202e<a href=\u202ex>\u2066"),
		"srcset":        "<img srcset='" + repeat("a,") + "'>",
		"nul":           repeat("\x00") + "<a href=\x00x>",
		"lines":         repeat("\n") + "<a href=x>",
		"one reference": "<a href='" + repeat("x") + "'>",
		"one attribute": "<a " + repeat("y ") + " href=x>",
		"nested":        repeat("<div>") + "<a href=x>",
		"marks":         "<a href=x>" + repeat("e\u0301\u0301\u0301"),
		"encoded":       "From a\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n" + repeat("<a href=3Dx>"),
		"on request":    repeat("<img data-src=x>"),
	} {
		t.Log(name)
		p.drop(write(t, name+".html", document))
		p.await(`document.title`, name+".html – absolink")
		if problem := p.eval(`document.getElementById('problem').textContent`); p.eval(`document.getElementById('problem').hidden`) != "true" {
			t.Errorf("%s: %s", name, problem)
		}
		for _, at := range []string{"0", "0.5", "1"} {
			p.eval("(() => { for (const e of document.querySelectorAll('.list')) e.scrollTop = e.scrollHeight * " + at + " })()")
			p.run(chromedp.Sleep(50 * time.Millisecond))
			var n int
			p.run(chromedp.Evaluate(`document.querySelectorAll('*').length`, &n))
			if n > 2500 {
				t.Errorf("%s: %d elements at %s", name, n, at)
			}
		}
		if rows := p.eval(`document.getElementById('places').getAttribute('aria-rowcount')`); rows == "1" {
			if strings.Contains(document, "=") {
				p.await(`document.querySelectorAll('#warnings li').length`, "1")
			}
		} else {
			p.run(focus("#places"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Enter))
			p.await(`document.getElementById('place').open && document.querySelector('#place h3, #place [role=alert]') !== null`, "true")
			p.run(chromedp.KeyEvent(kb.Escape))
		}
	}
}
