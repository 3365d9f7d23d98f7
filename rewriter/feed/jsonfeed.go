package feed

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"

	mediatype "absolink/internal/media"
	"absolink/rewriter"
	"absolink/rewriter/internal/syntax"
)

// A shape says what is of interest in an object of a JSON Feed (versions 1 and 1.1).
// Identifiers, which are called id, are not.
type shape struct {
	urls    map[string]*rewriter.Rule // members that are URLs
	objects map[string]*shape         // members that are objects, or arrays of them
	base    string                    // the member that is the base of HTML in the object
}

// shapeOf returns a shape. element is the element of its places; names lists the members
// that are URLs, with spaces between them.
func shapeOf(element, names string) *shape {
	s := &shape{urls: map[string]*rewriter.Rule{}}
	for member := range strings.FieldsSeq(names) {
		s.urls[member] = &rewriter.Rule{Element: element, Attr: member}
	}
	return s
}

var jsonFeed, jsonItem = func() (feed, item *shape) {
	author := shapeOf("author", "url avatar")
	item = shapeOf("item", "url external_url image banner_image")
	item.objects = map[string]*shape{"author": author, "authors": author, "attachments": shapeOf("attachment", "url")}
	item.base = "url"
	feed = shapeOf("feed", "home_page_url feed_url next_url icon favicon")
	feed.objects = map[string]*shape{"author": author, "authors": author, "hubs": shapeOf("hub", "url"), "items": item}
	feed.base = "home_page_url"
	return feed, item
}()

// A jsonRun is a run over a JSON Feed.
type jsonRun struct {
	run  *run
	json jsonReader
}

// rewriteJSON reads a JSON Feed to its end, or to a failure.
func (f *run) rewriteJSON() {
	j := jsonRun{f, jsonReader{scan: &f.scan, until: math.MaxInt64}}
	j.object(jsonFeed)
	if f.scan.failed() || f.scan.input.Err() != nil {
		return // what is written next depends on what is missing
	}
	if f.scan.skipSpace(); j.json.err != nil || f.scan.has(1) {
		f.warnings.add(f.scan.pos, errJSON)
	}
	f.copy()
}

// object rewrites the object that stands next.
func (j *jsonRun) object(s *shape) {
	switch s {
	case jsonFeed:
		links := j.links(s, "home_page_url", "feed_url")
		if !j.run.options.IgnoreLinks {
			j.run.feed = links["home_page_url"]
		}
		if own := links["feed_url"]; j.run.tracker.outer == nil && own.URL != nil {
			j.run.tracker.outer, j.run.tracker.feed = own.URL, own
		}
	case jsonItem:
		j.run.entry, j.run.inEntry = j.links(s, "url")["url"], 1
		defer func() { j.run.inEntry = 0 }()
	}
	for name, first := range j.json.members() {
		rule, inner := s.urls[name], s.objects[name]
		switch {
		case rule != nil && first == '"':
			j.url(rule, name == s.base)
		case s == jsonItem && name == "content_html" && first == '"':
			j.content()
		case inner != nil && first == '{':
			j.object(inner)
		case inner != nil && first == '[':
			for first := range j.json.elements() {
				if first == '{' {
					j.object(inner)
				}
			}
		}
	}
}

// links reads ahead in an object for members with these names, which are base URLs, up to
// the end of the object or to the items of the feed. Of two members with the same name the
// last counts, as for most who read JSON.
func (j *jsonRun) links(s *shape, names ...string) map[string]rewriter.Base {
	links := map[string]rewriter.Base{}
	quiet := j.run.tracker.fork()
	j.run.lookAhead(func(until int64) error {
		ahead := jsonReader{scan: &j.run.scan, until: until}
		for name, first := range ahead.members() {
			switch {
			case s.objects[name] == jsonItem:
				return nil
			case first != '"' || !slices.Contains(names, name):
				continue
			}
			ahead.scan.pos++
			l := link{offset: ahead.scan.pos}
			raw, ok := ahead.text(rewriter.MaxBase * len(`\u0000`))
			if l.ref = string(unescaped(raw)); !ok {
				l.err = rewriter.ErrLongBase
			}
			if b := quiet.join(name, rewriter.Base{}, l); exists(b) && l.ref != "" {
				links[name] = b
			}
		}
		if errors.Is(ahead.err, errJSON) { // of which Warn is told later
			return j.run.scan.input.Err()
		}
		return ahead.err
	})
	return links
}

// url rewrites the string that stands next, which is a URL. isBase says that it is a base,
// too.
func (j *jsonRun) url(rule *rewriter.Rule, isBase bool) {
	j.run.scan.pos++
	at, limit := j.run.scan.pos, j.run.html.Options().MaxTag
	raw, ok := j.json.text(limit)
	if !ok {
		if j.json.err == nil {
			j.run.warnings.add(at, errLong(int64(limit)))
		}
		return
	}
	text := bytes.TrimLeft(raw, space)
	if len(text) == 0 {
		return
	}
	v := value{start: at + int64(len(raw)-len(text))}
	text = bytes.TrimRight(text, space)
	front := text[:syntax.FormJSON.Front(text)]
	v.end, v.frontEnd = v.start+int64(len(text)), v.start+int64(len(front))
	v.text, v.front = unescaped(text), len(unescaped(front))
	if isBase {
		j.run.tracker.join(rule.Attr, rewriter.Base{}, link{ref: string(v.text), offset: at}) // which warns
	}
	if url, ok := j.run.rewritten(&v, element{name: rule.Element}, rule); ok {
		j.run.scan.replace(v.start, v.frontEnd, inString, []byte(url), v.hasSpaces(&j.run.scan))
	}
}

// content rewrites the string that stands next, which is a document.
func (j *jsonRun) content() {
	j.run.scan.pos++
	j.run.document(quoted, 0, rewriter.Base{})
	j.json.text(0) // what is left of it
}

// isJSONFeed reports whether a file, at whose first brace s stands, is a JSON Feed: its
// version says so. If s ends before that, a file is one that has the name of JSON and the
// members of a feed.
func isJSONFeed(s *scanner, name string) bool {
	j := jsonReader{scan: s, until: math.MaxInt64}
	seen := map[string]bool{}
	for member, first := range j.members() {
		seen[member] = true
		if member == "version" && first == '"' {
			s.pos++
			if raw, _ := j.text(maxKey); j.err == nil {
				_, version, _ := strings.Cut(string(unescaped(raw)), "://")
				return strings.HasPrefix(strings.TrimPrefix(version, "www."), "jsonfeed.org/version/")
			}
		}
	}
	return j.err != nil && mediatype.HasExt(name, ".json") && seen["items"] && (seen["home_page_url"] || seen["feed_url"])
}
