package feed

import (
	"bytes"
	"strings"

	"absolink/rewriter"
)

// stylesheetName is what places in <?xml-stylesheet?> have as their element.
const stylesheetName = "?xml-stylesheet"

var stylesheetPlaces = elementRules{"href": {Element: stylesheetName, Attr: "href"}}

// stylesheet rewrites the URL of the style sheet for browsers, if the token before the first
// element begins one (xml-stylesheet §3). No xml:base is around it. A fragment stays: it names
// a style sheet in the feed.
func (f *run) stylesheet(t token) {
	const begin, end = "<" + stylesheetName, "?>"
	s := &f.scan
	if t.kind != markup || s.in != inContent || !s.begins(begin) {
		return
	}
	n := len(begin)
	for ; !bytes.HasSuffix(s.bytes(s.pos, s.pos+int64(n)), []byte(end)); n++ {
		if n > 2*rewriter.MaxBase || !s.has(n+1) {
			return
		}
	}
	from := s.pos + int64(len("<"))
	tag := s.bytes(from, s.pos+int64(n-len(">")))
	el := element{name: stylesheetName}
	local := !isSpace(tag[len(stylesheetName)])
	attributes(tag, func(a attribute) {
		local = local || string(a.name) == "href" && strings.HasPrefix(strings.TrimLeft(string(appendDecoded(nil, a.value)), space), "#")
	})
	if !local {
		f.attributePlaces(stylesheetPlaces, el, tag, from)
	}
}
