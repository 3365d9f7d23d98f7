package feed

import (
	"strings"

	"absolink/rewriter"
)

// feedURLs says where a feed or a sitemap itself has URLs, outside of the HTML in it:
// "link" is the text of an element, "enclosure@url" an attribute. in names the parents
// that count; without it every parent does. Names are in lower case.
//
// Identifiers are never places: guid, id, rdf:about, and the rdf:resource that repeats
// an rdf:about.
var feedURLs = []struct {
	voc       vocabulary
	in, names string
}{
	{rss, "channel", "link docs"},
	{rss, "item", "link comments enclosure@url source@url"},
	{rss, "image", "link url"},
	{rss, "textinput", "link"},
	{atom, "", "link@href icon logo uri content@src generator@uri"},
	{oldAtom, "", "link@href url generator@url"},
	{itunes, "", "image@href new-feed-url"},
	{wfw, "", "comment commentrss"},
	{media, "", "content@url thumbnail@url player@url copyright@url embed@url license@href peerlink@href subtitle@href price@info backlink response"},
	{sitemap, "url sitemap", "loc"},
	{sitemapImage, "", "loc license"},
	{sitemapVideo, "", "thumbnail_loc content_loc player_loc gallery_loc uploader@info"},
	{xhtml, "", "link@href"},
}

// An elementName is the name of an element in a place, and of its parent; "" is any parent.
type elementName struct {
	voc         vocabulary
	in, element string
}

// ElementRules are the rules of an element's places, by the names of its attributes. The
// name of its text is "".
type elementRules map[string]*rewriter.Rule

var rulesOfElements = func() map[elementName]elementRules {
	all := map[elementName]elementRules{}
	for _, row := range feedURLs {
		for _, in := range strings.Split(row.in, " ") {
			for name := range strings.FieldsSeq(row.names) {
				element, attr, _ := strings.Cut(name, "@")
				key := elementName{row.voc, in, element}
				if all[key] == nil {
					all[key] = elementRules{}
				}
				all[key][attr] = &rewriter.Rule{Element: element, Attr: attr}
			}
		}
	}
	return all
}()

// rulesOf returns the rules of the places of an element that is about to be opened; nil
// is none.
func (t *tracker) rulesOf(el element) elementRules {
	if t.deeper > 0 || el.voc == unknown {
		return nil
	}
	key := elementName{voc: el.voc, element: strings.ToLower(el.local)}
	if rules := rulesOfElements[key]; rules != nil {
		return rules
	}
	if parent := t.top(); parent.voc == el.voc {
		key.in = strings.ToLower(parent.local)
	}
	return rulesOfElements[key]
}
