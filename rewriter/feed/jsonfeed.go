package feed

import (
	"bytes"
	"slices"
	"strings"

	mediatype "absolink/internal/media"
	"absolink/rewriter"
	"absolink/rewriter/internal/syntax"
)

// A shape says what is of interest in an object of a JSON Feed (versions 1 and 1.1).
// Identifiers, which are called id, are not.
type shape struct {
	name    string                    // the element of its places
	urls    map[string]*rewriter.Rule // members that are URLs
	objects map[string]*shape         // members that are objects, or arrays of them
	html    string                    // the member that is HTML
	base    string                    // the member that is the base of the HTML
}

// shapeOf returns a shape. names lists the members that are URLs, with spaces between
// them.
func shapeOf(name, names string) *shape {
	s := &shape{name: name, urls: map[string]*rewriter.Rule{}}
	for member := range strings.FieldsSeq(names) {
		s.urls[member] = &rewriter.Rule{Element: name, Attr: member}
	}
	return s
}

var jsonFeed, jsonItem = func() (feed, item *shape) {
	author := shapeOf("author", "url avatar")
	item = shapeOf("item", "url external_url image banner_image")
	item.objects = map[string]*shape{"author": author, "authors": author, "attachments": shapeOf("attachment", "url")}
	item.html, item.base = "content_html", "url"
	feed = shapeOf("feed", "home_page_url feed_url next_url icon favicon")
	feed.objects = map[string]*shape{"author": author, "authors": author, "hubs": shapeOf("hub", "url"), "items": item}
	feed.base = "home_page_url"
	return feed, item
}()

// A jsonRun is one pass over a JSON Feed.
type jsonRun struct {
	*run
	jsonReader
	links map[string]rewriter.Base // base URLs that reading ahead has found, by the names of members
	self  rewriter.Base            // the base of the feed's own URLs
}

// rewriteJSON reads a JSON Feed to its end, or to a failure.
func (f *run) rewriteJSON() {
	j := &jsonRun{run: f, jsonReader: jsonReader{scan: &f.scan}, self: f.result.Base}
	j.enter, j.member = j.enterObject, j.rewriteMember
	j.objects(jsonFeed)
	switch {
	case f.failed() || f.scan.input.Err() != nil:
		return // what is written next depends on what is missing
	case j.ended || j.next() != 0:
		f.warn(f.scan.pos, errJSON)
	}
	f.copy()
}

// enterObject finds the bases that hold in an object.
func (j *jsonRun) enterObject(s *shape) {
	switch s {
	case jsonFeed:
		j.lookAhead(s, "home_page_url", "feed_url")
		j.feed = j.links["home_page_url"]
		if own := j.links["feed_url"]; j.self.URL == nil && own.URL != nil {
			j.self, j.tracker.feed = own, own
		}
	case jsonItem:
		j.lookAhead(s, "url")
		j.entry, j.inEntry = j.links["url"], 1
	}
	j.ended = j.ended || j.failed()
}

// lookAhead reads ahead in an object for members that are base URLs, up to its end or to
// its items. Of two members with the same name the last counts, as for most who read JSON.
func (j *jsonRun) lookAhead(s *shape, names ...string) {
	start := j.run.scan.pos
	j.run.scan.pass(start)
	j.run.scan.held = inWindow
	j.links = map[string]rewriter.Base{}
	quiet := j.tracker.fork()
	ahead := jsonReader{scan: j.jsonReader.scan, until: start + j.hold}
	ahead.member = func(_ *shape, key string) {
		if s.objects[key] == jsonItem {
			ahead.ended = true
		}
		if !slices.Contains(names, key) || ahead.next() != '"' {
			return
		}
		at := ahead.scan.pos + 1
		l := link{offset: at}
		raw, ok := ahead.text(rewriter.MaxBase * len(`\u0000`))
		if l.ref = string(unescaped(raw)); !ok {
			l.err = rewriter.ErrLongBase
		}
		if b := quiet.join(key, j.self, l); exists(b) && l.ref != "" {
			j.links[key] = b
		}
	}
	ahead.object(s)
	switch {
	case !ahead.ended:
	case ahead.scan.input.Err() != nil:
		j.fail(errRead) // what is written may depend on what is missing
	case ahead.scan.pos > ahead.until:
		j.warn(start, errHold(j.hold))
	}
	j.run.scan.held = notHeld
	j.run.scan.rewind(start)
}

// rewriteMember rewrites the value of a member, if that is of interest.
func (j *jsonRun) rewriteMember(s *shape, key string) {
	isText := j.next() == '"'
	rule, inner := s.urls[key], s.objects[key]
	switch {
	case j.failed():
		j.ended = true
	case rule != nil && isText:
		j.url(s, rule)
	case key == s.html && key != "" && isText:
		j.html()
	case inner != nil:
		j.objects(inner)
		if inner == jsonItem {
			j.inEntry = 0
		}
	}
}

// url rewrites a string that is a URL.
func (j *jsonRun) url(s *shape, rule *rewriter.Rule) {
	at := j.run.scan.pos + 1
	limit := j.run.html.MaxTag
	raw, ok := j.text(limit)
	if !ok {
		if !j.ended {
			j.warn(at, errLong(int64(limit)))
		}
		return
	}
	text := bytes.TrimLeft(raw, " \t\r\n")
	v := value{start: at + int64(len(raw)-len(text))}
	text = bytes.TrimRight(text, " \t\r\n")
	v.end = v.start + int64(len(text))
	v.text = unescaped(text)
	front := text[:syntax.FormJSON.Front(text)]
	v.front, v.frontEnd = len(unescaped(front)), v.start+int64(len(front))
	if rule.Attr == s.base && len(text) > 0 {
		j.tracker.join(rule.Attr, j.self, link{ref: string(v.text), offset: at}) // which warns
	}
	if url, ok := j.rewritten(&v, element{name: s.name, base: j.self}, rule); ok {
		j.replace(v.start, v.frontEnd, inString, []byte(url), v.hasSpaces(j.run))
	}
}

// html rewrites a string that is a document.
func (j *jsonRun) html() {
	j.run.scan.pos++
	whole := j.document(quoted, 0, rewriter.Base{})
	if whole && j.more() && j.run.scan.bytes(j.run.scan.pos, j.run.scan.pos+1)[0] != '"' {
		j.ended = true
		return
	}
	j.content(func([]byte) {})
}

// isJSONFeed reports whether a file that begins with start, at whose first brace s stands,
// is a JSON Feed: its version says so. If start ends before that, a file is one that has
// the name of JSON and the members of a feed.
func isJSONFeed(s *scanner, name string) bool {
	j := jsonReader{scan: s}
	seen, version := map[string]bool{}, ""
	j.member = func(_ *shape, key string) {
		if key == "version" && j.next() == '"' {
			raw, _ := j.text(maxKey)
			version = string(unescaped(raw))
			j.ended = true
		}
		seen[key] = true
	}
	j.object(nil)
	if version != "" {
		_, version, _ = strings.Cut(version, "://")
		return strings.HasPrefix(strings.TrimPrefix(version, "www."), "jsonfeed.org/version/")
	}
	return j.ended && mediatype.HasExt(name, ".json") && seen["items"] && (seen["home_page_url"] || seen["feed_url"])
}
