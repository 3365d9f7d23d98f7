package compare

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"golang.org/x/text/encoding/htmlindex"
)

// declarations say how a page declares its encoding.
var declarations = []string{"transport", "meta", "late meta", "nothing"}

// legacyPage returns a page in an encoding, with the same reference in several places.
func legacyPage(t *testing.T, name, declared, chars string) Page {
	ref := "x" + chars + "?q=" + chars + "&r"
	head, contentType := "", "text/html"
	switch declared {
	case "transport":
		contentType += "; charset=" + name
	case "meta":
		head = "<meta charset=" + name + ">"
	case "late meta":
		head = "<!--" + strings.Repeat(" ", 1024) + "--><meta charset=" + name + ">"
	}
	doc := "<!doctype html><html><head>" + head + "<title>" + strings.Repeat(chars+" ", 20) + "</title></head><body>" +
		"<a href='" + ref + "'>" + chars + "</a><p id=css style='background:url(" + ref + ")'>" + chars + "</p>" +
		"<img id=img srcset='" + ref + " 1x'><form id=form action='" + ref + "'></form>" +
		"<iframe id=frame srcdoc='<a href=\"" + ref + "\">" + chars + "</a>'></iframe></body></html>"
	enc := must(htmlindex.Get(name))(t)
	data, err := enc.NewEncoder().String(doc)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return Page{URL: "http://h/a/p.html", Type: contentType, HTML: []byte(data)}
}

// legacySeen is what a browser makes of the references in a legacy page.
const legacySeen = `new Promise(async (done) => {
	const get = (id) => document.getElementById(id)
	const within = () => get('frame')?.contentDocument?.links[0]
	for (let i = 0; i < 400 && !(within() && get('img')?.currentSrc); i++) await new Promise((next) => setTimeout(next, 5))
	done([
		document.characterSet, document.links[0]?.href, get('css') && getComputedStyle(get('css')).backgroundImage,
		get('img')?.currentSrc, get('form')?.action, within()?.href,
	].join('\n'))
})`

// legacyDifferences are the pages in which a reference leads elsewhere, and why.
var legacyDifferences = map[string]string{
	"iso-2022-jp, late meta": "a byte of a character is a quote to a reader who does not know the encoding, and ends the srcdoc",
}

// In every encoding, declared in any way or not at all, the references of the rewritten page
// lead where those of the page lead.
func TestLegacyPages(t *testing.T) {
	t.Parallel()
	b := <-startChromium(t)
	b.policy = "" // style attributes and pictures count
	pages := 0
	for _, name := range legacyEncodings(t) {
		for _, declared := range declarations {
			if strings.HasPrefix(name, "utf-16") && declared != "transport" { // a meta that names UTF-16 is UTF-8, and nobody guesses it
				continue
			}
			chars := charsOf(t, name)
			key := name + ", " + declared
			p := legacyPage(t, name, declared, chars)
			want := b.promised(t, p, legacySeen)
			got := b.promised(t, rewritten(t, p), legacySeen)
			why, differs := legacyDifferences[key]
			switch {
			case differs && got == want:
				t.Errorf("%s: take it off the differences (%s)", key, why)
			case !differs && got != want:
				t.Errorf("%s: the page leads to\n%s\nand rewritten to\n%s", key, want, got)
			}
			pages++
		}
	}
	t.Logf("%d pages of 5 references, %d differ", pages, len(legacyDifferences))
}

// charsOf returns some characters beyond ASCII that an encoding has.
func charsOf(t *testing.T, name string) string {
	enc := must(htmlindex.Get(name))(t)
	chars := ""
	for _, c := range "éäőяжαβאבاบก表日한\uf7e9" {
		if _, err := enc.NewEncoder().String(string(c)); err == nil && len(chars) < 8 {
			chars += string(c)
		}
	}
	if chars == "" {
		t.Fatalf("%s has none of the characters", name)
	}
	return chars
}

// legacyEncodings returns the encodings that the labels in testdata/encodings name, except
// those that nothing can be written in.
func legacyEncodings(t *testing.T) []string {
	labels := must(os.ReadFile(encodings + "/labels.tsv"))(t)
	names := map[string]bool{}
	for line := range strings.Lines(string(labels)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		names[name] = true
	}
	delete(names, "replacement")
	return slices.Sorted(maps.Keys(names))
}

// promised shows a page and returns the text that the promise of a script gives.
func (b *tab) promised(t *testing.T, p Page, script string) (text string) {
	b.mu.Lock()
	b.page = p
	b.mu.Unlock()
	wait := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Run(ctx, chromedp.Navigate(p.URL), chromedp.Evaluate(script, &text, wait)); err != nil {
		t.Fatalf("%s: %.100q: %v", p.Type, p.HTML, err)
	}
	return text
}
