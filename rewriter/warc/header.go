package warc

import (
	"bytes"
	"strings"

	"absolink/rewriter"
	"absolink/rewriter/internal/mark"
	"absolink/rewriter/internal/syntax"
)

// headerName is the Element of a place in the header of an HTTP response. No element has
// this name.
const headerName = "#http"

// headerRules has the fields of a response in which URLs stand.
var headerRules = func() map[string]*rewriter.Rule {
	rules := map[string]*rewriter.Rule{}
	for _, name := range []string{"location", "content-location", "link", "refresh"} {
		rules[name] = &rewriter.Rule{Element: headerName, Attr: name, Empty: rewriter.EmptyBase}
	}
	rules["refresh"].Syntax = rewriter.SyntaxRefresh
	return rules
}()

// A link is a reference in a field of a header. It stands in head.raw[start:end].
type link struct {
	start, end int
	rel        string // of the field Link
}

// links yields the references in the header, in order, with the rules of their fields.
func (h *head) links(yield func(l link, rule *rewriter.Rule) bool) {
	for f := range h.fields {
		rule := headerRules[strings.ToLower(string(f.name()))]
		if rule == nil {
			continue
		}
		for l := range f.links(rule) {
			if !yield(l, rule) {
				return
			}
		}
	}
}

func (p *Page) hasPlaces() bool {
	for range p.http.links {
		return true
	}
	return false
}

func (f field) links(rule *rewriter.Rule) func(yield func(link) bool) {
	raw := bytes.TrimRight(f.raw[:f.end], " \t\r\n")
	start := f.colon + 1
	start += len(raw[start:]) - len(bytes.TrimLeft(raw[start:], " \t\r\n"))
	return func(yield func(link) bool) {
		switch {
		case start == len(raw):
		case rule.Attr == "link":
			linksIn(raw, start, yield)
		case rule.Attr == "refresh":
			for _, r := range syntax.Refresh.Find(nil, raw[start:], syntax.Options{}) {
				yield(link{start: start + int(r.Start), end: start + int(r.End)})
			}
		default:
			yield(link{start: start, end: len(raw)})
		}
	}
}

// linksIn yields the references in the value of a Link (RFC 8288 §3), which begins at i.
func linksIn(raw []byte, i int, yield func(link) bool) {
	for {
		n := bytes.IndexByte(raw[i:], '<')
		if n < 0 {
			return
		}
		l := link{start: i + n + 1}
		if n = bytes.IndexByte(raw[l.start:], '>'); n < 0 {
			return
		}
		l.end = l.start + n
		if l.rel, i = linkParams(raw, l.end+1); !yield(l) {
			return
		}
	}
}

// linkParams returns the first rel among the parameters of a link, which begin at i, and
// where they end.
func linkParams(value []byte, i int) (rel string, end int) {
	for i < len(value) && value[i] != ',' {
		start := i
		for quoted := false; i < len(value) && (quoted || value[i] != ';' && value[i] != ','); i++ {
			if value[i] == '"' {
				quoted = !quoted
			} else if value[i] == '\\' && quoted && i+1 < len(value) {
				i++
			}
		}
		name, text, _ := bytes.Cut(value[start:i], []byte("="))
		if rel == "" && is(bytes.TrimSpace(name), "rel") {
			rel = strings.Trim(string(bytes.TrimSpace(text)), `"`)
		}
		if i < len(value) && value[i] == ';' {
			i++
		}
	}
	return rel, i
}

// listHeader lists the places in the header of a job's response. pageErr says why it
// ended early.
func (w *worker) listHeader(j *job) (pageErr, err error) {
	if !j.page.hasPlaces() {
		return nil, nil
	}
	of, err := j.page.document(w.html)
	if err != nil && !j.page.html { // otherwise rewrite warns
		j.warn(err)
	}
	for l, rule := range j.page.http.links {
		raw := string(j.page.http.raw[l.start:l.end])
		p := rewriter.Place{
			Offset: int64(l.start), Element: headerName, Attr: rule.Attr, Rule: rule, Rel: l.rel, Document: of,
			Raw: raw, Ref: string(mark.AppendOutside(nil, raw)), // a header has no encoding
		}
		result, err := w.html.Reference(&p, of.Outer.URL)
		j.result.Add(result)
		if err != nil {
			return w.reason(err)
		}
	}
	return nil, nil
}
