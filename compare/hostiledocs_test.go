package compare

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A sink accepts every connection, and answers whatever it is asked.
type sink struct {
	address string

	mu       sync.Mutex
	accepted int
	asked    []string // the first line of each request, or what came instead
}

// newSink starts a sink.
func newSink(t *testing.T) *sink {
	l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	s := &sink{address: l.Addr().String()}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.accepted++
			s.mu.Unlock()
			go s.answer(conn)
		}
	}()
	return s
}

func (s *sink) answer(conn net.Conn) {
	defer conn.Close()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimSpace(line))
	s.mu.Unlock()
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n<p>x")
}

// connections returns how many connections were made, and what was asked on them.
func (s *sink) connections() (n int, asked string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted, strings.Join(s.asked, ", ")
}

// A loggedServer is absolink serve with its log.
type loggedServer struct {
	url string

	mu       sync.Mutex
	requests []string // each a method and a path
}

// startLogged starts absolink serve.
func startLogged(t *testing.T, absolink string, args ...string) *loggedServer {
	t.Helper()
	cmd := exec.Command(absolink, append([]string{"serve", "--log", "json", "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	noError(t, err)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	s := new(loggedServer)
	lines := bufio.NewScanner(stderr)
	next := func() (line struct{ Msg, Address, Method, Path string }) {
		if lines.Scan() {
			json.Unmarshal(lines.Bytes(), &line)
		}
		return line
	}
	if s.url = next().Address; s.url == "" {
		t.Fatal("absolink serve does not listen")
	}
	go func() {
		for line := next(); line.Msg != ""; line = next() {
			s.mu.Lock()
			s.requests = append(s.requests, line.Method+" "+line.Path)
			s.mu.Unlock()
		}
	}()
	return s
}

// ownRequests are what the page itself asks its server for.
var ownRequests = regexp.MustCompile(`^(GET /|GET /openapi.json|POST /view|GET /resolve|GET /page/quiet.html|GET /page/elsewhere.html)$`)

// strange returns the requests that the page itself does not make.
func (s *loggedServer) strange() (requests []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if !ownRequests.MatchString(r) {
			requests = append(requests, r)
		}
	}
	return requests
}

// A hostileDocument tries to connect to HOST, which leads to a sink of its own, and to have
// SELF, the server of the page, fetch from FETCH.
type hostileDocument struct {
	name, text string
	sink       *sink
}

// with returns the document for a server and what that may fetch.
func (d *hostileDocument) with(server string, fetched *sink) string {
	return strings.NewReplacer("SELF", server, "FETCH", "http://"+fetched.address).Replace(d.text)
}

// hostileDocuments returns the documents, and rules for a browser by which their hosts lead
// to their sinks and no others lead anywhere.
func hostileDocuments(t *testing.T) (documents []*hostileDocument, hosts string) {
	add := func(name, text string) {
		d := &hostileDocument{name, strings.ReplaceAll(text, "HOST", fmt.Sprintf("d%d.test", len(documents))), newSink(t)}
		hosts += fmt.Sprintf("MAP *d%d.test %s, ", len(documents), d.sink.address)
		documents = append(documents, d)
	}
	whole := ways("http://HOST/", "SELF/rewrite?url=FETCH/", "/rewrite?url=FETCH/")
	for name, around := range map[string]string{
		"in the body": "%s", "in the head": "<head>%s", "in a shadow root": "<div><template shadowrootmode=open>%s</template></div>",
		"in a closed shadow root": "<p><div><template shadowrootmode=closed shadowrootdelegatesfocus shadowrootclonable>%s</template></div>",
		"in two shadow roots":     "<div><template shadowrootmode=open><div><template shadowrootmode=open>%s</template></div></template></div>",
		"in a template":           "<template>%s</template>", "in SVG": "<svg><foreignObject>%s</foreignObject></svg>",
		"in a shadow root in SVG": "<svg><foreignObject><div><template shadowrootmode=open>%s</template></div></foreignObject></svg>",
		"in MathML":               "<math><annotation-xml encoding=text/html>%s</annotation-xml></math>", "in noscript": "<noscript>%s</noscript>",
		"in noscript in the head": "<head><noscript>%s</noscript>", "in a table": "<table>%s", "in a select": "<select>%s", "in object": "<object>%s</object>",
		"in quirks mode": "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'><p><table>%s", "in a comment": "<!--%s--><!-->%[1]s<!--->%[1]s<![CDATA[%[1]s]]>",
		"after a clobbered document": "<form name=querySelectorAll><form name=documentElement><img name=documentElement><img name=querySelector><input name=attributes>%s",
	} {
		add(name, fmt.Sprintf(around, whole))
	}
	for namespace, around := range map[string]string{"": "<%s>%s</%[1]s>", " in SVG": "<svg><%s>%s</%[1]s></svg>", " in MathML": "<math><%s>%s</%[1]s></math>"} {
		text := ""
		for _, raw := range strings.Fields("title textarea style xmp noembed noframes iframe noscript script plaintext") {
			text += fmt.Sprintf(around, raw, whole)
		}
		add("in raw text"+namespace, text)
	}
	add("frameset", "<frameset rows=1,1><frame src=http://HOST/><frame src='/rewrite?url=FETCH/'><noframes>"+whole+"</noframes></frameset>")
	add("every attribute of every element", everyAttribute())
	for name, link := range map[string]string{
		"a": "<a href=http://HOST/ ping=http://HOST/ping %s>x</a>", "download": "<a href=http://HOST/ download %s>x</a>", "a to another window": "<a target=_blank rel=opener href=http://HOST/ %s>x</a>",
		"a to the top": "<a target=_top href='/rewrite?url=FETCH/' %s>x</a>", "SVG": "<svg %s><a xlink:href=http://HOST/ href=http://HOST/><rect width=9999 height=9999 /></a></svg>",
		"SVG with set":                "<svg %s><a><set attributeName=href to=http://HOST/ /><rect width=9999 height=9999 /></a></svg>",
		"SVG with animate":            "<svg %s><a href=javascript:><animate attributeName=href values=http://HOST/ fill=freeze dur=1ms /><rect width=9999 height=9999 /></a></svg>",
		"SVG with xlink and animate":  "<svg %s><a xlink:href=#x><animate attributeName=xlink:href values=http://HOST/ fill=freeze dur=1ms /><rect width=9999 height=9999 /></a></svg>",
		"SVG with set from elsewhere": "<svg %s><a id=x><rect width=9999 height=9999 /></a><set href=#x attributeName=href to=http://HOST/ /></svg>",
		"SVG with set in a foreign a": "<svg %s><foreignObject width=9999 height=9999><svg width=9999 height=9999><a><set attributeName=href to=http://HOST/ /><rect width=9999 height=9999 /></a></svg></foreignObject></svg>",
		"MathML":                      "<math %s href=http://HOST/><mrow href=http://HOST/><mtext href=http://HOST/>xxxxxxxxxxxxxxxxxxxx</mtext></mrow></math>",
		"SVG with both":               "<svg %s><a href=javascript: xlink:href=http://HOST/><rect width=9999 height=9999 /></a></svg>",
		"area":                        "<img usemap=#m %s src=data:image/gif;base64,R0lGODlhAQABAAAAACw=><map name=m><area shape=default href=http://HOST/></map>",
		"button":                      "<form action=http://HOST/><button formaction=http://HOST/f %s>x</button></form>", "fragment": "<a href=#x %s>x</a><p id=x>x",
	} {
		add("click on "+name, fmt.Sprintf(link, "style='position:fixed;inset:0;width:100%;height:100%'"))
	}
	return documents, hosts + "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
}

// ways returns ways to connect to URLs, each with a path of its own. Raw text and what ends
// the parsing of others is left out.
func ways(urls ...string) string {
	var b strings.Builder
	n := 0
	for _, url := range urls {
		for _, way := range strings.Split(strings.TrimSpace(connectingWays), "\n") {
			n++
			fmt.Fprintln(&b, strings.ReplaceAll(way, "URL", fmt.Sprint(url, n)))
		}
	}
	return b.String()
}

const connectingWays = `
<base href='URL'>
<meta http-equiv=x-dns-prefetch-control content=on><meta http-equiv=refresh content='0;url=URL'><meta http-equiv=Link content='<URL>; rel=preconnect'>
<meta http-equiv=Content-Security-Policy content='default-src *; report-uri URL'><meta http-equiv=origin-trial content=x><meta http-equiv=delegate-ch content='sec-ch-width URL'>
<link rel=dns-prefetch href='URL'><link rel=preconnect href='URL'><link rel='preconnect dns-prefetch' crossorigin href='URL'><link rel=prefetch href='URL'><link rel=prerender href='URL'><link rel=next href='URL'>
<link rel=preload as=image href='URL'><link rel=preload as=fetch href='URL'><link rel=preload as=style href='URL'><link rel=preload as=font crossorigin href='URL'><link rel=preload as=script href='URL'><link rel=modulepreload href='URL'>
<link rel=stylesheet href='URL'><link rel='alternate stylesheet' href='URL'><link rel=icon href='URL'><link rel=apple-touch-icon href='URL'><link rel=manifest href='URL'><link rel=search href='URL'><link rel=compression-dictionary href='URL'>
<link rel=preload as=image imagesrcset='URL 1x' imagesizes=1px><link rel=monetization href='URL'><link rel=pingback href='URL'><link rel=import href='URL'>
<style>@import "URL"; @import url(URL) layer(x) supports(a:b) print; @namespace "URL"; @font-face { font-family: f; src: url(URL) } * { font-family: f, serif; background: url(URL); cursor: url(URL), auto; list-style: url(URL); border-image: url(URL); mask: url(URL); filter: url(URL#f); clip-path: url(URL#c); offset-path: url(URL#o); shape-outside: url(URL) } ::before { content: url(URL) }</style>
<p style="background: url(URL), image-set('URL' 1x); content: url(URL)">x</p><style media=print>@import 'URL';</style><style>@document url(URL) {} p::after { content: src("URL") url(URL) }</style>
<img src='URL'><img srcset='URL 1x, URL 2x'><img loading=eager fetchpriority=high src='URL'><img loading=lazy src='URL'><img lowsrc='URL' dynsrc='URL' longdesc='URL'><picture><source srcset='URL'><img src=data:,></picture><img attributionsrc='URL' sharedstoragewritable browsingtopics src='URL'>
<input type=image src='URL'><table background='URL'><tr background='URL'><td background='URL'></table><body background='URL' style="background: url(URL)"><html manifest='URL' style="background: url(URL)">
<iframe src='URL'></iframe><iframe loading=lazy src='URL'></iframe><iframe loading=eager csp="default-src *" allow="fullscreen" sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-top-navigation" src='URL'></iframe><iframe credentialless src='URL'></iframe>
<iframe srcdoc="<link rel=preconnect href='URL'><iframe src='URL'></iframe><img src='URL'>"></iframe><iframe srcdoc='<div><template shadowrootmode=open><iframe src="URL"></iframe></template></div>'></iframe>
<iframe src="data:text/html,<iframe src='URL'></iframe><link rel=preconnect href='URL'>"></iframe><iframe src="javascript:location='URL'"></iframe><iframe src="blob:URL"></iframe><iframe src="view-source:URL"></iframe><iframe src="about:blank" name='URL'></iframe>
<frame src='URL'><fencedframe src='URL'></fencedframe><portal src='URL'></portal><webview src='URL'></webview><controlledframe src='URL'></controlledframe><browser src='URL'></browser>
<object data='URL'></object><object type=text/html data='URL'></object><object type=image/svg+xml data='URL'></object><object data="data:text/html,<iframe src='URL'>"></object><object classid='URL' codebase='URL' archive='URL'><param name=movie value='URL'><param name=src value='URL'></object>
<embed src='URL'><embed type=text/html src='URL'><embed type=image/svg+xml src='URL'><embed type=application/pdf src='URL'><applet code=x codebase='URL' archive='URL'></applet>
<video src='URL' poster='URL' autoplay preload=auto><source src='URL'><track default kind=captions src='URL'></video><audio src='URL' autoplay></audio><video autoplay><source src='URL' type=video/mp4></video><bgsound src='URL'>
<form action='URL'><input autofocus name=x><button formaction='URL'>x</button></form><form method=dialog action='URL'></form><isindex action='URL'><keygen>
<a href='URL' ping='URL'>x</a><a href='URL' rel=prefetch autofocus>x</a><a href='URL' attributionsrc='URL'>x</a><map name=m><area href='URL' ping='URL'></map><img usemap=#m src=data:,>
<svg><image href='URL'/><image xlink:href='URL'/><use href='URL#x'/><use xlink:href='URL#x'/><feImage href='URL'/><a xlink:href='URL'><text>x</text></a><style>@import 'URL'; * { fill: url(URL#x) }</style><rect fill="url(URL#x)" filter="url(URL#x)" mask="url(URL#x)" clip-path="url(URL#x)" marker-start="url(URL#x)" style="fill: url(URL#x)"/></svg>
<svg><script href='URL'/><animate attributeName=href values='URL'/><set attributeName=xlink:href to='URL'/><image><set attributeName=href to='URL'/><animate attributeName=href from='URL' to='URL' begin=0s dur=1s /></image><linearGradient href='URL#x'/><textPath href='URL#x'/><mpath href='URL#x'/><tref xlink:href='URL#x'/><cursor href='URL'/><font-face-uri href='URL'/><audio href='URL'/><video href='URL'/><iframe src='URL'/><link rel=preconnect href='URL' xmlns='http://www.w3.org/1999/xhtml'/></svg>
<math href='URL'><mi href='URL' xlink:href='URL'>x</mi><mglyph src='URL'/><maction actiontype=statusline#URL>x</maction></math>
<script src='URL'></script><script type=module src='URL'></script><script type=speculationrules>{"prefetch":[{"source":"list","urls":["URL"],"eagerness":"immediate"}],"prerender":[{"urls":["URL"]},{"source":"document","eagerness":"immediate"}]}</script><script type=importmap>{"imports":{"x":"URL"}}</script><script type=webbundle>{"source":"URL","resources":["URL"]}</script>
<q cite='URL'>x</q><blockquote cite='URL'>x</blockquote><ins cite='URL'>x</ins><head profile='URL'><image src='URL'><layer src='URL'></layer><ilayer src='URL'></ilayer><xml src='URL'></xml><event-source src='URL'></event-source><command icon='URL'><menuitem icon='URL'><button popovertarget=x command=show-popover icon='URL'>x</button><model src='URL'><source src='URL'></model><geolocation src='URL'></geolocation>
<?xml-stylesheet href='URL'?><!DOCTYPE html SYSTEM 'URL' [<!ENTITY x SYSTEM 'URL'>]>&x;
<div contenteditable autofocus onfocus="location='URL'" onclick="fetch('URL')">x</div><details open ontoggle="fetch('URL')"></details><x-element src='URL' href='URL' data='URL'></x-element><slot name=x src='URL'></slot>
`

// everyAttribute returns a document with each element, known or not, with each attribute
// that may hold a URL.
func everyAttribute() string {
	elements := strings.Fields(`a abbr acronym address animate animateMotion animateTransform applet area article aside audio b base basefont bdi bdo bgsound big blink
blockquote body br button canvas caption center circle cite clipPath code col colgroup command content controlledframe cursor data datalist dd defs del desc details dfn
dialog dir div dl dt element ellipse em embed event-source feBlend feDropShadow feImage fencedframe fieldset figcaption figure filter font font-face-uri footer
foreignObject form frame g geolocation h1 head header hgroup hr html i iframe ilayer image img input ins isindex kbd keygen label layer legend li line linearGradient link
listing main map mark marker marquee mask math menu menuitem meta metadata meter mglyph mi mn model mpath mrow ms mtext multicol nav nobr object ol optgroup option output
p param path pattern permission picture polygon polyline portal pre progress q radialGradient rb rect rp rt rtc ruby s samp search section select selectedcontent shadow
slot small source spacer span stop strike strong sub summary sup svg switch symbol table tbody td text textPath tfoot th thead time tr track tref tspan tt u ul unknown use
var video view wbr webview x-custom xml`)
	var b strings.Builder
	n := 0
	for _, element := range elements {
		for _, around := range []string{"", "<svg>", "<math>"} {
			n++
			b.WriteString(around + "<" + element)
			for _, attr := range strings.Fields(`action archive attributionsrc background cite classid code codebase content csp data dynsrc formaction href icon imagesrcset
lowsrc longdesc manifest ping pluginspage poster profile src srcset style target to usemap value values xlink:href xml:base`) {
				value := fmt.Sprintf("http://HOST/%d/%s", n, attr)
				switch attr {
				case "content":
					value = "0;url=" + value
				case "style":
					value = "background: url(" + value + ")"
				case "srcset", "imagesrcset":
					value += " 1x"
				}
				fmt.Fprintf(&b, " %s='%s'", attr, value)
			}
			b.WriteString(" rel='preconnect dns-prefetch stylesheet prefetch icon' as=image http-equiv=refresh autofocus autoplay preload=auto loading=eager type=text/html attributeName=href begin=0s>x</" + element + "></svg></math>\n")
		}
	}
	return b.String()
}
